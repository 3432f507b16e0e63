// How long a load takes until its result can be used: a warp follows a ring of pointers.

#include "kernels/microbench/device.cuh"
#include "kernels/microbench/device_code.hpp"

namespace perfmodel::kernels {
namespace {

struct ThroughL1 {
  static __device__ void follow(std::uint64_t& pointer) {
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(pointer)::"memory");
  }
};

struct PastL1 {
  static __device__ void follow(std::uint64_t& pointer) {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(pointer)::"memory");
  }
};

/// Byte offsets into itself. A variable, so that the compiler has to load it.
__constant__ unsigned constant_ring[64];

}  // namespace

/// Makes a ring of `extent` nodes, a power of two, `repeats` bytes apart; each points `stride`
/// nodes further, an odd number.
__global__ void make_ring(void* data, WarpStamp* /*stamps*/, unsigned repeats, unsigned extent,
                          unsigned stride) {
  char* const base = static_cast<char*>(data);
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < extent;
       i += gridDim.x * blockDim.x) {
    const unsigned next = (i + stride) & (extent - 1);
    *reinterpret_cast<std::uint64_t*>(base + std::size_t{i} * repeats) =
        reinterpret_cast<std::uint64_t>(base + std::size_t{next} * repeats);
  }
}

/// Starts at byte extent * 128. `stride` unused.
template <class Path>
__global__ void global_chase(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                             unsigned /*stride*/) {
  auto pointer = reinterpret_cast<std::uint64_t>(data) + std::uint64_t{extent} * 128;
  // Once around a small ring before the stamp, so that it is in the cache.
#pragma unroll 1
  for (int i = 0; i < chase_unroll; ++i) {
    Path::follow(pointer);
  }
  keep(static_cast<unsigned>(pointer), data);
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < chase_unroll; ++k) {
      Path::follow(pointer);
    }
  }
  keep(static_cast<unsigned>(pointer), data);
  end_timing(begin, stamps);
}

/// The bank holds zeros, so every offset is the first.
__global__ void constant_chase(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                               unsigned /*stride*/) {
  unsigned offset = extent;
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < chase_unroll; ++k) {
      offset =
          *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(constant_ring) + offset);
    }
  }
  keep(offset, data);
  end_timing(begin, stamps);
}

std::vector<DeviceFunction> chase_functions() {
  return {
      PERFMODEL_MICROBENCH_CODE(make_ring),
      PERFMODEL_MICROBENCH_CODE(global_chase<ThroughL1>),
      PERFMODEL_MICROBENCH_CODE(global_chase<PastL1>),
      PERFMODEL_MICROBENCH_CODE(constant_chase),
  };
}

}  // namespace perfmodel::kernels
