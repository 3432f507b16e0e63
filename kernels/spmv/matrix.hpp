#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel::kernels {

/// A sparse matrix in compressed rows. Columns ascend within a row; counts fit an int.
struct CsrMatrix {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::vector<std::int32_t> row_pointers;  ///< rows + 1, from 0 to the number of entries
  std::vector<std::int32_t> entry_columns;
  std::vector<float> values;

  [[nodiscard]] std::int64_t entries() const { return static_cast<std::int64_t>(values.size()); }
  [[nodiscard]] std::int32_t row_length(std::int32_t row) const {
    const auto at = static_cast<std::size_t>(row);
    return row_pointers[at + 1] - row_pointers[at];
  }
};

/// The same matrix in ELLPACK form, column-major: slot e of row r is element e * rows + r. Rows
/// shorter than `width` end in zeros at column 0.
struct EllMatrix {
  std::int32_t width = 0;
  std::vector<std::int32_t> entry_columns;
  std::vector<float> values;
};

/// The 9-point stencil on an nx by nx grid: rows of 4 (corner), 6 (edge) or 9 entries, (3 nx - 2)^2
/// in all. Value at (r, c): (4 on the diagonal, else 1) + 0.001 ((31 r + 17 c) mod 13).
/// Throws Error unless 1 <= nx <= 8192.
CsrMatrix stencil_a(std::int32_t nx);

/// `stencil_a` with 40 more entries in every 1024th row, spread over the columns that the row does
/// not use yet (fewer where there are not as many).
CsrMatrix stencil_b(std::int32_t nx);

/// The non-zeros of a row-major dense matrix. Throws Error when the sizes disagree or overflow.
CsrMatrix csr_from_dense(std::span<const float> dense, std::int32_t rows, std::int32_t columns);

/// Row-major; for small matrices. Throws Error above 2^28 elements.
std::vector<float> dense_from_csr(const CsrMatrix& matrix);

/// Throws Error when rows x width exceeds an int.
EllMatrix ell_from_csr(const CsrMatrix& matrix);

/// What the lengths of the rows do to a kernel.
struct RowStatistics {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;
  double mean_length = 0;
  std::int64_t max_length = 0;  ///< the width of the ELL form
  /// Lane-steps that warps of 32 consecutive rows spend with one thread a row, per entry: each lane
  /// waits for the longest row of its warp. 1 is balanced.
  double warp_imbalance = 1;
  double padding_factor = 1;  ///< slots of the ELL form per entry
  /// The longest row is over 4 times the mean: ELL mostly stores padding, a hybrid form would not.
  bool padding_explosion = false;
  /// Bytes of the CSR form over those of the dense matrix.
  double csr_to_dense_bytes = 0;
};

RowStatistics row_statistics(const CsrMatrix& matrix);

/// "stencil-A" or "stencil-B" (nx = 1024), "stencil-A:32" with another nx, or a path ending in
/// .mtx. Throws Error on anything else, and as the reader does.
CsrMatrix load_matrix(std::string_view source);

/// The built-in matrix with that many entries, for `load_matrix`. Throws Error where there is none.
std::string built_in_matrix(std::int64_t entries);

}  // namespace perfmodel::kernels
