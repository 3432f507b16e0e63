// Shared memory: what a warp instruction costs the SM by width and by lane stride (extent unused,
// stride in bytes from lane to lane, at most 128). Sixteen warps' worth of lines are touched in
// turn; shifting all lanes by a line changes no bank.

#include "kernels/microbench/device.cuh"
#include "kernels/microbench/device_code.hpp"

namespace perfmodel::kernels {
namespace {

constexpr int shared_places = 16;
constexpr int shared_place_bytes = 512;
constexpr int shared_bytes = shared_places * shared_place_bytes + 31 * 128;

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void load(unsigned& value, unsigned address) {
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
}
__device__ void load(uint2& value, unsigned address) {
  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
               : "=r"(value.x), "=r"(value.y)
               : "r"(address));
}
__device__ void load(uint4& value, unsigned address) {
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "r"(address));
}

__device__ void store(unsigned address, unsigned value) {
  asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value));
}
__device__ void store(unsigned address, const uint2& value) {
  asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(value.x),
               "r"(value.y));
}
__device__ void store(unsigned address, const uint4& value) {
  asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value.x),
               "r"(value.y), "r"(value.z), "r"(value.w));
}

__device__ void fill(unsigned& value, unsigned with) { value = with; }
__device__ void fill(uint2& value, unsigned with) { value = {with, with + 1}; }
__device__ void fill(uint4& value, unsigned with) { value = {with, with + 1, with + 2, with + 3}; }

}  // namespace

template <class Value>
__global__ void __launch_bounds__(1024) shared_load(void* data, WarpStamp* stamps, unsigned repeats,
                                                    unsigned /*extent*/, unsigned stride) {
  __shared__ __align__(16) unsigned char memory[shared_bytes];
  for (unsigned i = threadIdx.x; i < shared_bytes / 4; i += blockDim.x) {
    reinterpret_cast<unsigned*>(memory)[i] = i;
  }
  constexpr int together = 32 / static_cast<int>(sizeof(Value) / 4) / 2;  // 16 registers of results
  const unsigned address = shared_address(memory) + lane_number() * stride;
  unsigned sum = 0;
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < access_unroll; k += together) {
      Value values[together];
#pragma unroll
      for (int i = 0; i < together; ++i) {
        load(values[i], address + (k + i) % shared_places * shared_place_bytes);
      }
#pragma unroll
      for (int i = 0; i < together; ++i) {
        sum ^= folded(values[i]);
      }
    }
  }
  keep(sum, data);
  end_timing(begin, stamps);
}

/// All warps write the same places; which of them wins does not matter.
template <class Value>
__global__ void __launch_bounds__(1024)
    shared_store(void* data, WarpStamp* stamps, unsigned repeats, unsigned /*extent*/,
                 unsigned stride) {
  __shared__ __align__(16) unsigned char memory[shared_bytes];
  const unsigned address = shared_address(memory) + lane_number() * stride;
  Value value;
  fill(value, threadIdx.x);
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < access_unroll; ++k) {
      store(address + k % shared_places * shared_place_bytes, value);
    }
  }
  // In order behind the warp's stores.
  unsigned last = 0;
  load(last, address);
  keep(last, data);
  end_timing(begin, stamps);
}

/// One chain of loads of a warp; every word holds its own address.
__global__ void shared_chase(void* data, WarpStamp* stamps, unsigned repeats, unsigned /*extent*/,
                             unsigned /*stride*/) {
  __shared__ unsigned memory[32];
  unsigned address = shared_address(&memory[lane_number()]);
  memory[lane_number()] = address;
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < chase_unroll; ++k) {
      asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(address));
    }
  }
  keep(address, data);
  end_timing(begin, stamps);
}

std::vector<DeviceFunction> shared_memory_functions() {
  return {
      PERFMODEL_MICROBENCH_CODE(shared_load<unsigned int>),
      PERFMODEL_MICROBENCH_CODE(shared_load<uint2>),
      PERFMODEL_MICROBENCH_CODE(shared_load<uint4>),
      PERFMODEL_MICROBENCH_CODE(shared_store<unsigned int>),
      PERFMODEL_MICROBENCH_CODE(shared_store<uint2>),
      PERFMODEL_MICROBENCH_CODE(shared_store<uint4>),
      PERFMODEL_MICROBENCH_CODE(shared_chase),
  };
}

}  // namespace perfmodel::kernels
