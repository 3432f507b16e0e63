// Divergence: lanes of a warp that part and meet again. References in control_cases.cpp.

#include <cstdint>

#include "tests/sass/corpus/kernel.hpp"

/// Different numbers of iterations, with ways out of the middle.
CORPUS_KERNEL(control_loops, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned total = gridDim.x * blockDim.x;
  uint32_t x = in[thread];
  uint32_t steps = 0;
  // Collatz: every lane its own length.
  uint32_t n = (x & 0xffU) + 1;
  while (n != 1) {
    n = (n & 1U) != 0 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  out[thread] = steps;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < (x & 31U) + 3; ++i) {
    if (i % 3 == 1) {
      continue;
    }
    for (uint32_t j = i; j < 12; ++j) {
      if (((x >> j) & 3U) == 3U) {
        break;
      }
      sum += i * j;
    }
    if (sum > 150) {
      sum += 1000;
      break;
    }
  }
  out[total + thread] = sum;
}

/// Nested conditions, some of whose branches leave the kernel.
CORPUS_KERNEL(control_exits, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t x = in[thread];
  if ((x & 7U) == 0) {
    out[thread] = 1;
    return;
  }
  uint32_t result = x;
  for (int i = 0; i < 10; ++i) {
    if ((result & 1U) != 0) {
      if ((result & 2U) != 0) {
        result = result * 5 + 1;
        if ((result & 0x70U) == 0x70U) {
          out[thread] = result;
          return;
        }
      } else {
        result ^= 0x35U;
      }
    } else {
      result = (result >> 1) + (x & 0xffU);
    }
  }
  out[thread] = result + 7;
}

__device__ __noinline__ uint32_t far_function(uint32_t a, uint32_t b) {
  return a > b ? a * 3 + b : (b - a) * 7 + 1;
}
__device__ __noinline__ uint32_t deeper_function(uint32_t a, uint32_t depth) {
  uint32_t sum = a;
  for (uint32_t i = 0; i < depth; ++i) {
    sum = far_function(sum, i + 5);
  }
  return sum;
}

/// Only some lanes call, from several places.
CORPUS_KERNEL(control_calls, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t x = in[thread];
  uint32_t result = 0;
  if ((x & 1U) != 0) {
    result = far_function(x, thread);
  } else if ((x & 2U) != 0) {
    result = deeper_function(x, x >> 2 & 7U);
  }
  result += far_function(result, 9);
  out[thread] = result;
}

__device__ __noinline__ uint32_t ackermann_like(uint32_t n, uint32_t k) {
  if (n == 0) {
    return k + 1;
  }
  if (k == 0) {
    return ackermann_like(n - 1, 1) + n;
  }
  return ackermann_like(n - 1, k - 1) + ackermann_like(n - 1, k / 2) + k;
}

/// A stack frame for each call, of another depth in every lane.
CORPUS_KERNEL(control_recursion, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t x = in[thread];
  out[thread] = ackermann_like(x & 7U, x >> 3 & 7U);
}

/// Many cases: an indirect jump, inside a loop.
CORPUS_KERNEL(control_switch, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t x = in[thread];
  uint32_t state = thread % 11;
  for (int i = 0; i < 20; ++i) {
    switch (state) {
      case 0:
        x += 17;
        state = 3 + x % 5;
        break;
      case 1:
        x = x * 3 + 1;
        state = 2;
        break;
      case 2:
        x ^= x >> 7;
        state = 9;
        break;
      case 3:
        x = __brev(x);
        state = x % 11;
        break;
      case 4:
        x = x / 3;
        state = 0;
        break;
      case 5:
        x = __popc(x) * 99;
        state = 8;
        break;
      case 6:
        x -= 1234567;
        state = x % 7;
        break;
      case 7:
        x = x << 3 | x >> 29;
        state = 1;
        break;
      case 8:
        x = ~x;
        state = x % 10;
        break;
      case 9:
        x = x % 1000003;
        state = 10;
        break;
      default:
        x += thread;
        state = 6;
    }
  }
  out[thread] = x;
}

/// A lane that finds another lane's work, with votes inside a divergent loop.
CORPUS_KERNEL(control_vote_loop, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t left = in[thread] & 15U;
  uint32_t rounds = 0;
  while (__any_sync(0xffffffffU, left > 0)) {
    if (left > 0) {
      --left;
      rounds += 2;
    }
    ++rounds;
  }
  // Early leavers: the mask shrinks.
  uint32_t seen = 0;
  for (uint32_t i = 0; i < (in[thread] & 7U); ++i) {
    seen += __popc(__activemask()) > 0 ? 1 : 0;
    __syncwarp(__activemask());
  }
  out[thread] = rounds * 100 + seen;
}

/// Booleans kept over a loop, which the compiler packs into a register.
CORPUS_KERNEL(control_predicates, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t x = in[thread];
  bool flags[12];
#pragma unroll
  for (int i = 0; i < 12; ++i) {
    flags[i] = (x >> i & 1U) != 0 && x % (i + 3) != 1;
  }
  uint32_t sum = 0;
  for (uint32_t round = 0; round < (x & 15U) + 1; ++round) {
#pragma unroll
    for (int i = 0; i < 12; ++i) {
      if (flags[i]) {
        sum = sum * 3 + i + round;
      } else {
        sum ^= 0x1234U + i;
      }
    }
    flags[3] = flags[3] != flags[7];
    flags[5] = flags[1] && !flags[2];
  }
  out[thread] = sum;
}

/// Short circuits, gotos and a loop with two ways in.
CORPUS_KERNEL(control_jumps, (const uint32_t* in, uint32_t* out)) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t x = in[thread];
  uint32_t count = 0;
  if ((x & 1U) != 0) {
    goto middle;
  }
top:
  x = x * 1664525U + 1013904223U;
  ++count;
middle:
  count += 10;
  if (count < 200 && ((x >> 16 & 3U) != 0 || (x >> 24 & 7U) == 5)) {
    goto top;
  }
  out[thread] = x ^ count;
}
