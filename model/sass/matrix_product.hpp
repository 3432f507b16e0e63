#pragma once

#include <optional>
#include <string_view>

namespace perfmodel::sass {

/// What one execution of a tensor-core instruction multiplies.
struct MatrixProduct {
  std::string_view data_type;  ///< of both factors: "fp16", "bf16", "tf32", "fp64", "fp8"
  double fmas = 0;             ///< multiply-adds of one warp
};

/// By the full opcode: "HMMA.16816.F32.BF16" is 16 x 8 x 16 multiply-adds of bf16. A product of a
/// whole warpgroup (HGMMA) counts a quarter for each of its four warps. Nothing for what is no
/// product, and for products of integers, sparse ones, and those whose opcode does not tell their
/// size or type (UTCHMMA).
std::optional<MatrixProduct> matrix_product(std::string_view opcode);

/// Whether the opcode is a product of matrices, of any type and size.
bool is_matrix_product(std::string_view opcode);

}  // namespace perfmodel::sass
