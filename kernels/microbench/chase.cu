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

/// The loads of a chase that are not timed: once around a small ring, so that it is in the cache.
template <class Path>
__device__ void lead_in(std::uint64_t& pointer, void* data) {
#pragma unroll 1
  for (int i = 0; i < chase_unroll; ++i) {
    Path::follow(pointer);
  }
  keep(static_cast<unsigned>(pointer), data);
}

/// A shared store of `value`, which waits until it is there.
__device__ void wait_for(std::uint64_t value, unsigned shared_address) {
  asm volatile("st.volatile.shared.u64 [%0], %1;" ::"r"(shared_address), "l"(value) : "memory");
}

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
  lead_in<Path>(pointer, data);
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

/// One lane follows the ring as in global_chase<PastL1> and times every load by itself: phase i has
/// the cycles of load i, of repeats * chase_unroll, with those of a clock read and of the shared
/// store that waits for the result. All lanes read the first `stride` lines before, past the L1, so
/// that the L2 holds them. The times stay in shared memory until the end: nothing but the loads is
/// on its way to the L2.
__global__ void single_load(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                            unsigned stride) {
  // 64 bits, or the compiler reads half of the clock, in a way that takes its time.
  __shared__ std::uint64_t cycles[single_loads];
  __shared__ std::uint64_t sink;
  const auto first = reinterpret_cast<std::uint64_t>(data);
#pragma unroll 1
  for (unsigned line = lane_number(); line < stride; line += 32) {
    std::uint64_t pointer = first + std::uint64_t{line} * 128;
    PastL1::follow(pointer);
    keep(static_cast<unsigned>(pointer), data);
  }
  __syncwarp();
  const unsigned loads = repeats * chase_unroll;
  if (lane_number() == 0) {
    const auto sink_address = static_cast<unsigned>(__cvta_generic_to_shared(&sink));
    std::uint64_t pointer = first + std::uint64_t{extent} * 128;
    lead_in<PastL1>(pointer, data);
    // Not unrolled: the instructions of the loop are at hand from the second load on.
#pragma unroll 1
    for (unsigned i = 0; i < loads; ++i) {
      const std::uint64_t begin = read_clock();
      PastL1::follow(pointer);
      wait_for(pointer, sink_address);
      cycles[i] = read_clock() - begin;
    }
  }
  __syncwarp();
#pragma unroll 1
  for (unsigned i = lane_number(); i < loads; i += 32) {
    stamps[i] = {0, cycles[i], 0, 0, sm_number()};
  }
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
      PERFMODEL_MICROBENCH_CODE(single_load),
      PERFMODEL_MICROBENCH_CODE(constant_chase),
  };
}

}  // namespace perfmodel::kernels
