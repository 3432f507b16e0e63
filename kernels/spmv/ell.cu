// spmv-ell: every row padded to the longest, stored slot by slot, so that the lanes of a warp read
// consecutive columns and values; only x is still gathered, and padding costs bytes.
// spmv-ell4: the same with four rows a thread and one 16-byte load for four columns or values.

#include <cstddef>

#include "kernels/spmv/device_code.hpp"
#include "kernels/spmv/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(spmv_block)
    spmv_ell(const int* __restrict__ columns, const float* __restrict__ values,
             const float* __restrict__ x, float* __restrict__ y, int rows, int width) {
  const int row = static_cast<int>(blockIdx.x) * spmv_block + static_cast<int>(threadIdx.x);
  if (row >= rows) {
    return;
  }
  float sum = 0;
  for (int slot = 0; slot < width; ++slot) {
    const std::size_t place = std::size_t(slot) * rows + row;
    sum += values[place] * x[columns[place]];
  }
  y[row] = sum;
}

__global__ void __launch_bounds__(spmv_block)
    spmv_ell4(const int* __restrict__ columns, const float* __restrict__ values,
              const float* __restrict__ x, float* __restrict__ y, int rows, int width) {
  const int thread = static_cast<int>(blockIdx.x) * spmv_block + static_cast<int>(threadIdx.x);
  const int row = thread * spmv_thread_rows;
  if (row >= rows) {
    return;
  }
  float4 sum = make_float4(0, 0, 0, 0);
  for (int slot = 0; slot < width; ++slot) {
    const std::size_t place = std::size_t(slot) * rows + row;
    const int4 column = *reinterpret_cast<const int4*>(columns + place);
    const float4 value = *reinterpret_cast<const float4*>(values + place);
    sum.x += value.x * x[column.x];
    sum.y += value.y * x[column.y];
    sum.z += value.z * x[column.z];
    sum.w += value.w * x[column.w];
  }
  *reinterpret_cast<float4*>(y + row) = sum;
}

const void* spmv_ell_code() { return reinterpret_cast<const void*>(&spmv_ell); }

const void* spmv_ell4_code() { return reinterpret_cast<const void*>(&spmv_ell4); }

}  // namespace perfmodel::kernels
