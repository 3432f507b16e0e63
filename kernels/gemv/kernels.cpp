#include "kernels/gemv/kernels.hpp"

#include <fmt/format.h>

#include <array>

#include "kernels/gemv/tiles.hpp"
#include "kernels/sizes.hpp"

namespace perfmodel::kernels {
namespace {

constexpr std::int64_t gemv_shared_x_bytes = 48 * 1024;  ///< what every device grants a block

std::int64_t gemv_bytes(std::int64_t stored_rows, std::int64_t m, std::int64_t n) {
  return checked_sum(float_bytes(stored_rows, n, "A in bytes"), 4 * n + 4 * m,
                     "A, x and y in bytes");
}

std::int64_t gemv_required_bytes(const Shape& shape) {
  const std::int64_t m = checked_extent(shape, "m");
  return gemv_bytes(m, m, checked_extent(shape, "n"));
}

Plan plan_gemv_row(const Shape& shape, const DeviceLimits& limits) {
  return single_launch(ceil_div(checked_extent(shape, "m"), gemv_block), 1, gemv_block, 1, 0,
                       gemv_required_bytes(shape), limits);
}

Plan plan_column_major(const Shape& shape, const DeviceLimits& limits, std::size_t shared_bytes) {
  const std::int64_t m = checked_extent(shape, "m");
  const std::int64_t n = checked_extent(shape, "n");
  const std::int64_t pitch = gemv_pitch(static_cast<int>(m));
  return single_launch(ceil_div(pitch / gemv_thread_rows, gemv_block), 1, gemv_block, 1,
                       shared_bytes, gemv_bytes(pitch, m, n), limits);
}

Plan plan_gemv_col(const Shape& shape, const DeviceLimits& limits) {
  return plan_column_major(shape, limits, 0);
}

Plan plan_gemv_col_shared(const Shape& shape, const DeviceLimits& limits) {
  const std::int64_t x_bytes = 4 * checked_extent(shape, "n");
  if (x_bytes > gemv_shared_x_bytes) {
    return skipped(fmt::format("x takes {} bytes, which {} bytes of shared memory do not hold",
                               x_bytes, gemv_shared_x_bytes));
  }
  return plan_column_major(shape, limits, static_cast<std::size_t>(x_bytes));
}

constexpr std::array<std::string_view, 2> gemv_dimensions = {"m", "n"};
constexpr std::array<std::string_view, 2> gemv_row_inputs = {"A", "x"};
constexpr std::array<std::string_view, 2> gemv_column_inputs = {"A_columns", "x"};

constexpr std::array gemv_catalog = {
    Kernel{"gemv-row", "gemv", gemv_dimensions, gemv_row_inputs, gemv_dimensions, plan_gemv_row,
           gemv_required_bytes},
    Kernel{"gemv-col", "gemv", gemv_dimensions, gemv_column_inputs, gemv_dimensions, plan_gemv_col,
           gemv_required_bytes},
    Kernel{"gemv-col-shared", "gemv", gemv_dimensions, gemv_column_inputs, gemv_dimensions,
           plan_gemv_col_shared, gemv_required_bytes},
};

}  // namespace

std::span<const Kernel> gemv_kernels() { return gemv_catalog; }

}  // namespace perfmodel::kernels
