// How many loads can be issued before one waits for the queue in front of the memory pipe. The
// loads are slow ones (32 bank conflicts, 32 lines), so that the queue hardly drains while it
// fills, and nothing waits for their results before the second time stamp.

#include "kernels/microbench/device.cuh"
#include "kernels/microbench/device_code.hpp"

namespace perfmodel::kernels {
namespace {

constexpr int lane_bytes = 128;
constexpr int queue_bytes = 32 * lane_bytes + 4 * queue_phases;

struct SharedQueue {
  using Address = unsigned;
  static __device__ void load(unsigned& value, unsigned address) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  }
};

struct GlobalQueue {
  using Address = std::uint64_t;
  static __device__ void load(unsigned& value, std::uint64_t address) {
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  }
};

/// Issues `count` loads between two stamps. The load before them comes back when the queue is empty
/// of what the phase before left there.
template <class Queue, int count>
__device__ void issue(typename Queue::Address address, bool takes_part, WarpStamp* stamp,
                      unsigned& sum, void* data) {
  unsigned drained;
  Queue::load(drained, address);
  keep(drained, data);
  __syncthreads();
  if (takes_part) {
    unsigned values[count];
    const std::uint64_t begin = read_clock();
#pragma unroll
    for (int i = 0; i < count; ++i) {
      Queue::load(values[i], address + 4 * i);
    }
    const std::uint64_t end = read_clock();
#pragma unroll
    for (int i = 0; i < count; ++i) {
      sum ^= values[i];
    }
    if (lane_number() == 0) {
      *stamp = {begin, end, 0, 0, sm_number()};
    }
  }
}

template <class Queue, int count>
__device__ void issue_up_to(typename Queue::Address address, bool takes_part, WarpStamp* stamps,
                            unsigned warps, unsigned warp, unsigned& sum, void* data) {
  if constexpr (count > 1) {
    issue_up_to<Queue, count - 1>(address, takes_part, stamps, warps, warp, sum, data);
  }
  issue<Queue, count>(address, takes_part, stamps + (count - 1) * warps + warp, sum, data);
}

}  // namespace

/// Every `stride`-th warp takes part, `extent` of them: with a stride of 4 those of one
/// sub-partition. The second repeat overwrites the stamps of the first, which filled the caches.
/// The bound lets the registers of sixteen warps, a quarter of which take part, fit into an SM.
template <class Queue>
__global__ void __launch_bounds__(13 * 32)
    queue_depth(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent, unsigned stride) {
  __shared__ unsigned memory[queue_bytes / 4];
  for (unsigned i = threadIdx.x; i < queue_bytes / 4; i += blockDim.x) {
    memory[i] = i;
  }
  typename Queue::Address address;
  if constexpr (sizeof(address) == 4) {
    address = static_cast<unsigned>(__cvta_generic_to_shared(memory));
  } else {
    address = reinterpret_cast<std::uint64_t>(data);
  }
  address += lane_number() * lane_bytes;
  const unsigned warp = threadIdx.x / 32;
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
    issue_up_to<Queue, queue_phases>(address, warp % stride == 0, stamps, extent, warp / stride,
                                     sum, data);
  }
  keep(sum, data);
}

std::vector<DeviceFunction> queue_functions() {
  return {
      PERFMODEL_MICROBENCH_CODE(queue_depth<SharedQueue>),
      PERFMODEL_MICROBENCH_CODE(queue_depth<GlobalQueue>),
  };
}

}  // namespace perfmodel::kernels
