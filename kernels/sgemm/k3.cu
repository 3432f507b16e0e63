// K3: 32 x 32 tiles of A and B in shared memory. The byte ledger falls 32-fold and global loads all
// but vanish from the load count, but every FMA still pays two loads: one distinct, one broadcast,
// from shared memory instead.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(ladder_tile* ladder_tile)
    sgemm_k3(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
             int n, int k) {
  __shared__ float a_tile[ladder_tile][ladder_tile];
  __shared__ float b_tile[ladder_tile][ladder_tile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * ladder_tile + ty;
  const int column = static_cast<int>(blockIdx.x) * ladder_tile + tx;

  float sum = 0;
  for (int stage = 0; stage < k; stage += ladder_tile) {
    const bool a_inside = row < m && stage + tx < k;
    const bool b_inside = stage + ty < k && column < n;
    a_tile[ty][tx] = a_inside ? a[std::size_t(row) * k + stage + tx] : 0.0F;
    b_tile[ty][tx] = b_inside ? b[std::size_t(stage + ty) * n + column] : 0.0F;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ladder_tile; ++i) {
      sum += a_tile[ty][i] * b_tile[i][tx];
    }
    __syncthreads();
  }
  if (row < m && column < n) {
    c[std::size_t(row) * n + column] = sum;
  }
}

const void* k3_code() { return reinterpret_cast<const void*>(&sgemm_k3); }

}  // namespace perfmodel::kernels
