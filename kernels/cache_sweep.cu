// Reads a buffer once. Overwriting it would leave L2 full of modified lines, and their write-back
// would be counted as DRAM traffic of the kernel that comes next.

#include <cstddef>

#include "kernels/cache_sweep.hpp"

namespace perfmodel::kernels {

__global__ void cache_sweep(const uint4* __restrict__ data, std::size_t count, unsigned* sink) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  unsigned sum = 0;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 value = __ldcg(data + i);
    sum += value.x ^ value.y ^ value.z ^ value.w;
  }
  constexpr unsigned improbable = 0x5bd1e995U;
  if (sum == improbable) {
    *sink = sum;
  }
}

const void* cache_sweep_code() { return reinterpret_cast<const void*>(&cache_sweep); }

}  // namespace perfmodel::kernels
