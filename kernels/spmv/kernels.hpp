#pragma once

#include <span>

#include "kernels/kernel.hpp"

namespace perfmodel::kernels {

/// y = A x in fp32 for a sparse A. A problem's shape names rows, columns, nnz and width (the
/// longest row); where columns is missing, A is square. Inputs "row_pointers", "columns", "values"
/// (CSR), "ell_columns", "ell_values" (ELL) and "x". Output y.
std::span<const Kernel> spmv_kernels();

}  // namespace perfmodel::kernels
