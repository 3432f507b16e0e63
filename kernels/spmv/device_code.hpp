#pragma once

namespace perfmodel::kernels {

// The device functions as the CUDA runtime takes them.

/// (const int* row_pointers, const int* columns, const float* values, const float* x, float* y,
///  int rows)
const void* spmv_csr_code();

/// Both: (const int* columns, const float* values, const float* x, float* y, int rows, int width),
/// slot e of row r at e * rows + r; spmv-ell4 needs rows % 4 == 0.
const void* spmv_ell_code();
const void* spmv_ell4_code();

}  // namespace perfmodel::kernels
