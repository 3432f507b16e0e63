// gemv-row: A row-major, one thread a row. The lanes of a warp read A one row apart: 32 lines per
// load, of which 4 bytes each are used at once (the caches keep the rest, if they can).

#include <cstddef>

#include "kernels/gemv/device_code.hpp"
#include "kernels/gemv/tiles.hpp"

namespace perfmodel::kernels {

__global__ void __launch_bounds__(gemv_block)
    gemv_row(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int m,
             int n) {
  const int row = static_cast<int>(blockIdx.x) * gemv_block + static_cast<int>(threadIdx.x);
  if (row >= m) {
    return;
  }
  const float* a_row = a + std::size_t(row) * n;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a_row[i] * x[i];
  }
  y[row] = sum;
}

const void* gemv_row_code() { return reinterpret_cast<const void*>(&gemv_row); }

}  // namespace perfmodel::kernels
