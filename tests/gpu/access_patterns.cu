// One warp, one memory instruction under test each: what the wavefront rules are checked with.

#include "tests/gpu/access_patterns.hpp"

namespace {

template <class T>
__device__ T load_shared(const unsigned char* memory, int offset) {
  return *reinterpret_cast<const T*>(memory + offset);
}

/// Shared memory is written elsewhere first, so that the compiler cannot know what is read.
template <class T>
__device__ void shared_load(const int* offsets, T* out) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int offset = offsets[threadIdx.x];
  if (offset >= 0) {
    out[threadIdx.x] = load_shared<T>(memory, offset);
  }
}

template <class T>
__device__ void shared_store(const int* offsets, const T* data, T* out) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int offset = offsets[threadIdx.x];
  const T value = data[threadIdx.x];
  if (offset >= 0) {
    *reinterpret_cast<T*>(memory + offset) = value;
  }
  __syncthreads();
  out[threadIdx.x] = load_shared<T>(memory, 16 * (31 - threadIdx.x));
}

template <class T>
__device__ void global_load(const int* offsets, const T* data, T* out) {
  const int offset = offsets[threadIdx.x];
  if (offset >= 0) {
    out[threadIdx.x] = *reinterpret_cast<const T*>(reinterpret_cast<const char*>(data) + offset);
  }
}

template <class T>
__device__ void global_store(const int* offsets, const T* data, T* out) {
  const int offset = offsets[threadIdx.x];
  if (offset >= 0) {
    *reinterpret_cast<T*>(reinterpret_cast<char*>(out) + offset) = data[threadIdx.x];
  }
}

}  // namespace

extern "C" __global__ void pattern_shared_load_1(const int* offsets, const unsigned char* /*data*/,
                                                 unsigned char* out) {
  shared_load(offsets, out);
}

extern "C" __global__ void pattern_shared_store_1(const int* offsets, const unsigned char* data,
                                                  unsigned char* out) {
  shared_store(offsets, data, out);
}

extern "C" __global__ void pattern_global_load_1(const int* offsets, const unsigned char* data,
                                                 unsigned char* out) {
  global_load(offsets, data, out);
}

extern "C" __global__ void pattern_global_store_1(const int* offsets, const unsigned char* data,
                                                  unsigned char* out) {
  global_store(offsets, data, out);
}

extern "C" __global__ void pattern_shared_load_4(const int* offsets, const float* /*data*/,
                                                 float* out) {
  shared_load(offsets, out);
}

extern "C" __global__ void pattern_shared_store_4(const int* offsets, const float* data,
                                                  float* out) {
  shared_store(offsets, data, out);
}

extern "C" __global__ void pattern_global_load_4(const int* offsets, const float* data,
                                                 float* out) {
  global_load(offsets, data, out);
}

extern "C" __global__ void pattern_global_store_4(const int* offsets, const float* data,
                                                  float* out) {
  global_store(offsets, data, out);
}

extern "C" __global__ void pattern_shared_load_8(const int* offsets, const float2* /*data*/,
                                                 float2* out) {
  shared_load(offsets, out);
}

extern "C" __global__ void pattern_shared_store_8(const int* offsets, const float2* data,
                                                  float2* out) {
  shared_store(offsets, data, out);
}

extern "C" __global__ void pattern_global_load_8(const int* offsets, const float2* data,
                                                 float2* out) {
  global_load(offsets, data, out);
}

extern "C" __global__ void pattern_global_store_8(const int* offsets, const float2* data,
                                                  float2* out) {
  global_store(offsets, data, out);
}

extern "C" __global__ void pattern_shared_load_16(const int* offsets, const float4* /*data*/,
                                                  float4* out) {
  shared_load(offsets, out);
}

extern "C" __global__ void pattern_shared_store_16(const int* offsets, const float4* data,
                                                   float4* out) {
  shared_store(offsets, data, out);
}

extern "C" __global__ void pattern_global_load_16(const int* offsets, const float4* data,
                                                  float4* out) {
  global_load(offsets, data, out);
}

extern "C" __global__ void pattern_global_store_16(const int* offsets, const float4* data,
                                                   float4* out) {
  global_store(offsets, data, out);
}

namespace perfmodel::gpu_tests {

std::vector<PatternKernel> pattern_kernels() {
  return {
      {"pattern_shared_load_1", reinterpret_cast<const void*>(pattern_shared_load_1), 1},
      {"pattern_shared_store_1", reinterpret_cast<const void*>(pattern_shared_store_1), 1},
      {"pattern_global_load_1", reinterpret_cast<const void*>(pattern_global_load_1), 1},
      {"pattern_global_store_1", reinterpret_cast<const void*>(pattern_global_store_1), 1},
      {"pattern_shared_load_4", reinterpret_cast<const void*>(pattern_shared_load_4), 4},
      {"pattern_shared_store_4", reinterpret_cast<const void*>(pattern_shared_store_4), 4},
      {"pattern_global_load_4", reinterpret_cast<const void*>(pattern_global_load_4), 4},
      {"pattern_global_store_4", reinterpret_cast<const void*>(pattern_global_store_4), 4},
      {"pattern_shared_load_8", reinterpret_cast<const void*>(pattern_shared_load_8), 8},
      {"pattern_shared_store_8", reinterpret_cast<const void*>(pattern_shared_store_8), 8},
      {"pattern_global_load_8", reinterpret_cast<const void*>(pattern_global_load_8), 8},
      {"pattern_global_store_8", reinterpret_cast<const void*>(pattern_global_store_8), 8},
      {"pattern_shared_load_16", reinterpret_cast<const void*>(pattern_shared_load_16), 16},
      {"pattern_shared_store_16", reinterpret_cast<const void*>(pattern_shared_store_16), 16},
      {"pattern_global_load_16", reinterpret_cast<const void*>(pattern_global_load_16), 16},
      {"pattern_global_store_16", reinterpret_cast<const void*>(pattern_global_store_16), 16},
  };
}

}  // namespace perfmodel::gpu_tests
