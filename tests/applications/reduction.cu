// Sums and prefix sums.

__device__ inline float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, distance);
  }
  return value;
}

/// Sum of a block of at most 1024 threads, in thread 0.
__device__ inline float block_sum(float value) {
  __shared__ float warps[32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) {
    warps[warp] = value;
  }
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
    value = warp_sum(value);
  }
  return value;
}

/// One partial sum per block of 256 threads, by a tree in shared memory.
extern "C" __global__ void reduce_tree(const float* __restrict__ in, float* __restrict__ partial,
                                       int n) {
  __shared__ float sums[256];
  const int i = blockIdx.x * 512 + threadIdx.x;
  float sum = 0.0f;
  if (i < n) {
    sum = in[i];
  }
  if (i + 256 < n) {
    sum += in[i + 256];
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int active = 128; active > 0; active /= 2) {
    if (threadIdx.x < active) {
      sums[threadIdx.x] += sums[threadIdx.x + active];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
  }
}

/// One partial sum per block, over a stretch of four elements per thread.
extern "C" __global__ void reduce_shuffle(const float* __restrict__ in, float* __restrict__ partial,
                                          int n) {
  const int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < 4; ++j) {
    const int i = first + j * blockDim.x;
    sum += i < n ? in[i] : 0.0f;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
  }
}

/// A dot product: threads stride over the whole grid, blocks meet in an atomic.
extern "C" __global__ void dot_atomic(const float* __restrict__ x, const float* __restrict__ y,
                                      float* result, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += x[i] * y[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    atomicAdd(result, sum);
  }
}

/// Inclusive prefix sums within blocks, and the total of each block.
extern "C" __global__ void scan_blocks(const int* __restrict__ in, int* __restrict__ out,
                                       int* __restrict__ totals, int n) {
  __shared__ int warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  int value = i < n ? in[i] : 0;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance) {
      value += before;
    }
  }
  if (lane == 31) {
    warps[warp] = value;
  }
  __syncthreads();
  if (warp == 0) {
    int total = lane < blockDim.x / 32 ? warps[lane] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
      const int before = __shfl_up_sync(0xffffffffu, total, distance);
      if (lane >= distance) {
        total += before;
      }
    }
    warps[lane] = total;
  }
  __syncthreads();
  if (warp > 0) {
    value += warps[warp - 1];
  }
  if (i < n) {
    out[i] = value;
  }
  if (threadIdx.x == blockDim.x - 1) {
    totals[blockIdx.x] = value;
  }
}
