#include "kernels/spmv/kernels.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "kernels/sizes.hpp"
#include "kernels/spmv/tiles.hpp"

namespace perfmodel::kernels {
namespace {

/// x and y.
std::int64_t vector_bytes(const Shape& shape) {
  const std::int64_t rows = checked_extent(shape, "rows");
  return 4 * rows + 4 * (shape.has("columns") ? checked_extent(shape, "columns") : rows);
}

std::int64_t csr_bytes(const Shape& shape) {
  return 8 * checked_extent(shape, "nnz") + 4 * (checked_extent(shape, "rows") + 1) +
         vector_bytes(shape);
}

std::int64_t ell_bytes(const Shape& shape) {
  const std::int64_t arrays =
      checked_product(float_bytes(checked_extent(shape, "rows"), checked_extent(shape, "width"),
                                  "the ELL form in bytes"),
                      2, "the ELL form in bytes");
  return checked_sum(arrays, vector_bytes(shape), "the ELL form, x and y in bytes");
}

Plan plan_csr(const Shape& shape, const DeviceLimits& limits) {
  return single_launch(ceil_div(checked_extent(shape, "rows"), spmv_block), 1, spmv_block, 1, 0,
                       csr_bytes(shape), limits);
}

Plan plan_ell_rows(const Shape& shape, const DeviceLimits& limits, std::int64_t rows_per_thread) {
  const std::int64_t rows = checked_extent(shape, "rows");
  const std::int64_t width = checked_extent(shape, "width");
  if (rows * width > std::numeric_limits<std::int32_t>::max()) {
    return skipped(fmt::format("{} rows of {} slots are more than an int can index", rows, width));
  }
  return single_launch(ceil_div(rows, rows_per_thread * spmv_block), 1, spmv_block, 1, 0,
                       ell_bytes(shape), limits);
}

Plan plan_ell(const Shape& shape, const DeviceLimits& limits) {
  return plan_ell_rows(shape, limits, 1);
}

Plan plan_ell4(const Shape& shape, const DeviceLimits& limits) {
  const std::int64_t rows = checked_extent(shape, "rows");
  if (rows % spmv_thread_rows != 0) {
    return skipped(fmt::format("rows = {} must be a multiple of 4 for float4 accesses", rows));
  }
  return plan_ell_rows(shape, limits, spmv_thread_rows);
}

constexpr std::array<std::string_view, 2> csr_dimensions = {"rows", "nnz"};
constexpr std::array<std::string_view, 3> ell_dimensions = {"rows", "nnz", "width"};
constexpr std::array<std::string_view, 4> csr_inputs = {"row_pointers", "columns", "values", "x"};
constexpr std::array<std::string_view, 3> ell_inputs = {"ell_columns", "ell_values", "x"};
constexpr std::array<std::string_view, 1> csr_scalars = {"rows"};
constexpr std::array<std::string_view, 2> ell_scalars = {"rows", "width"};

constexpr std::array spmv_catalog = {
    Kernel{"spmv-csr", "spmv", csr_dimensions, csr_inputs, csr_scalars, plan_csr, csr_bytes},
    Kernel{"spmv-ell", "spmv", ell_dimensions, ell_inputs, ell_scalars, plan_ell, ell_bytes},
    Kernel{"spmv-ell4", "spmv", ell_dimensions, ell_inputs, ell_scalars, plan_ell4, ell_bytes},
};

}  // namespace

std::span<const Kernel> spmv_kernels() { return spmv_catalog; }

}  // namespace perfmodel::kernels
