#include "kernels/sizes.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "model/error.hpp"

namespace perfmodel::kernels {

std::int64_t checked_extent(const Shape& shape, std::string_view dimension) {
  const std::int64_t value = shape.extent(dimension);
  if (value < 0 || value > max_extent) {
    fail(fmt::format("extent {} = {} must be between 0 and {}", dimension, value, max_extent));
  }
  return value;
}

std::int64_t checked_product(std::int64_t a, std::int64_t b, std::string_view what) {
  if (b != 0 && a > std::numeric_limits<std::int64_t>::max() / b) {
    fail(fmt::format("{} overflows 64 bits: {} x {}", what, a, b));
  }
  return a * b;
}

std::int64_t checked_sum(std::int64_t a, std::int64_t b, std::string_view what) {
  if (a > std::numeric_limits<std::int64_t>::max() - b) {
    fail(fmt::format("{} overflows 64 bits: {} + {}", what, a, b));
  }
  return a + b;
}

std::int64_t float_bytes(std::int64_t rows, std::int64_t columns, std::string_view what) {
  return checked_product(checked_product(rows, columns, what), 4, what);
}

Plan skipped(std::string reason) {
  Plan plan;
  plan.skip_reason = std::move(reason);
  return plan;
}

Plan single_launch(std::int64_t grid_x, std::int64_t grid_y, std::uint32_t block_x,
                   std::uint32_t block_y, std::size_t dynamic_shared_bytes,
                   std::int64_t device_bytes, const DeviceLimits& limits) {
  const std::uint64_t threads = std::uint64_t{block_x} * block_y;
  if (threads > limits.threads_per_block) {
    return skipped(fmt::format("{} threads per block are more than the limit of {}", threads,
                               limits.threads_per_block));
  }
  if (grid_x > std::int64_t{limits.grid_x}) {
    return skipped(fmt::format("grid.x = {} is more than the limit of {}", grid_x, limits.grid_x));
  }
  if (grid_y > std::int64_t{limits.grid_y}) {
    return skipped(fmt::format("grid.y = {} is more than the limit of {}", grid_y, limits.grid_y));
  }
  if (dynamic_shared_bytes > limits.shared_bytes_per_block) {
    return skipped(fmt::format("{} bytes of dynamic shared memory are more than the limit of {}",
                               dynamic_shared_bytes, limits.shared_bytes_per_block));
  }
  Plan plan;
  plan.device_bytes = static_cast<std::size_t>(device_bytes);
  if (grid_x > 0 && grid_y > 0) {
    plan.launches.push_back(
        {{static_cast<std::uint32_t>(grid_x), static_cast<std::uint32_t>(grid_y), 1},
         {block_x, block_y, 1},
         dynamic_shared_bytes});
  }
  return plan;
}

}  // namespace perfmodel::kernels
