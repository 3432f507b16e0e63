#include "model/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

constexpr std::int64_t registers_per_sm = 65536;
constexpr std::int64_t sub_partitions = 4;
constexpr std::int64_t registers_step = 256;  ///< a warp is given whole multiples

/// What differs between compute capabilities.
struct Limits {
  std::int64_t blocks;
  std::int64_t shared_step_bytes;      ///< a block is given whole multiples
  std::int64_t shared_reserved_bytes;  ///< of each block, by the system
};

Limits limits_of(const Device& device) {
  const int capability = compute_capability(device.architecture);
  switch (capability) {
    case 70:
    case 72:
      return {32, 256, 0};
    case 75:
      return {16, 256, 0};
    case 80:
    case 90:
    case 100:
    case 103:
      return {32, 128, 1024};
    case 86:
    case 87:
      return {16, 128, 1024};
    case 89:
    case 120:
    case 121:
      return {24, 128, 1024};
    default:
      fail(
          fmt::format("device {}: how many blocks an SM of {} holds is not known; perfmodel "
                      "knows compute capabilities 7.0 to 12.1",
                      printable(device.name), printable(device.architecture)));
  }
}

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

int compute_capability(std::string_view architecture) {
  int number = 0;
  if (architecture.starts_with("sm_")) {
    architecture.remove_prefix(3);
    std::from_chars(architecture.data(), architecture.data() + architecture.size(), number);
  }
  return number;
}

std::int64_t resident_blocks_per_sm(const Device& device, const BlockResources& block) {
  const Limits limits = limits_of(device);
  const std::int64_t warps = (block.threads + warp_lanes - 1) / warp_lanes;
  std::int64_t blocks = std::min(
      limits.blocks, device.threads_per_sm.value / warp_lanes / std::max<std::int64_t>(1, warps));
  const std::int64_t registers =
      rounded_up(block.registers_per_thread * warp_lanes, registers_step);
  if (registers > 0) {
    // Each sub-partition has registers of its own for its warps.
    const std::int64_t resident_warps =
        registers_per_sm / sub_partitions / registers * sub_partitions;
    blocks = std::min(blocks, resident_warps / std::max<std::int64_t>(1, warps));
    // A launch is refused unless all sub-partitions have room for a block's share.
    if (registers * rounded_up(warps, sub_partitions) > registers_per_sm) {
      blocks = 0;
    }
  }
  const std::int64_t shared =
      rounded_up(block.shared_bytes + limits.shared_reserved_bytes, limits.shared_step_bytes);
  if (shared > 0) {
    blocks = std::min(blocks, device.shared_bytes_per_sm.value / shared);
  }
  return blocks;
}

}  // namespace perfmodel
