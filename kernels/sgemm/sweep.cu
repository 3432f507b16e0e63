// The design space of K4: block_y x 32 threads, `coarsen` consecutive rows per thread, stages `tk`
// deep, for an output tile of (block_y * coarsen) x 32. One distinct read of B serves `coarsen`
// FMAs.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

template <int block_y, int tk, int coarsen>
__global__ void __launch_bounds__(sweep_columns* block_y)
    sgemm_sweep(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                int m, int n, int k) {
  constexpr int rows = block_y * coarsen;
  constexpr int threads = sweep_columns * block_y;
  __shared__ float a_tile[rows][tk];
  __shared__ float b_tile[tk][sweep_columns];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int thread = ty * sweep_columns + tx;
  const int first_row = static_cast<int>(blockIdx.y) * rows;
  const int first_column = static_cast<int>(blockIdx.x) * sweep_columns;

  float sum[coarsen] = {};
  for (int stage = 0; stage < k; stage += tk) {
    for (int i = thread; i < rows * tk; i += threads) {
      const int row = first_row + i / tk;
      const int inner = stage + i % tk;
      a_tile[i / tk][i % tk] = row < m && inner < k ? a[std::size_t(row) * k + inner] : 0.0F;
    }
    for (int i = thread; i < tk * sweep_columns; i += threads) {
      const int inner = stage + i / sweep_columns;
      const int column = first_column + i % sweep_columns;
      b_tile[i / sweep_columns][i % sweep_columns] =
          inner < k && column < n ? b[std::size_t(inner) * n + column] : 0.0F;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tk; ++i) {
      const float right = b_tile[i][tx];
#pragma unroll
      for (int r = 0; r < coarsen; ++r) {
        sum[r] += a_tile[ty * coarsen + r][i] * right;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < coarsen; ++r) {
    const int row = first_row + ty * coarsen + r;
    if (row < m && first_column + tx < n) {
      c[std::size_t(row) * n + first_column + tx] = sum[r];
    }
  }
}

namespace {

template <int block_y, int tk>
const void* with_coarsen(int coarsen) {
  switch (coarsen) {
    case 1:
      return reinterpret_cast<const void*>(&sgemm_sweep<block_y, tk, 1>);
    case 2:
      return reinterpret_cast<const void*>(&sgemm_sweep<block_y, tk, 2>);
    case 4:
      return reinterpret_cast<const void*>(&sgemm_sweep<block_y, tk, 4>);
    default:
      return nullptr;
  }
}

template <int block_y>
const void* with_depth(int tk, int coarsen) {
  switch (tk) {
    case 8:
      return with_coarsen<block_y, 8>(coarsen);
    case 16:
      return with_coarsen<block_y, 16>(coarsen);
    case 32:
      return with_coarsen<block_y, 32>(coarsen);
    default:
      return nullptr;
  }
}

}  // namespace

const void* sweep_code(int block, int tk, int coarsen) {
  switch (block) {
    case 128:
      return with_depth<128 / sweep_columns>(tk, coarsen);
    case 256:
      return with_depth<256 / sweep_columns>(tk, coarsen);
    case 512:
      return with_depth<512 / sweep_columns>(tk, coarsen);
    default:
      return nullptr;
  }
}

}  // namespace perfmodel::kernels
