#pragma once

namespace perfmodel::kernels {

// The device functions as the CUDA runtime takes them. All have the parameters
//   (const float* a, const float* x, float* y, int m, int n)
// with A row-major for gemv-row, and column-major with a pitch of gemv_pitch(m) for the others.

const void* gemv_row_code();
const void* gemv_col_code();
const void* gemv_col_shared_code();

}  // namespace perfmodel::kernels
