// Loads and stores of every width, in every space. References in memory_cases.cpp.

#include <cstdint>

#include "tests/sass/corpus/kernel.hpp"

struct Pair {
  float x;
  int y;
};

/// Parameters of many types and alignments.
CORPUS_KERNEL(memory_parameters,
              (signed char c, short s, float f, double d, uint32_t* out, unsigned char b, int i,
               long long l, unsigned short u, const float* in, bool flag, unsigned long long w)) {
  const unsigned t = threadIdx.x;
  uint32_t* const to = out + t * 12;
  to[0] = static_cast<uint32_t>(static_cast<int32_t>(c));
  to[1] = static_cast<uint32_t>(static_cast<int32_t>(s) + static_cast<int32_t>(t));
  to[2] = __float_as_uint(f * 2.0F);
  to[3] = __float_as_uint(static_cast<float>(d));
  to[4] = b + t;
  to[5] = static_cast<uint32_t>(i) * t;
  to[6] = static_cast<uint32_t>(l >> 13);
  to[7] = u;
  to[8] = __float_as_uint(in[t % 4] + 1.0F);
  to[9] = flag ? 5U : 6U;
  to[10] = static_cast<uint32_t>(w >> (t & 31U));
  to[11] = static_cast<uint32_t>(__double2ll_rn(d * 1000.0));
}

/// Indices in three dimensions.
CORPUS_KERNEL(memory_indices, (uint32_t* out)) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * threads + thread] = threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 |
                                  blockIdx.x << 12 | blockIdx.y << 16 | blockIdx.z << 20 |
                                  (gridDim.x + blockDim.z) << 24;
}

CORPUS_KERNEL(memory_widths, (const unsigned char* in, unsigned char* out, int n)) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (t >= n) {
    return;
  }
  const auto* const in16 = reinterpret_cast<const short*>(in);
  const auto* const in32 = reinterpret_cast<const unsigned*>(in);
  const auto* const in64 = reinterpret_cast<const uint2*>(in);
  const auto* const in128 = reinterpret_cast<const uint4*>(in);
  // Each width in a sixth of the output.
  unsigned char* const sixth = out + 16 * t;
  const uint4 v = in128[t];
  const uint2 p = in64[n - 1 - t];
  uint4 mixed;
  mixed.x = v.x + v.y * 3 + v.z * 5 + v.w * 7;
  mixed.y = p.x ^ p.y;
  mixed.z = in32[t * 3 % n] +
            static_cast<unsigned>(static_cast<int>(reinterpret_cast<const signed char*>(in)[t]));
  mixed.w = in[t * 5 % n] + static_cast<unsigned>(static_cast<int>(in16[t])) +
            reinterpret_cast<const unsigned short*>(in)[n - 1 - t];
  *reinterpret_cast<uint4*>(sixth) = mixed;
  unsigned char* const second = out + 16 * n;
  reinterpret_cast<uint2*>(second)[t] = make_uint2(v.w, v.z);
  unsigned char* const third = second + 8 * n;
  reinterpret_cast<short*>(third)[t] = static_cast<short>(v.x * 3);
  third[2 * n + t] = static_cast<unsigned char>(v.y + 1);
  const auto* const pairs = reinterpret_cast<const Pair*>(in);
  auto* const results = reinterpret_cast<Pair*>(third + 4 * n);
  Pair pair = pairs[t];
  pair.y += 5;
  results[t] = pair;
}

/// A structure that is not aligned, byte by byte.
CORPUS_KERNEL(memory_packed, (const unsigned char* in, unsigned char* out, int n)) {
  const int t = static_cast<int>(threadIdx.x);
  if (t < n) {
    unsigned word = 0;
    memcpy(&word, in + 5 * t + 1, 4);
    word = word * 3 + in[5 * t];
    memcpy(out + 5 * t + 1, &word, 4);
    out[5 * t] = static_cast<unsigned char>(word >> 7);
  }
}

__constant__ int constant_table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ float constant_factor = 2.5F;
__device__ int device_table[8] = {10, 20, 30, 40, 50, 60, 70, 80};
__device__ int* device_pointer = device_table + 2;
__device__ const float device_constants[4] = {0.5F, 1.5F, 2.5F, 3.5F};
__device__ unsigned device_counter;

CORPUS_KERNEL(memory_variables, (const uint32_t* in, uint32_t* out)) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t* const to = out + 5 * t;
  const unsigned x = in[t];
  to[0] = static_cast<uint32_t>(constant_table[x & 15U] + constant_table[3]);
  to[1] = __float_as_uint(constant_factor * static_cast<float>(x & 0xffU));
  to[2] = static_cast<uint32_t>(device_table[x & 7U]);
  to[3] = static_cast<uint32_t>(device_pointer[x % 6]);
  to[4] = __float_as_uint(device_constants[x & 3U]);
}

/// Local memory: arrays with an index that is not known, and a pointer to a variable.
CORPUS_KERNEL(memory_local, (const uint32_t* in, uint32_t* out)) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t stack[20];
  for (unsigned i = 0; i < 20; ++i) {
    stack[i] = i * 7 + t;
  }
  unsigned char bytes[24];
  for (unsigned i = 0; i < 24; ++i) {
    bytes[i] = static_cast<unsigned char>(i + t);
  }
  uint32_t x = in[t];
  for (int i = 0; i < 30; ++i) {
    stack[x % 20] += x;
    bytes[x % 24] ^= static_cast<unsigned char>(x >> 3);
    x = x * 1664525U + stack[(x >> 8) % 20] + bytes[(x >> 16) % 24];
  }
  uint32_t sum = x;
  for (unsigned i = 0; i < 20; ++i) {
    sum = sum * 31 + stack[i];
  }
  for (unsigned i = 0; i < 24; ++i) {
    sum = sum * 31 + bytes[i];
  }
  out[t] = sum;
}

/// More live values than registers.
extern "C" __global__ void __launch_bounds__(1024)
    memory_spills(const uint32_t* in, uint32_t* out, int rounds) {
  uint32_t values[64];
  const unsigned t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    values[i] = in[(t + i * 7) % blockDim.x];
  }
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      values[i] = values[i] * 3 + (values[(i + 17) % 64] >> 5) + round;
    }
  }
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    sum = sum * 17 + values[i];
  }
  out[t] = sum;
}
CORPUS_ADD(memory_spills)

/// One pointer that is shared, global or local memory.
__device__ __noinline__ uint32_t through_pointer(uint32_t* place, uint32_t add) {
  const uint32_t old = *place;
  *place = old + add;
  return old * 2;
}

CORPUS_KERNEL(memory_generic, (const uint32_t* in, uint32_t* out, uint32_t* other)) {
  __shared__ uint32_t shared_words[128];
  const unsigned t = threadIdx.x;
  uint32_t own[4] = {t, t + 1, t + 2, t + 3};
  shared_words[t] = in[t];
  __syncthreads();
  const uint32_t x = in[t];
  // The same for a whole warp, as the hardware does it lane by lane where they differ.
  uint32_t* place = &other[t];
  if ((t / 32) % 3 == 1) {
    place = &shared_words[(t * 5) & 127U];
  } else if ((t / 32) % 3 == 2) {
    place = &own[x & 3U];
  }
  uint32_t result = through_pointer(place, x);
  __syncthreads();
  result += through_pointer(place, 3);
  __syncthreads();
  out[t] = result + shared_words[t] + own[0] * 3 + own[3];
}

/// Lanes of one warp whose pointers lead to different memories.
CORPUS_KERNEL(memory_generic_mixed, (const uint32_t* in, uint32_t* out, uint32_t* other)) {
  __shared__ uint32_t shared_words[64];
  const unsigned t = threadIdx.x;
  uint32_t own[2] = {t * 3, t * 5};
  shared_words[t] = t * 7;
  __syncthreads();
  uint32_t* place = t % 3 == 0 ? &other[t] : t % 3 == 1 ? &shared_words[t] : &own[in[t] & 1U];
  const uint32_t old = *reinterpret_cast<volatile uint32_t*>(place);
  *reinterpret_cast<volatile uint32_t*>(place) = old + 100;
  __syncthreads();
  out[t] = old + shared_words[t] * 3 + own[0] + own[1] * 2 + other[t];
}

/// 64-bit index arithmetic with negative strides.
CORPUS_KERNEL(memory_strides, (const double* in, double* out, long long stride, int count)) {
  const long long t = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t < count) {
    const double* from = in + (count - 1);
    out[t] = from[stride * t] * 2.0 + in[(t * 7919LL) % count];
  }
}
