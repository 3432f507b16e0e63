// Barriers, branches and launches.

#include "kernels/microbench/device.cuh"
#include "kernels/microbench/device_code.hpp"

namespace perfmodel::kernels {
namespace {

constexpr int side = 16;  // dependent FMAs on each side of a branch

template <int count>
__device__ void chain(float& x, float b, float c) {
#pragma unroll
  for (int k = 0; k < count; ++k) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(b), "f"(c));
  }
}

/// The compiler cannot know that this is `value`, so it tests it again in every iteration.
__device__ unsigned opaque(unsigned value) {
  unsigned copy;
  asm volatile("mov.u32 %0, %1;" : "=r"(copy) : "r"(value));
  return copy;
}

__device__ void write_phase(WarpStamp* stamps, int phase, std::uint64_t begin, std::uint64_t end) {
  if (threadIdx.x == 0) {
    stamps[phase] = {begin, end, 0, 0, sm_number()};
  }
}

}  // namespace

__global__ void __launch_bounds__(1024)
    barriers(void* /*data*/, WarpStamp* stamps, unsigned repeats, unsigned /*extent*/,
             unsigned /*stride*/) {
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < access_unroll; ++k) {
      asm volatile("bar.sync 0;" ::: "memory");
    }
  }
  end_timing(begin, stamps);
}

/// One warp, five phases: loops around 32 and around 16 dependent FMAs, then a branch between two
/// sides of 16 that all lanes take, that none takes, and that half of them take.
__global__ void branches(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                         unsigned stride) {
  auto x = static_cast<float>(threadIdx.x);
  const auto b = static_cast<float>(extent);
  const auto c = static_cast<float>(stride);
  std::uint64_t begin = read_clock();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
    chain<2 * side>(x, b, c);
  }
  write_phase(stamps, 0, begin, read_clock());
  begin = read_clock();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
    chain<side>(x, b, c);
  }
  write_phase(stamps, 1, begin, read_clock());
#pragma unroll 1
  for (int phase = 2; phase < branch_phases; ++phase) {
    const unsigned mask = phase == 4 ? 1 : 0;
    const unsigned value = phase == 3 ? 1 : 0;
    const unsigned taken = (threadIdx.x & mask) == value ? 1 : 0;
    begin = read_clock();
#pragma unroll 1
    for (unsigned r = 0; r < repeats; ++r) {
      if (opaque(taken) != 0) {
        chain<side>(x, b, c);
      } else {
        chain<side>(x, c, b);
      }
      __syncwarp();
    }
    write_phase(stamps, phase, begin, read_clock());
  }
  keep(__float_as_uint(x), data);
}

__global__ void __launch_bounds__(1024)
    nothing(void* /*data*/, WarpStamp* /*stamps*/, unsigned /*repeats*/, unsigned /*extent*/,
            unsigned /*stride*/) {}

std::vector<DeviceFunction> control_functions() {
  return {
      PERFMODEL_MICROBENCH_CODE(barriers),
      PERFMODEL_MICROBENCH_CODE(branches),
      PERFMODEL_MICROBENCH_CODE(nothing),
  };
}

}  // namespace perfmodel::kernels
