#pragma once

#include <filesystem>
#include <string_view>

#include "kernels/spmv/matrix.hpp"

namespace perfmodel::kernels {

/// Reads a Matrix Market file: `matrix coordinate`, values `real`, `integer` or `pattern` (each 1),
/// `general`, `symmetric` or `skew-symmetric` (stored triangle mirrored). Throws Error with
/// file:line on anything else, on indices outside the matrix, repeated positions, values that a
/// float cannot hold, or a wrong number of entries. Memory stays in proportion to the file's size,
/// whatever its header claims.
CsrMatrix read_matrix_market(const std::filesystem::path& path);

/// The same for text already in memory; `name` stands for the file in messages.
CsrMatrix parse_matrix_market(std::string_view text, std::string_view name);

}  // namespace perfmodel::kernels
