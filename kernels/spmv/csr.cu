// spmv-csr: compressed rows, one thread a row. Neighbouring lanes read entries a row length apart
// and gather x, and a warp is as slow as its longest row.

#include "kernels/spmv/device_code.hpp"
#include "kernels/spmv/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(spmv_block)
    spmv_csr(const int* __restrict__ row_pointers, const int* __restrict__ columns,
             const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y,
             int rows) {
  const int row = static_cast<int>(blockIdx.x) * spmv_block + static_cast<int>(threadIdx.x);
  if (row >= rows) {
    return;
  }
  const int end = row_pointers[row + 1];
  float sum = 0;
  for (int i = row_pointers[row]; i < end; ++i) {
    sum += values[i] * x[columns[i]];
  }
  y[row] = sum;
}

const void* spmv_csr_code() { return reinterpret_cast<const void*>(&spmv_csr); }

}  // namespace perfmodel::kernels
