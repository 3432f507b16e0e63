#pragma once

#include <memory>

#include "kernels/problem.hpp"

namespace perfmodel::kernels {

/// y[m] = A[m x n] x[n]. `shape` names m, n >= 0. Inputs "A", "A_columns" (see `gemv_kernels`) and
/// "x". Throws Error when bytes or FLOPs overflow 64 bits.
std::unique_ptr<Problem> make_gemv_problem(const Shape& shape);

}  // namespace perfmodel::kernels
