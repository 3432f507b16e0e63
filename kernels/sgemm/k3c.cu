// K3c: K3 coarsened along n. One tile of A serves four tiles of B, one after the other, so the byte
// ledger falls again (1028 to 644 bytes per output at 4096); the inner loop, and with it the shared
// reads per FMA, is that of K3. It shows that bytes are not what K3 waits for.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(ladder_tile* ladder_tile)
    sgemm_k3c(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
              int m, int n, int k) {
  __shared__ float a_tile[ladder_tile][ladder_tile];
  __shared__ float b_tile[ladder_tile][ladder_tile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * ladder_tile + ty;
  const int first_column = static_cast<int>(blockIdx.x) * ladder_wide_tile + tx;

  float sum[ladder_thread_columns] = {};
  for (int stage = 0; stage < k; stage += ladder_tile) {
    const bool a_inside = row < m && stage + tx < k;
    a_tile[ty][tx] = a_inside ? a[std::size_t(row) * k + stage + tx] : 0.0F;
#pragma unroll
    for (int part = 0; part < ladder_thread_columns; ++part) {
      const int column = first_column + part * ladder_tile;
      const bool b_inside = stage + ty < k && column < n;
      b_tile[ty][tx] = b_inside ? b[std::size_t(stage + ty) * n + column] : 0.0F;
      __syncthreads();
#pragma unroll
      for (int i = 0; i < ladder_tile; ++i) {
        sum[part] += a_tile[ty][i] * b_tile[i][tx];
      }
      __syncthreads();
    }
  }
#pragma unroll
  for (int part = 0; part < ladder_thread_columns; ++part) {
    const int column = first_column + part * ladder_tile;
    if (row < m && column < n) {
      c[std::size_t(row) * n + column] = sum[part];
    }
  }
}

const void* k3c_code() { return reinterpret_cast<const void*>(&sgemm_k3c); }

}  // namespace perfmodel::kernels
