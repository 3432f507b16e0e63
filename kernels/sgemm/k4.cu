// K4: eight consecutive rows per thread. One distinct read of B serves eight FMAs (dist 1 to 1/8);
// each FMA still has a broadcast read of A of its own. Bytes stay those of K3.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(ladder_tile* ladder_block_y)
    sgemm_k4(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
             int n, int k) {
  __shared__ float a_tile[ladder_tile][ladder_tile];
  __shared__ float b_tile[ladder_tile][ladder_tile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * ladder_tile;
  const int column = static_cast<int>(blockIdx.x) * ladder_tile + tx;

  float sum[ladder_thread_rows] = {};
  for (int stage = 0; stage < k; stage += ladder_tile) {
#pragma unroll
    for (int line = 0; line < ladder_tile; line += ladder_block_y) {
      const int row = first_row + line + ty;
      const bool a_inside = row < m && stage + tx < k;
      const bool b_inside = stage + line + ty < k && column < n;
      a_tile[line + ty][tx] = a_inside ? a[std::size_t(row) * k + stage + tx] : 0.0F;
      b_tile[line + ty][tx] = b_inside ? b[std::size_t(stage + line + ty) * n + column] : 0.0F;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ladder_tile; ++i) {
      const float right = b_tile[i][tx];
#pragma unroll
      for (int r = 0; r < ladder_thread_rows; ++r) {
        sum[r] += a_tile[ty * ladder_thread_rows + r][i] * right;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < ladder_thread_rows; ++r) {
    const int row = first_row + ty * ladder_thread_rows + r;
    if (row < m && column < n) {
      c[std::size_t(row) * n + column] = sum[r];
    }
  }
}

const void* k4_code() { return reinterpret_cast<const void*>(&sgemm_k4); }

}  // namespace perfmodel::kernels
