#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/kernel.hpp"

namespace perfmodel::kernels {

/// Extents are ints on the device; this much below 2^31, rounding up to a tile cannot overflow.
inline constexpr std::int64_t max_extent = 2147483647 - 4096;

/// The extent of a dimension; throws Error unless it is in [0, max_extent].
std::int64_t checked_extent(const Shape& shape, std::string_view dimension);

/// a * b and a + b of numbers >= 0; throw Error ("WHAT overflows 64 bits") instead of overflowing.
std::int64_t checked_product(std::int64_t a, std::int64_t b, std::string_view what);
std::int64_t checked_sum(std::int64_t a, std::int64_t b, std::string_view what);

/// Bytes of `rows` x `columns` floats (or ints).
std::int64_t float_bytes(std::int64_t rows, std::int64_t columns, std::string_view what);

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

/// A plan of one launch of `grid_x` x `grid_y` blocks, or one that says which limit it breaks.
Plan single_launch(std::int64_t grid_x, std::int64_t grid_y, std::uint32_t block_x,
                   std::uint32_t block_y, std::size_t dynamic_shared_bytes,
                   std::int64_t device_bytes, const DeviceLimits& limits);

/// A plan that does not run.
Plan skipped(std::string reason);

}  // namespace perfmodel::kernels
