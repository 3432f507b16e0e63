// Shared memory, barriers and copies into shared memory. References in shared_cases.cpp.

#include <cuda_pipeline.h>

#include <cstdint>

#include "tests/sass/corpus/kernel.hpp"

/// Static and dynamic shared memory; the stride gives bank conflicts.
CORPUS_KERNEL(shared_transpose, (const float* in, float* out, int stride)) {
  extern __shared__ float dynamic_words[];
  __shared__ float fixed[32];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  dynamic_words[y * stride + x] = in[y * 32 + x];
  if (y == 0) {
    fixed[x] = in[x * 33] * 0.5F;
  }
  __syncthreads();
  out[y * 32 + x] = dynamic_words[x * stride + y] + fixed[y];
}

CORPUS_KERNEL(shared_reduction, (const uint32_t* in, uint32_t* out)) {
  __shared__ uint32_t sums[256];
  const unsigned t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (t < half) {
      sums[t] += sums[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = sums[0];
  }
}

CORPUS_KERNEL(shared_widths, (const uint4* in, uint4* out)) {
  __shared__ uint4 wide[64];
  __shared__ unsigned char bytes[64 * 16];
  const unsigned t = threadIdx.x;
  wide[t] = in[t];
  for (unsigned i = 0; i < 16; ++i) {
    bytes[i * 64 + t] = static_cast<unsigned char>(in[t].x >> (i & 3U) * 8);
  }
  __syncthreads();
  const uint4 a = wide[63 - t];
  const uint2 b = reinterpret_cast<uint2*>(wide)[t];
  const auto* const halves = reinterpret_cast<short*>(bytes);
  uint4 r;
  r.x = a.x + b.y;
  r.y = a.y ^ b.x;
  r.z = static_cast<uint32_t>(static_cast<int>(halves[t * 3])) + bytes[t * 7];
  r.w = static_cast<uint32_t>(static_cast<int>(reinterpret_cast<signed char*>(bytes)[t + 5])) + a.w;
  out[t] = r;
}

/// Votes of a whole block.
CORPUS_KERNEL(shared_block_votes, (const uint32_t* in, uint32_t* out)) {
  const unsigned t = threadIdx.x;
  const uint32_t x = in[blockIdx.x * blockDim.x + t];
  uint32_t* const to = out + 6 * (blockIdx.x * blockDim.x + t);
  to[0] = static_cast<uint32_t>(__syncthreads_count(x % 3 == 0));
  to[1] = __syncthreads_and(x != 77) != 0 ? 1 : 0;
  to[2] = __syncthreads_or(x == 77) != 0 ? 1 : 0;
  to[3] = __syncthreads_and(x + 1 != 0 || t < 500) != 0 ? 1 : 0;
  to[4] = __syncthreads_or(x % 1000003 == 1000002) != 0 ? 1 : 0;
  to[5] = static_cast<uint32_t>(__syncthreads_count(t % 7 == 2));
}

/// Half of the block hands over to the other half through named barriers.
CORPUS_KERNEL(shared_named_barriers, (const uint32_t* in, uint32_t* out)) {
  __shared__ uint32_t words[64];
  const unsigned t = threadIdx.x;
  if (t < 64) {
    for (unsigned round = 0; round < 3; ++round) {
      if (round > 0) {
        asm volatile("bar.sync 2, 128;" ::: "memory");
      }
      words[t] = in[t] * (round + 2);
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    }
    asm volatile("bar.sync 3, 64;" ::: "memory");
    out[t] = 9;
  } else {
    uint32_t sum = 0;
    for (unsigned round = 0; round < 3; ++round) {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      sum = sum * 5 + words[127 - t];
      if (round < 2) {
        asm volatile("bar.arrive 2, 128;" ::: "memory");
      }
    }
    out[t] = sum;
  }
}

/// Threads that have left do not keep the others waiting.
CORPUS_KERNEL(shared_leavers, (const uint32_t* in, uint32_t* out)) {
  __shared__ uint32_t words[128];
  const unsigned t = threadIdx.x;
  words[t] = in[t];
  __syncthreads();
  if (t >= 64) {
    out[t] = 1;
    return;
  }
  for (unsigned distance = 1; distance < 64; distance *= 2) {
    const uint32_t other = words[(t + distance) % 64];
    __syncthreads();
    words[t] += other;
    __syncthreads();
  }
  out[t] = words[t];
}

/// cp.async of 4, 8 and 16 bytes, some with fewer source bytes.
CORPUS_KERNEL(shared_async_copy, (const uint32_t* in, uint32_t* out)) {
#if __CUDA_ARCH__ >= 800
  __shared__ __align__(16) uint32_t words[128 * 7];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < 128 * 7; i += 128) {
    words[i] = 0x5a5a5a5aU;
  }
  __syncthreads();
  __pipeline_memcpy_async(&words[4 * t], &in[4 * (127 - t)], 16);
  __pipeline_memcpy_async(&words[512 + 2 * t], &in[512 + 2 * (t ^ 1U)], 8);
  __pipeline_commit();
  __pipeline_memcpy_async(&words[768 + t], &in[768 + (t + 5) % 128], 4, t % 4 == 3 ? 4 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (unsigned i = 0; i < 7; ++i) {
    out[i * 128 + t] = words[(i * 128 + t * 3) % (128 * 7)];
  }
#endif
}

/// ldmatrix in all its shapes.
CORPUS_KERNEL(shared_matrices, (const uint32_t* in, uint32_t* out)) {
  __shared__ __align__(16) uint32_t words[32 * 4];
  const unsigned t = threadIdx.x;
  for (unsigned i = 0; i < 4; ++i) {
    words[i * 32 + t] = in[i * 32 + t];
  }
  __syncthreads();
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(&words[(t * 5 % 32) * 4]));
  uint32_t a = 0;
  uint32_t b = 0;
  uint32_t c = 0;
  uint32_t d = 0;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(address));
  out[t] = a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(a), "=r"(b)
               : "r"(address));
  out[32 + t] = a;
  out[64 + t] = b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(address));
  out[96 + t] = a;
  out[128 + t] = b;
  out[160 + t] = c;
  out[192 + t] = d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(address));
  out[224 + t] = a + b * 3 + c * 5 + d * 7;
}

/// Warps that wait for each other by reading shared memory again and again.
CORPUS_KERNEL(shared_spin, (const uint32_t* in, uint32_t* out)) {
  __shared__ volatile uint32_t full;
  __shared__ volatile uint32_t slot;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    full = 0;
  }
  __syncthreads();
  if (t == 0) {
    // The consumer comes first in the order of the warps.
    uint32_t sum = 0;
    for (unsigned i = 0; i < 8; ++i) {
      while (full == 0) {
      }
      __threadfence_block();
      sum = sum * 3 + slot;
      __threadfence_block();
      full = 0;
    }
    out[0] = sum;
  } else if (t == 32) {
    for (unsigned i = 0; i < 8; ++i) {
      while (full != 0) {
      }
      __threadfence_block();
      slot = in[i];
      __threadfence_block();
      full = 1;
    }
    out[1] = 3;
  }
}

/// A lock that the lanes of one warp take in turn.
CORPUS_KERNEL(shared_lock, (const uint32_t* in, uint32_t* out)) {
  __shared__ int lock;
  __shared__ volatile uint32_t total;
  __shared__ volatile uint32_t visits;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    lock = 0;
    total = 0;
    visits = 0;
  }
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      total = total + in[t];
      visits = visits + 1;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (t == 0) {
    out[0] = total;
    out[1] = visits;
  }
}

/// The lanes of a warp wait for one of them, which can only come after.
CORPUS_KERNEL(shared_lane_spin, (const uint32_t* in, uint32_t* out)) {
  __shared__ volatile uint32_t ready;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    ready = 0;
  }
  __syncthreads();
  if (t != 17) {
    while (ready == 0) {
    }
  } else {
    out[blockDim.x] = in[17];
    ready = in[17] | 1U;
  }
  out[t] = ready;
}
