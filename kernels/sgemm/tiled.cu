// The tiled product with its tile chosen at run time: a block is tile x rows threads (rows = block
// / tile), a stage `tile` deep, and both tiles share one piece of dynamic shared memory, rows x
// tile floats of A, then tile x tile of B.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(1024)
    sgemm_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                int m, int n, int k) {
  extern __shared__ float tiles[];
  const int tile = static_cast<int>(blockDim.x);
  const int rows = static_cast<int>(blockDim.y);
  float* const a_tile = tiles;
  float* const b_tile = tiles + rows * tile;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int threads = tile * rows;
  const int thread = ty * tile + tx;
  const int first_row = static_cast<int>(blockIdx.y) * rows;
  const int first_column = static_cast<int>(blockIdx.x) * tile;

  float sum = 0;
  for (int stage = 0; stage < k; stage += tile) {
    for (int i = thread; i < rows * tile; i += threads) {
      const int row = first_row + i / tile;
      const int inner = stage + i % tile;
      a_tile[i] = row < m && inner < k ? a[std::size_t(row) * k + inner] : 0.0F;
    }
    for (int i = thread; i < tile * tile; i += threads) {
      const int inner = stage + i / tile;
      const int column = first_column + i % tile;
      b_tile[i] = inner < k && column < n ? b[std::size_t(inner) * n + column] : 0.0F;
    }
    __syncthreads();
    for (int i = 0; i < tile; ++i) {
      sum += a_tile[ty * tile + i] * b_tile[i * tile + tx];
    }
    __syncthreads();
  }
  if (first_row + ty < m && first_column + tx < n) {
    c[std::size_t(first_row + ty) * n + first_column + tx] = sum;
  }
}

const void* tiled_code() { return reinterpret_cast<const void*>(&sgemm_tiled); }

}  // namespace perfmodel::kernels
