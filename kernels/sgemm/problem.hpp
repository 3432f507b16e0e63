#pragma once

#include <memory>

#include "kernels/problem.hpp"

namespace perfmodel::kernels {

/// C[m x n] = A[m x k] B[k x n], row-major. `shape` names m, n, k >= 0 and whatever parameters the
/// kernel has besides. Inputs "A" and "B". Throws Error when bytes or FLOPs overflow 64 bits.
std::unique_ptr<Problem> make_gemm_problem(const Shape& shape);

}  // namespace perfmodel::kernels
