// K5: eight rows by four columns per thread. Eight broadcast and four distinct reads feed 32 FMAs:
// bcast falls from 1 to 1/4, dist stays 1/8, and the 32 x 128 block tile brings the bytes of K3c.
//
// A is kept transposed so that the eight rows of a thread lie side by side. A warp then stores one
// row of A down a column of the tile: with the plain pitch of 32 all 32 lanes hit one bank
// (K5-unpadded, kept to show what that costs), with a pitch of 33 each hits its own (K5). The odd
// pitch in turn spoils the 16-byte alignment that lets the compiler merge every four reads of A.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

template <int pitch>
__global__ void __launch_bounds__(ladder_tile* ladder_block_y)
    sgemm_k5(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
             int n, int k) {
  __shared__ float a_tile[ladder_tile][pitch];  // [k][row]
  __shared__ float b_tile[ladder_tile][ladder_wide_tile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int first_row = static_cast<int>(blockIdx.y) * ladder_tile;
  const int first_column = static_cast<int>(blockIdx.x) * ladder_wide_tile + tx;

  float sum[ladder_thread_rows][ladder_thread_columns] = {};
  for (int stage = 0; stage < k; stage += ladder_tile) {
#pragma unroll
    for (int line = 0; line < ladder_tile; line += ladder_block_y) {
      const int row = first_row + line + ty;
      const bool a_inside = row < m && stage + tx < k;
      a_tile[tx][line + ty] = a_inside ? a[std::size_t(row) * k + stage + tx] : 0.0F;
#pragma unroll
      for (int part = 0; part < ladder_thread_columns; ++part) {
        const int column = first_column + part * ladder_tile;
        const bool b_inside = stage + line + ty < k && column < n;
        b_tile[line + ty][tx + part * ladder_tile] =
            b_inside ? b[std::size_t(stage + line + ty) * n + column] : 0.0F;
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ladder_tile; ++i) {
      float left[ladder_thread_rows];
      float right[ladder_thread_columns];
#pragma unroll
      for (int r = 0; r < ladder_thread_rows; ++r) {
        left[r] = a_tile[i][ty * ladder_thread_rows + r];
      }
#pragma unroll
      for (int part = 0; part < ladder_thread_columns; ++part) {
        right[part] = b_tile[i][tx + part * ladder_tile];
      }
#pragma unroll
      for (int r = 0; r < ladder_thread_rows; ++r) {
#pragma unroll
        for (int part = 0; part < ladder_thread_columns; ++part) {
          sum[r][part] += left[r] * right[part];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < ladder_thread_rows; ++r) {
    const int row = first_row + ty * ladder_thread_rows + r;
#pragma unroll
    for (int part = 0; part < ladder_thread_columns; ++part) {
      const int column = first_column + part * ladder_tile;
      if (row < m && column < n) {
        c[std::size_t(row) * n + column] = sum[r][part];
      }
    }
  }
}

const void* k5_code() { return reinterpret_cast<const void*>(&sgemm_k5<ladder_tile + 1>); }

const void* k5_unpadded_code() { return reinterpret_cast<const void*>(&sgemm_k5<ladder_tile>); }

}  // namespace perfmodel::kernels
