// Instructions that work across the lanes of a warp. References in warp_cases.cpp.

#include <cstdint>

#include "tests/sass/corpus/kernel.hpp"

CORPUS_KERNEL(warp_shuffle, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned total = gridDim.x * blockDim.x;
  const uint32_t x = in[thread];
  unsigned k = 0;
  const auto give = [&](uint32_t result) { out[k++ * total + thread] = result; };
  give(__shfl_sync(0xffffffffU, x, 5));
  give(__shfl_sync(0xffffffffU, x, x & 31U));
  give(__shfl_sync(0xffffffffU, x, static_cast<int>(x & 31U), 8));
  give(__shfl_up_sync(0xffffffffU, x, 1));
  give(__shfl_up_sync(0xffffffffU, x, 3, 16));
  give(__shfl_down_sync(0xffffffffU, x, 2));
  give(__shfl_down_sync(0xffffffffU, x, 5, 8));
  give(__shfl_xor_sync(0xffffffffU, x, 16));
  give(__shfl_xor_sync(0xffffffffU, x, 9, 16));
  give(__shfl_down_sync(0xffffffffU, x, x & 7U, 4));
  // The predicate says whether the lane that was asked for exists.
  uint32_t value = 0;
  uint32_t inside = 0;
  asm volatile(
      "{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 4, 0, 0xffffffff; selp.u32 %1, 1, 0, p; }"
      : "=r"(value), "=r"(inside)
      : "r"(x));
  give(value * 2 + inside);
  const double wide = __shfl_xor_sync(0xffffffffU, static_cast<double>(x), 1);
  give(static_cast<uint32_t>(wide));
  const unsigned long long both = static_cast<unsigned long long>(x) << 20 | threadIdx.x;
  give(static_cast<uint32_t>(
      __shfl_sync(0xffffffffU, both, 31 - static_cast<int>(threadIdx.x % 32)) >> 9));
}

CORPUS_KERNEL(warp_reduction, (const float* in, float* out)) {
  float sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffU, sum, distance);
  }
  if (threadIdx.x % 32 == 0) {
    out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
  }
}

CORPUS_KERNEL(warp_scan, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  uint32_t sum = in[thread];
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const uint32_t before = __shfl_up_sync(0xffffffffU, sum, distance);
    if (lane >= distance) {
      sum += before;
    }
  }
  out[thread] = sum;
}

CORPUS_KERNEL(warp_vote, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned total = gridDim.x * blockDim.x;
  const uint32_t x = in[thread];
  unsigned k = 0;
  const auto give = [&](uint32_t result) { out[k++ * total + thread] = result; };
  give(__ballot_sync(0xffffffffU, x % 3 == 0));
  give(__any_sync(0xffffffffU, x > 0xf0000000U) ? 1U : 2U);
  give(__all_sync(0xffffffffU, x != 5) ? 1U : 2U);
  int uniform = 0;
  asm volatile(
      "{ .reg .pred p, q; setp.gt.u32 p, %1, 7; vote.sync.uni.pred q, p, 0xffffffff; selp.s32 %0, "
      "1, 0, q; }"
      : "=r"(uniform)
      : "r"(x));
  give(static_cast<uint32_t>(uniform));
  // Only part of the warp.
  uint32_t part = 0;
  if (threadIdx.x % 32 < 13) {
    part = __ballot_sync(0x1fffU, (x & 4U) != 0);
    part = part * 2 + (__any_sync(0x1fffU, x % 5 == 1) ? 1U : 0U);
    part += __shfl_sync(0x1fffU, x, 12);
  } else {
    part = __ballot_sync(0xffffe000U, (x & 8U) != 0);
    part ^= __shfl_xor_sync(0xffffe000U, x, threadIdx.x % 32 < 16 ? 0 : 1);
  }
  give(part);
  give(__popc(__ballot_sync(0xffffffffU, (x & 1U) != 0) & ((1U << (threadIdx.x % 32)) - 1)));
}

CORPUS_KERNEL(warp_match, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned total = gridDim.x * blockDim.x;
  const uint32_t x = in[thread] % 5;
  out[thread] = __match_any_sync(0xffffffffU, x);
  const unsigned long long wide = static_cast<unsigned long long>(x) << 33 | 1U;
  out[total + thread] = __match_any_sync(0xffffffffU, wide);
  int same = 0;
  const uint32_t mask = __match_all_sync(0xffffffffU, blockIdx.x == 0 ? 3U : x, &same);
  out[2 * total + thread] = mask;
  out[3 * total + thread] = static_cast<uint32_t>(same);
}

CORPUS_KERNEL(warp_reduce_sync, (const uint32_t* in, uint32_t* out)) {
#if __CUDA_ARCH__ >= 800
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned total = gridDim.x * blockDim.x;
  const uint32_t x = in[thread];
  unsigned k = 0;
  const auto give = [&](uint32_t result) { out[k++ * total + thread] = result; };
  give(__reduce_add_sync(0xffffffffU, x));
  give(__reduce_min_sync(0xffffffffU, x));
  give(__reduce_max_sync(0xffffffffU, x));
  give(static_cast<uint32_t>(__reduce_min_sync(0xffffffffU, static_cast<int>(x))));
  give(static_cast<uint32_t>(__reduce_max_sync(0xffffffffU, static_cast<int>(x))));
  give(__reduce_and_sync(0xffffffffU, x | 0xff00U));
  give(__reduce_or_sync(0xffffffffU, x & 0x0ff0U));
  give(__reduce_xor_sync(0xffffffffU, x));
  if (threadIdx.x % 32 >= 20) {
    give(__reduce_add_sync(0xfff00000U, x));
  } else {
    give(0);
  }
#endif
}

CORPUS_KERNEL(warp_masks, (uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned total = gridDim.x * blockDim.x;
  unsigned k = 0;
  const auto give = [&](uint32_t result) { out[k++ * total + thread] = result; };
  uint32_t mask = 0;
  asm("mov.u32 %0, %%laneid;" : "=r"(mask));
  give(mask);
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(mask));
  give(mask);
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  give(mask);
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(mask));
  give(mask);
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(mask));
  give(mask);
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask));
  give(mask);
  // The last warp is not full.
  give(__activemask());
  if (threadIdx.x % 3 == 1) {
    mask = __activemask();
    give(__popc(mask));
  } else {
    give(77);
  }
}

CORPUS_KERNEL(warp_elect, (const uint32_t* in, uint32_t* out)) {
#if __CUDA_ARCH__ >= 900
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t chosen = 0;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
               : "=r"(chosen));
  // Which lane is elected is the hardware's choice, but there is one.
  out[thread] = __popc(__ballot_sync(0xffffffffU, chosen != 0)) + in[thread];
#endif
}

/// Lanes that want the same counter agree on one that asks for all of them.
CORPUS_KERNEL(warp_aggregate, (const uint32_t* in, uint32_t* counters)) {
  const uint32_t which = in[blockIdx.x * blockDim.x + threadIdx.x] % 4;
  const uint32_t peers = __match_any_sync(__activemask(), which);
  const unsigned lane = threadIdx.x % 32;
  if (lane == static_cast<unsigned>(__ffs(static_cast<int>(peers))) - 1) {
    atomicAdd(&counters[which], static_cast<uint32_t>(__popc(peers)));
  }
}
