#pragma once

namespace perfmodel::kernels {

inline constexpr int spmv_block = 256;
inline constexpr int spmv_thread_rows = 4;  ///< spmv-ell4: one float4 of a slot

}  // namespace perfmodel::kernels
