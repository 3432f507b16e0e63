#include "kernels/spmv/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "kernels/spmv/matrix_market.hpp"
#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::kernels {
namespace {

constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t largest_grid = 8192;  // 9 nx^2 entries still fit an int
constexpr std::int32_t default_grid = 1024;
constexpr std::int32_t outlier_period = 1024;
constexpr std::int32_t outlier_entries = 40;

float stencil_value(std::int64_t row, std::int64_t column) {
  const double base = row == column ? 4.0 : 1.0;
  return static_cast<float>(base + 0.001 * static_cast<double>((31 * row + 17 * column) % 13));
}

/// The columns of the stencil at a grid point, ascending.
std::vector<std::int32_t> stencil_columns(std::int32_t nx, std::int32_t row) {
  const std::int32_t y = row / nx;
  const std::int32_t x = row % nx;
  std::vector<std::int32_t> columns;
  for (std::int32_t ny = std::max(y - 1, 0); ny <= std::min(y + 1, nx - 1); ++ny) {
    for (std::int32_t cx = std::max(x - 1, 0); cx <= std::min(x + 1, nx - 1); ++cx) {
      columns.push_back(ny * nx + cx);
    }
  }
  return columns;
}

/// Adds up to `outlier_entries` columns at equal distances from the row's own, each moved on to the
/// next free one.
void add_outliers(std::vector<std::int32_t>& columns, std::int32_t row, std::int32_t count) {
  const std::int32_t extra =
      std::min(outlier_entries, count - static_cast<std::int32_t>(columns.size()));
  const std::int64_t distance = std::max(1, count / (outlier_entries + 1));
  for (std::int32_t i = 1; i <= extra; ++i) {
    auto column = static_cast<std::int32_t>((row + i * distance) % count);
    while (std::ranges::find(columns, column) != columns.end()) {
      column = (column + 1) % count;
    }
    columns.push_back(column);
  }
  std::ranges::sort(columns);
}

CsrMatrix make_stencil(std::int32_t nx, bool with_outliers) {
  if (nx < 1 || nx > largest_grid) {
    fail(fmt::format("a stencil's grid is between 1 and {} wide, not {}", largest_grid, nx));
  }
  CsrMatrix matrix;
  matrix.rows = matrix.columns = nx * nx;
  const std::size_t entries = static_cast<std::size_t>(9) * static_cast<std::size_t>(matrix.rows);
  matrix.row_pointers.reserve(static_cast<std::size_t>(matrix.rows) + 1);
  matrix.entry_columns.reserve(entries);
  matrix.values.reserve(entries);
  matrix.row_pointers.push_back(0);
  for (std::int32_t row = 0; row < matrix.rows; ++row) {
    std::vector<std::int32_t> columns = stencil_columns(nx, row);
    if (with_outliers && row % outlier_period == 0) {
      add_outliers(columns, row, matrix.columns);
    }
    for (const std::int32_t column : columns) {
      matrix.entry_columns.push_back(column);
      matrix.values.push_back(stencil_value(row, column));
    }
    matrix.row_pointers.push_back(static_cast<std::int32_t>(matrix.values.size()));
  }
  return matrix;
}

}  // namespace

CsrMatrix stencil_a(std::int32_t nx) { return make_stencil(nx, false); }

CsrMatrix stencil_b(std::int32_t nx) { return make_stencil(nx, true); }

CsrMatrix csr_from_dense(std::span<const float> dense, std::int32_t rows, std::int32_t columns) {
  if (rows < 0 || columns < 0 ||
      static_cast<std::int64_t>(dense.size()) != std::int64_t{rows} * columns) {
    fail(fmt::format("a dense matrix of {} x {} cannot have {} elements", rows, columns,
                     dense.size()));
  }
  CsrMatrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.row_pointers.push_back(0);
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = 0; column < columns; ++column) {
      const float value = dense[static_cast<std::size_t>(std::int64_t{row} * columns + column)];
      if (value != 0) {
        matrix.entry_columns.push_back(column);
        matrix.values.push_back(value);
      }
    }
    if (matrix.entries() > int_max) {
      fail(fmt::format("a sparse matrix of more than {} entries is not supported", int_max));
    }
    matrix.row_pointers.push_back(static_cast<std::int32_t>(matrix.values.size()));
  }
  return matrix;
}

std::vector<float> dense_from_csr(const CsrMatrix& matrix) {
  constexpr std::int64_t most = std::int64_t{1} << 28;
  const std::int64_t elements = std::int64_t{matrix.rows} * matrix.columns;
  if (elements > most) {
    fail(fmt::format("{} x {} is too large to make dense (at most {} elements)", matrix.rows,
                     matrix.columns, most));
  }
  std::vector<float> dense(static_cast<std::size_t>(elements));
  for (std::int32_t row = 0; row < matrix.rows; ++row) {
    const auto at = static_cast<std::size_t>(row);
    for (std::int32_t i = matrix.row_pointers[at]; i < matrix.row_pointers[at + 1]; ++i) {
      const auto entry = static_cast<std::size_t>(i);
      dense[static_cast<std::size_t>(std::int64_t{row} * matrix.columns +
                                     matrix.entry_columns[entry])] = matrix.values[entry];
    }
  }
  return dense;
}

EllMatrix ell_from_csr(const CsrMatrix& matrix) {
  EllMatrix ell;
  for (std::int32_t row = 0; row < matrix.rows; ++row) {
    ell.width = std::max(ell.width, matrix.row_length(row));
  }
  const std::int64_t slots = std::int64_t{matrix.rows} * ell.width;
  if (slots > int_max) {
    fail(fmt::format("the ELL form of {} rows with up to {} entries has {} slots, at most {} work",
                     matrix.rows, ell.width, slots, int_max));
  }
  ell.entry_columns.resize(static_cast<std::size_t>(slots));
  ell.values.resize(static_cast<std::size_t>(slots));
  for (std::int32_t row = 0; row < matrix.rows; ++row) {
    const std::int32_t first = matrix.row_pointers[static_cast<std::size_t>(row)];
    for (std::int32_t slot = 0; slot < matrix.row_length(row); ++slot) {
      const auto entry = static_cast<std::size_t>(first) + static_cast<std::size_t>(slot);
      const auto place = static_cast<std::size_t>(std::int64_t{slot} * matrix.rows + row);
      ell.entry_columns[place] = matrix.entry_columns[entry];
      ell.values[place] = matrix.values[entry];
    }
  }
  return ell;
}

RowStatistics row_statistics(const CsrMatrix& matrix) {
  constexpr std::int32_t lanes = 32;
  RowStatistics result;
  result.rows = matrix.rows;
  result.columns = matrix.columns;
  result.entries = matrix.entries();
  std::int64_t lane_steps = 0;
  for (std::int32_t first = 0; first < matrix.rows; first += lanes) {
    const std::int32_t last = first + std::min(lanes, matrix.rows - first);
    std::int64_t longest = 0;
    for (std::int32_t row = first; row < last; ++row) {
      longest = std::max<std::int64_t>(longest, matrix.row_length(row));
    }
    lane_steps += longest * (last - first);
    result.max_length = std::max(result.max_length, longest);
  }
  if (result.entries == 0) {
    return result;
  }
  const auto entries = static_cast<double>(result.entries);
  const auto rows = static_cast<double>(result.rows);
  result.mean_length = entries / rows;
  result.warp_imbalance = static_cast<double>(lane_steps) / entries;
  result.padding_factor = rows * static_cast<double>(result.max_length) / entries;
  result.padding_explosion = static_cast<double>(result.max_length) > 4 * result.mean_length;
  result.csr_to_dense_bytes =
      (8 * entries + 4 * (rows + 1)) / (4 * rows * static_cast<double>(result.columns));
  return result;
}

CsrMatrix load_matrix(std::string_view source) {
  if (source.ends_with(".mtx")) {
    return read_matrix_market(std::filesystem::path(source));
  }
  const std::size_t colon = source.find(':');
  const std::string_view name = source.substr(0, colon);
  std::int32_t nx = default_grid;
  if (colon != std::string_view::npos) {
    const std::string_view digits = source.substr(colon + 1);
    const char* const end = digits.data() + digits.size();
    const auto [stop, status] = std::from_chars(digits.data(), end, nx);
    if (status != std::errc() || stop != end) {
      fail(fmt::format("matrix '{}': '{}' is not the width of a grid", printable(source),
                       printable(digits)));
    }
  }
  if (name == "stencil-A") {
    return stencil_a(nx);
  }
  if (name == "stencil-B") {
    return stencil_b(nx);
  }
  fail(
      fmt::format("there is no matrix '{}'; give stencil-A, stencil-B, stencil-A:NX or a .mtx file",
                  printable(source)));
}

std::string built_in_matrix(std::int64_t entries) {
  for (const char* name : {"stencil-A", "stencil-B"}) {
    if (load_matrix(name).entries() == entries) {
      return name;
    }
  }
  fail(fmt::format("no built-in matrix has {} entries", entries));
}

}  // namespace perfmodel::kernels
