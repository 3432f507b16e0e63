#pragma once

#include <span>

#include "kernels/kernel.hpp"

namespace perfmodel::kernels {

/// y[m] = A[m x n] x[n] in fp32. Input "A" is row-major; "A_columns" holds the same matrix column
/// by column, each padded with zeros to `gemv_pitch(m)` rows. Output y.
std::span<const Kernel> gemv_kernels();

}  // namespace perfmodel::kernels
