// Atomic additions without a result, by how many lanes and warps meet at an address, and with one.

#include "kernels/microbench/device.cuh"
#include "kernels/microbench/device_code.hpp"

namespace perfmodel::kernels {

/// Lanes `stride` bytes apart, at most 4; all warps of a block at the same words.
__global__ void __launch_bounds__(1024)
    shared_atomic(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                  unsigned stride) {
  __shared__ unsigned memory[32];
  memory[lane_number()] = 0;
  const unsigned address =
      static_cast<unsigned>(__cvta_generic_to_shared(memory)) + lane_number() * stride;
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < access_unroll; ++k) {
      asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address), "r"(extent) : "memory");
    }
  }
  unsigned last = 0;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(last) : "r"(address));
  keep(last, data);
  end_timing(begin, stamps);
}

/// Lanes `stride` and warps `extent` bytes apart. Nothing waits for the additions; the end of the
/// kernel does.
__global__ void __launch_bounds__(1024)
    global_atomic(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                  unsigned stride) {
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  char* const address = static_cast<char*>(data) + warp * extent + lane_number() * stride;
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < access_unroll; ++k) {
      asm volatile("red.global.add.u32 [%0], %1;" ::"l"(address), "r"(r) : "memory");
    }
  }
  end_timing(begin, stamps);
}

__global__ void shared_atomic_latency(void* data, WarpStamp* stamps, unsigned repeats,
                                      unsigned extent, unsigned /*stride*/) {
  __shared__ unsigned memory[32];
  memory[lane_number()] = 0;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&memory[lane_number()]));
  unsigned value = extent;
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < chase_unroll; ++k) {
      asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(value) : "r"(address) : "memory");
    }
  }
  keep(value, data);
  end_timing(begin, stamps);
}

__global__ void global_atomic_latency(void* data, WarpStamp* stamps, unsigned repeats,
                                      unsigned extent, unsigned /*stride*/) {
  char* const address = static_cast<char*>(data) + lane_number() * 4;
  unsigned value = extent;
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < chase_unroll; ++k) {
      asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(value) : "l"(address) : "memory");
    }
  }
  keep(value, data);
  end_timing(begin, stamps);
}

std::vector<DeviceFunction> atomic_functions() {
  return {
      PERFMODEL_MICROBENCH_CODE(shared_atomic),
      PERFMODEL_MICROBENCH_CODE(global_atomic),
      PERFMODEL_MICROBENCH_CODE(shared_atomic_latency),
      PERFMODEL_MICROBENCH_CODE(global_atomic_latency),
  };
}

}  // namespace perfmodel::kernels
