// Atomic operations in global and shared memory. Their results must not depend on the order in
// which threads come. References in atomics_cases.cpp.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "tests/sass/corpus/kernel.hpp"

/// Without the old value: 32-bit integers, every thread on one of four places.
CORPUS_KERNEL(atomics_reduce, (const uint32_t* in, uint32_t* out)) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t x = in[t];
  uint32_t* const place = out + (x & 3U);
  atomicAdd(place, x);
  atomicMin(place + 4, x);
  atomicMax(place + 8, x);
  atomicMin(reinterpret_cast<int*>(place + 12), static_cast<int>(x));
  atomicMax(reinterpret_cast<int*>(place + 16), static_cast<int>(x));
  atomicAnd(place + 20, x | 0xffffU);
  atomicOr(place + 24, x & 0xff00U);
  atomicXor(place + 28, x);
  atomicSub(place + 32, x >> 3);
  atomicInc(place + 36, 1000000U);
  atomicDec(place + 40, 1000000U);
  atomicAdd(out + 44, 1U);
}

CORPUS_KERNEL(atomics_wide, (const unsigned long long* in, unsigned long long* out)) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long x = in[t];
  unsigned long long* const place = out + (x & 1U);
  atomicAdd(place, x);
  atomicMin(place + 2, x);
  atomicMax(place + 4, x);
  atomicMin(reinterpret_cast<long long*>(place + 6), static_cast<long long>(x));
  atomicMax(reinterpret_cast<long long*>(place + 8), static_cast<long long>(x));
  atomicAnd(place + 10, x | 0xffffffffULL);
  atomicOr(place + 12, x & 0xff00ff00ff00ULL);
  atomicXor(place + 14, x);
}

/// With the old value. What of it can be known is kept.
CORPUS_KERNEL(atomics_return, (const uint32_t* in, uint32_t* out, uint32_t* counters)) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned total = gridDim.x * blockDim.x;
  const uint32_t x = in[t];
  // Tickets: all different.
  const uint32_t ticket = atomicAdd(&counters[0], 1U);
  out[ticket] = 5;
  const uint32_t turn = atomicInc(&counters[1], 15U);
  atomicAdd(&out[total + turn], 1U);
  const uint32_t down = atomicDec(&counters[2], 15U);
  atomicAdd(&out[total + 16 + down], 1U);
  // Every thread its own place.
  uint32_t* const own = out + total + 32 + 8 * t;
  own[0] = x;
  own[1] = atomicExch(&own[0], x + 1);
  own[2] = atomicCAS(&own[0], x + 1, 77U) + (atomicCAS(&own[0], 5U, 6U) << 1);
  own[3] = 10;
  own[4] = atomicMax(&own[3], x) + atomicMin(&own[3], 3U);
  own[5] = atomicXor(&own[3], 0xf0U) + atomicAnd(&own[3], 0xccU) + atomicOr(&own[3], x);
  own[6] = atomicSub(&own[3], 9U);
  own[7] = static_cast<uint32_t>(atomicMin(reinterpret_cast<int*>(&own[3]), -8));
}

CORPUS_KERNEL(atomics_wide_return, (const unsigned long long* in, unsigned long long* out)) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long x = in[t];
  unsigned long long* const own = out + 4 * t;
  own[0] = x;
  own[1] = atomicAdd(&own[0], 0x123456789ULL) ^ atomicExch(&own[0], x * 3);
  own[2] = atomicCAS(&own[0], x * 3, 99ULL) + atomicCAS(&own[0], 1ULL, 2ULL);
  own[3] = atomicMax(&own[0], x) ^ atomicMin(&own[0], 7ULL);
}

/// Sums of numbers that add exactly in any order.
CORPUS_KERNEL(atomics_float, (const uint32_t* in, float* out, double* wide)) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = static_cast<float>(in[t] & 0xffU) * 0.25F;
  atomicAdd(&out[in[t] & 3U], x);
  atomicAdd(&wide[in[t] & 1U], static_cast<double>(x));
  const float old = atomicAdd(&out[4 + t], x);
  const double old_wide = atomicAdd(&wide[2 + t], static_cast<double>(x) * 3.0);
  out[4 + gridDim.x * blockDim.x + t] =
      old + static_cast<float>(old_wide) + atomicExch(&out[4 + t], x);
}

CORPUS_KERNEL(atomics_half, (const uint32_t* in, uint32_t* out)) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const __half2 x =
      __floats2half2_rn(static_cast<float>(in[t] & 3U), static_cast<float>(in[t] >> 2 & 3U));
  atomicAdd(reinterpret_cast<__half2*>(&out[in[t] >> 8 & 3U]), x);
  const __half2 old = atomicAdd(reinterpret_cast<__half2*>(&out[4 + t]), x);
  out[4 + gridDim.x * blockDim.x + t] = *reinterpret_cast<const uint32_t*>(&old);
}

CORPUS_KERNEL(atomics_shared, (const uint32_t* in, uint32_t* out)) {
  __shared__ uint32_t words[64];
  __shared__ unsigned long long wide[8];
  __shared__ float sums[4];
  __shared__ double wide_sums[2];
  const unsigned t = threadIdx.x;
  if (t < 64) {
    words[t] = t >= 4 && t < 8 ? 0xffffffffU : t >= 20 && t < 24 ? 0xffffffffU : 0;
  }
  if (t < 8) {
    wide[t] = 0;
  }
  if (t < 4) {
    sums[t] = 0;
  }
  if (t < 2) {
    wide_sums[t] = 0;
  }
  __syncthreads();
  const uint32_t x = in[blockIdx.x * blockDim.x + t];
  const unsigned which = x & 3U;
  atomicAdd(&words[which], x);
  atomicMin(&words[4 + which], x);
  atomicMax(&words[8 + which], x);
  atomicMin(reinterpret_cast<int*>(&words[12 + which]), static_cast<int>(x));
  atomicMax(reinterpret_cast<int*>(&words[16 + which]), static_cast<int>(x));
  atomicAnd(&words[20 + which], x | 0xffU);
  atomicOr(&words[24 + which], x & 0xf0f0U);
  atomicXor(&words[28 + which], x);
  atomicInc(&words[32 + which], 100000U);
  atomicDec(&words[36 + which], 100000U);
  atomicAdd(&words[40], 1U);
  const uint32_t ticket = atomicAdd(&words[41], 1U);
  atomicOr(&words[44 + ticket / 32], 1U << (ticket % 32));
  atomicAdd(&wide[which], static_cast<unsigned long long>(x) << 7);
  atomicMax(&wide[4 + which], static_cast<unsigned long long>(x) << 11);
  atomicAdd(&sums[which], static_cast<float>(x & 0x3fU) * 0.5F);
  atomicAdd(&wide_sums[which & 1U], static_cast<double>(x & 0x3fU) * 0.5);
  __shared__ uint32_t own[128];
  own[t] = x;
  uint32_t old = atomicExch(&own[t], 3U);
  old += atomicCAS(&own[t], 3U, x);
  old ^= atomicCAS(&own[t], x + 1, 9U);
  __syncthreads();
  uint32_t* const to = out + blockIdx.x * (64 + 16 + 8 + 128);
  if (t < 64) {
    to[t] = words[t];
  }
  if (t < 8) {
    to[64 + 2 * t] = static_cast<uint32_t>(wide[t]);
    to[65 + 2 * t] = static_cast<uint32_t>(wide[t] >> 32);
  }
  if (t < 4) {
    to[80 + t] = __float_as_uint(sums[t]);
    to[84 + t] = __float_as_uint(static_cast<float>(wide_sums[t & 1U]));
  }
  to[88 + t] = old;
}

/// Through a pointer that may be shared or global; and a maximum made of compare-and-swap.
__device__ __noinline__ void add_at(uint32_t* place, uint32_t x) { atomicAdd(place, x); }

CORPUS_KERNEL(atomics_generic, (const uint32_t* in, uint32_t* out, float* most)) {
  __shared__ uint32_t word;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    word = 0;
  }
  __syncthreads();
  const uint32_t x = in[blockIdx.x * blockDim.x + t];
  add_at((t / 32) % 2 == 0 ? &out[0] : &word, x);
  int* const bits = reinterpret_cast<int*>(most);
  const float mine = static_cast<float>(x & 0xffffffU);
  int old = *reinterpret_cast<volatile int*>(bits);
  while (__int_as_float(old) < mine) {
    const int seen = atomicCAS(bits, old, __float_as_int(mine));
    if (seen == old) {
      break;
    }
    old = seen;
  }
  __syncthreads();
  if (t == 0) {
    atomicAdd(&out[1], word);
  }
}
