#pragma once

namespace perfmodel::kernels {

inline constexpr int gemv_block = 256;
inline constexpr int gemv_thread_rows = 4;  ///< column-major kernels: one float4 of a column

/// Rows of a stored column, so that every column begins on a 16-byte boundary.
constexpr int gemv_pitch(int m) {
  return (m + gemv_thread_rows - 1) / gemv_thread_rows * gemv_thread_rows;
}

}  // namespace perfmodel::kernels
