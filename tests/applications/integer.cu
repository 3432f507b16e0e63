// Whole numbers and bits.

/// Rounds of a xorshift generator and a linear congruential one, each thread with its own seed.
extern "C" __global__ void hash_rounds(unsigned* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  unsigned x = 2654435761u * (i + 1);
  unsigned y = i;
  for (int round = 0; round < rounds; ++round) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    y = 1664525u * y + 1013904223u;
  }
  out[i] = x ^ y;
}

/// A histogram of bytes: blocks count in shared memory, then add to the result.
extern "C" __global__ void histogram_256(const unsigned* __restrict__ in, unsigned* bins, int n) {
  __shared__ unsigned counts[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    counts[i] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned word = in[i];
    atomicAdd(&counts[word & 0xff], 1u);
    atomicAdd(&counts[word >> 8 & 0xff], 1u);
    atomicAdd(&counts[word >> 16 & 0xff], 1u);
    atomicAdd(&counts[word >> 24], 1u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    atomicAdd(&bins[i], counts[i]);
  }
}

/// For every code of 128 bits the least Hamming distance to any of the queries.
extern "C" __global__ void hamming_nearest(const uint4* __restrict__ codes,
                                           const uint4* __restrict__ queries,
                                           int* __restrict__ nearest, int n, int query_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) {
    return;
  }
  const uint4 code = codes[i];
  int least = 128;
  for (int q = 0; q < query_count; ++q) {
    const uint4 query = queries[q];
    const int distance = __popc(code.x ^ query.x) + __popc(code.y ^ query.y) +
                         __popc(code.z ^ query.z) + __popc(code.w ^ query.w);
    least = min(least, distance);
  }
  nearest[i] = least;
}
