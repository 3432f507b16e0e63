#pragma once

#include <memory>

#include "kernels/problem.hpp"
#include "kernels/spmv/matrix.hpp"

namespace perfmodel::kernels {

/// y = A x with x[i] = ((i mod 17) - 8) / 4. See `spmv_kernels` for its shape and inputs.
std::unique_ptr<Problem> make_spmv_problem(CsrMatrix matrix);

}  // namespace perfmodel::kernels
