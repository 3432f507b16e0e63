// gemv-col: A column-major, four rows a thread. A warp reads 512 consecutive bytes of a column with
// one float4 per lane, and one element of x, a broadcast, serves four FMAs. gemv-col-shared: the
// same with x copied to shared memory first.

#include <cstddef>

#include "kernels/gemv/device_code.hpp"
#include "kernels/gemv/tiles.hpp"

namespace perfmodel::kernels {
namespace {

/// Four consecutive rows of A times x, for the rows from `first_row`, which the pitch covers.
__device__ __forceinline__ void four_rows(const float* __restrict__ a, const float* x,
                                          float* __restrict__ y, int m, int n, int first_row) {
  // gemv_pitch(m), which device code cannot call.
  const int pitch = (m + gemv_thread_rows - 1) / gemv_thread_rows * gemv_thread_rows;
  const float* column = a + first_row;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int i = 0; i < n; ++i) {
    const float4 left = *reinterpret_cast<const float4*>(column + std::size_t(i) * pitch);
    const float right = x[i];
    sum.x += left.x * right;
    sum.y += left.y * right;
    sum.z += left.z * right;
    sum.w += left.w * right;
  }
  const float sums[gemv_thread_rows] = {sum.x, sum.y, sum.z, sum.w};
#pragma unroll
  for (int r = 0; r < gemv_thread_rows; ++r) {
    if (first_row + r < m) {
      y[first_row + r] = sums[r];
    }
  }
}

__device__ __forceinline__ int first_row_of_thread() {
  return (static_cast<int>(blockIdx.x) * gemv_block + static_cast<int>(threadIdx.x)) *
         gemv_thread_rows;
}

}  // namespace

__global__ void __launch_bounds__(gemv_block)
    gemv_col(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
             int n) {
  const int first_row = first_row_of_thread();
  if (first_row < m) {
    four_rows(a, x, y, m, n, first_row);
  }
}

__global__ void __launch_bounds__(gemv_block)
    gemv_col_shared(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y,
                    int m, int n) {
  extern __shared__ float x_shared[];
  for (int i = static_cast<int>(threadIdx.x); i < n; i += gemv_block) {
    x_shared[i] = x[i];
  }
  __syncthreads();
  const int first_row = first_row_of_thread();
  if (first_row < m) {
    four_rows(a, x_shared, y, m, n, first_row);
  }
}

const void* gemv_col_code() { return reinterpret_cast<const void*>(&gemv_col); }

const void* gemv_col_shared_code() { return reinterpret_cast<const void*>(&gemv_col_shared); }

}  // namespace perfmodel::kernels
