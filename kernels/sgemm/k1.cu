// K1: where the ladder starts. One thread per output, no shared memory, and x runs down the rows:
// the 32 lanes of a warp read A one row apart each, 32 requests where one would do (request ledger
// 33 per FMA). The load-count ledger cannot see it: 2 global loads per FMA, like K2.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(ladder_tile* ladder_tile)
    sgemm_k1(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
             int n, int k) {
  const int row = static_cast<int>(blockIdx.x) * ladder_tile + static_cast<int>(threadIdx.x);
  const int column = static_cast<int>(blockIdx.y) * ladder_tile + static_cast<int>(threadIdx.y);
  if (row >= m || column >= n) {
    return;
  }
  const float* a_row = a + std::size_t(row) * k;
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    sum += a_row[i] * b[std::size_t(i) * n + column];
  }
  c[std::size_t(row) * n + column] = sum;
}

const void* k1_code() { return reinterpret_cast<const void*>(&sgemm_k1); }

}  // namespace perfmodel::kernels
