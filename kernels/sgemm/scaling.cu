// The pair of the scaling study, 16 x 16 blocks with one output per thread: naive reads everything
// from global memory, tiled16 through 16 x 16 tiles in shared memory.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(scaling_tile* scaling_tile)
    sgemm_naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                int m, int n, int k) {
  const int row = static_cast<int>(blockIdx.y) * scaling_tile + static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * scaling_tile + static_cast<int>(threadIdx.x);
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

__global__ void __launch_bounds__(scaling_tile* scaling_tile)
    sgemm_tiled16(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                  int m, int n, int k) {
  __shared__ float a_tile[scaling_tile][scaling_tile];
  __shared__ float b_tile[scaling_tile][scaling_tile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * scaling_tile + ty;
  const int column = static_cast<int>(blockIdx.x) * scaling_tile + tx;

  float sum = 0;
  for (int stage = 0; stage < k; stage += scaling_tile) {
    const bool a_inside = row < m && stage + tx < k;
    const bool b_inside = stage + ty < k && column < n;
    a_tile[ty][tx] = a_inside ? a[std::size_t(row) * k + stage + tx] : 0.0F;
    b_tile[ty][tx] = b_inside ? b[std::size_t(stage + ty) * n + column] : 0.0F;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < scaling_tile; ++i) {
      sum += a_tile[ty][i] * b_tile[i][tx];
    }
    __syncthreads();
  }
  if (row < m && column < n) {
    c[std::size_t(row) * n + column] = sum;
  }
}

const void* naive_code() { return reinterpret_cast<const void*>(&sgemm_naive); }

const void* tiled16_code() { return reinterpret_cast<const void*>(&sgemm_tiled16); }

}  // namespace perfmodel::kernels
