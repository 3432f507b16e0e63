// Codes that leave most of a device idle: few warps, few blocks, much shared memory, dependent
// loads.

/// One dependent chain of multiply-adds per thread.
extern "C" __global__ void fma_chain(float* out, float a, float b, int steps) {
  float x = threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    x = x * a + b;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

/// Sums of the columns of a row-major matrix, a column per thread: few blocks, long loops.
extern "C" __global__ void column_sums(const float* __restrict__ in, float* __restrict__ out,
                                       int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) {
    return;
  }
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) {
    sum += in[row * columns + column];
  }
  out[column] = sum;
}

/// Looks numbers up in a table that fills most of shared memory.
extern "C" __global__ void lookup_shared(const float* __restrict__ table,
                                         const unsigned* __restrict__ keys, float* __restrict__ out,
                                         int size, int n) {
  extern __shared__ float entries[];
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    entries[i] = table[i];
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = entries[keys[i] % size];
  }
}

/// Every thread follows links through a table of `mask` + 1 random words.
extern "C" __global__ void pointer_chase(const unsigned* __restrict__ table,
                                         unsigned* __restrict__ out, unsigned mask, int steps) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned at = 2654435761u * (thread + 1) & mask;
  for (int step = 0; step < steps; ++step) {
    // The step keeps the walk from running into a cycle.
    at = (table[at] + step) & mask;
  }
  out[thread] = at;
}
