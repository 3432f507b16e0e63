// K6: K5 with float4. Per step in k one distinct read of B and two broadcast reads of A feed 32
// FMAs (dist 1/32, bcast 1/16), and global accesses are float4 too (ldg a quarter of K5); the bytes
// are those of K5. n and k must be multiples of 4 so that every float4 is aligned and wholly
// inside.
//
// Reads of A as float4 need four rows side by side and aligned, which rules out the odd pitch of
// K5. Instead the groups of four rows are permuted: group g of step k lies at g ^ (k / 4 % 8). The
// eight lanes that hold one row of A then store to eight different groups, the four rows of a
// warp to four different places in them: 32 banks, no conflict.

#include <cstddef>

#include "kernels/sgemm/device_code.hpp"
#include "kernels/sgemm/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(ladder_tile* ladder_block_y)
    sgemm_k6(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
             int n, int k) {
  constexpr int threads = ladder_tile * ladder_block_y;
  constexpr int a_quads = ladder_tile / 4;                          // float4s in a row of the tile
  constexpr int a_rows = threads / a_quads;                         // rows that one load covers
  constexpr int a_loads = ladder_tile / a_rows;                     // per thread and stage
  constexpr int b_loads = ladder_tile / ladder_block_y;             // per thread and stage
  __shared__ __align__(16) float a_tile[ladder_tile][ladder_tile];  // [k][permuted row]
  __shared__ __align__(16) float b_tile[ladder_tile][ladder_wide_tile];
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int thread = ty * ladder_tile + tx;
  const int first_row = static_cast<int>(blockIdx.y) * ladder_tile;
  const int column = static_cast<int>(blockIdx.x) * ladder_wide_tile + 4 * tx;
  const int a_quad = thread % a_quads;
  const int a_row = thread / a_quads;
  const bool column_inside = column < n;
  const std::size_t a_stride = std::size_t(a_rows) * k;          // from one load to the next
  const std::size_t b_stride = std::size_t(ladder_block_y) * n;  // likewise
  std::size_t a_at = std::size_t(first_row + a_row) * k + 4 * a_quad;
  std::size_t b_at = std::size_t(ty) * n + column;

  float sum[ladder_thread_rows][4] = {};
  for (int stage = 0; stage < k; stage += ladder_tile) {
    // Loads first, stores afterwards, so that the compiler can keep several loads in flight.
    float4 a_next[a_loads];
    float4 b_next[b_loads];
#pragma unroll
    for (int i = 0; i < a_loads; ++i) {
      const bool inside = first_row + a_row + i * a_rows < m && stage + 4 * a_quad < k;
      a_next[i] = inside ? *reinterpret_cast<const float4*>(a + (a_at + i * a_stride))
                         : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int i = 0; i < b_loads; ++i) {
      const bool inside = stage + ty + i * ladder_block_y < k && column_inside;
      b_next[i] = inside ? *reinterpret_cast<const float4*>(b + (b_at + i * b_stride))
                         : make_float4(0, 0, 0, 0);
    }
    a_at += ladder_tile;
    b_at += b_loads * b_stride;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < a_loads; ++i) {
      const int row = a_row + i * a_rows;
      const int place = ((row / 4) ^ a_quad) * 4 + row % 4;
      a_tile[4 * a_quad + 0][place] = a_next[i].x;
      a_tile[4 * a_quad + 1][place] = a_next[i].y;
      a_tile[4 * a_quad + 2][place] = a_next[i].z;
      a_tile[4 * a_quad + 3][place] = a_next[i].w;
    }
#pragma unroll
    for (int i = 0; i < b_loads; ++i) {
      *reinterpret_cast<float4*>(&b_tile[ty + i * ladder_block_y][4 * tx]) = b_next[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ladder_tile; ++i) {
      // A thread's rows are groups 2 ty and 2 ty + 1; permuted they stay a pair, in either order.
      const float* const pair = &a_tile[i][(ty ^ (i / 8)) * ladder_thread_rows];
      const int swap = i / 4 % 2 * 4;
      const float4 low = *reinterpret_cast<const float4*>(pair + swap);
      const float4 high = *reinterpret_cast<const float4*>(pair + (4 - swap));
      const float4 right = *reinterpret_cast<const float4*>(&b_tile[i][4 * tx]);
      const float left[ladder_thread_rows] = {low.x,  low.y,  low.z,  low.w,
                                              high.x, high.y, high.z, high.w};
#pragma unroll
      for (int r = 0; r < ladder_thread_rows; ++r) {
        sum[r][0] += left[r] * right.x;
        sum[r][1] += left[r] * right.y;
        sum[r][2] += left[r] * right.z;
        sum[r][3] += left[r] * right.w;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < ladder_thread_rows; ++r) {
    const int row = first_row + ty * ladder_thread_rows + r;
    if (row < m && column_inside) {
      *reinterpret_cast<float4*>(c + std::size_t(row) * n + column) =
          make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
    }
  }
}

const void* k6_code() { return reinterpret_cast<const void*>(&sgemm_k6); }

}  // namespace perfmodel::kernels
