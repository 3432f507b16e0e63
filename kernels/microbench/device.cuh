// What every micro-benchmark is made of: time stamps, and keeping a result alive.
//
// All device functions take the same parameters, so that one launcher serves them:
//   data     device memory, at least what the catalogue asks for
//   stamps   one for each warp, or for each phase of a warp, or none
//   repeats  iterations of the timed loop
//   extent, stride  what the catalogue says of the function
// Instructions under test are volatile assembly: neither removed nor reordered among themselves.
#pragma once

#include <cstdint>

#include "kernels/microbench/stamps.hpp"

namespace perfmodel::kernels {

struct DeviceMoment {
  std::uint64_t clock;
  std::uint64_t ns;
};

__device__ inline std::uint64_t read_clock() {
  std::uint64_t cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

__device__ inline std::uint64_t read_nanoseconds() {
  std::uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__device__ inline unsigned sm_number() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

__device__ inline unsigned lane_number() { return threadIdx.x % 32; }

// All words of a loaded value in one.
__device__ inline unsigned folded(unsigned value) { return value; }
__device__ inline unsigned folded(const uint2& value) { return value.x ^ value.y; }
__device__ inline unsigned folded(const uint4& value) {
  return value.x ^ value.y ^ value.z ^ value.w;
}

/// All warps of the block start together.
__device__ inline DeviceMoment begin_timing() {
  __syncthreads();
  const std::uint64_t ns = read_nanoseconds();
  return {read_clock(), ns};
}

/// A store that never happens but might, so that `value` has to be there first.
__device__ inline void keep(unsigned value, void* data) {
  constexpr unsigned unlikely = 0x9e3779b9U;
  if (value == unlikely) {
    *static_cast<unsigned*>(data) = value;
  }
}

/// Everything that `keep` waited for is done before the last warp's stamp.
__device__ inline void end_timing(const DeviceMoment& begin, WarpStamp* stamps) {
  __syncthreads();
  const std::uint64_t clock = read_clock();
  const std::uint64_t ns = read_nanoseconds();
  if (lane_number() == 0) {
    stamps[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {begin.clock, clock, begin.ns, ns,
                                                            sm_number()};
  }
}

/// The name and address of a device function; the name is as short as a demangler gives it.
#define PERFMODEL_MICROBENCH_CODE(...) \
  DeviceFunction { #__VA_ARGS__, reinterpret_cast<const void*>(&__VA_ARGS__) }

}  // namespace perfmodel::kernels
