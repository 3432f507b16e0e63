#include "model/sass/access_pattern.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace perfmodel::sass {
namespace {

constexpr std::uint32_t banks = 32;

/// The largest number of distinct 32-bit words that one bank must serve.
std::uint32_t bank_passes(std::span<const std::uint32_t> words) {
  std::array<std::uint32_t, 4 * warp_lanes> sorted{};
  std::copy(words.begin(), words.end(), sorted.begin());
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(words.size());
  std::sort(sorted.begin(), end);
  const auto last = std::unique(sorted.begin(), end);
  std::array<std::uint32_t, banks> served{};
  std::uint32_t most = 0;
  for (auto word = sorted.begin(); word != last; ++word) {
    most = std::max(most, ++served[*word % banks]);
  }
  return most;
}

std::uint32_t group_passes(const Row& addresses, std::uint32_t mask, std::uint32_t access_bytes,
                           std::uint32_t group) {
  std::array<std::uint32_t, 4 * warp_lanes> words{};
  std::size_t count = 0;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    if ((mask & group & (1U << lane)) == 0) {
      continue;
    }
    words[count++] = addresses[lane] / 4;
    for (std::uint32_t byte = 4; byte < access_bytes; byte += 4) {
      words[count++] = (addresses[lane] + byte) / 4;
    }
  }
  return count == 0 ? 0 : bank_passes(std::span(words).first(count));
}

/// True when every two active lanes n and n ^ `distance` share their address.
bool pairs_share(const Row& offsets, std::uint32_t mask, std::uint32_t distance) {
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint32_t both = 1U << lane | 1U << (lane ^ distance);
    if ((mask & both) == both && offsets[lane] != offsets[lane ^ distance]) {
      return false;
    }
  }
  return true;
}

void classify(AccessCost& cost, const Row& offsets, std::uint32_t mask, bool shared,
              std::uint32_t access_bytes) {
  bool same = true;
  bool linear = true;
  std::int32_t stride = 0;
  int previous = -1;
  for (int lane = 0; lane < static_cast<int>(warp_lanes); ++lane) {
    if ((mask >> lane & 1U) == 0) {
      continue;
    }
    if (previous >= 0) {
      const auto difference = static_cast<std::int32_t>(
          offsets[static_cast<std::size_t>(lane)] - offsets[static_cast<std::size_t>(previous)]);
      same = same && difference == 0;
      const int lanes = lane - previous;
      if (stride == 0 && difference % lanes == 0) {
        stride = difference / lanes;
      }
      linear = linear && difference == stride * lanes;
    }
    previous = lane;
  }
  if (same) {
    cost.access = AccessClass::broadcast;
    return;
  }
  if (linear) {
    cost.stride_bytes = stride;
  }
  if (shared) {
    cost.access = AccessClass::distinct;
  } else if (cost.useful_bytes == cost.sectors * sector_bytes ||
             (linear && std::abs(stride) == static_cast<std::int32_t>(access_bytes))) {
    cost.access = AccessClass::coalesced;
  } else {
    cost.access = linear ? AccessClass::strided : AccessClass::gather;
  }
}

std::uint32_t distinct_bytes(const Row& offsets, std::uint32_t mask, std::uint32_t access_bytes) {
  Row sorted{};
  std::size_t count = 0;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    if ((mask >> lane & 1U) != 0) {
      sorted[count++] = offsets[lane];
    }
  }
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(sorted.begin(), end);
  return static_cast<std::uint32_t>(std::unique(sorted.begin(), end) - sorted.begin()) *
         access_bytes;
}

}  // namespace

AccessCost global_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t mask,
                         std::uint32_t access_bytes) {
  AccessCost cost;
  cost.useful_bytes = distinct_bytes(offsets, mask, access_bytes);
  const std::int32_t first_sector = static_cast<std::int32_t>(phase_bytes / sector_bytes);
  std::array<std::int32_t, 2 * warp_lanes> sectors{};
  std::size_t count = 0;
  // Wide accesses pass in parts of the warp, each of at most 128 bytes if packed.
  const std::uint32_t parts = access_bytes <= 4 ? 1 : access_bytes / 4;
  const std::uint32_t part_lanes = warp_lanes / parts;
  for (std::uint32_t part = 0; part < parts; ++part) {
    Row lines{};
    std::size_t line_count = 0;
    for (std::uint32_t lane = part * part_lanes; lane < (part + 1) * part_lanes; ++lane) {
      if ((mask >> lane & 1U) == 0) {
        continue;
      }
      const auto address =
          static_cast<std::int32_t>(offsets[lane]) + static_cast<std::int32_t>(phase_bytes);
      sectors[count++] = (address >> 5) - first_sector;
      lines[line_count++] = static_cast<std::uint32_t>(address >> 7);
    }
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(line_count);
    std::sort(lines.begin(), end);
    cost.wavefronts += static_cast<std::uint32_t>(std::unique(lines.begin(), end) - lines.begin());
  }
  const auto end = sectors.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(sectors.begin(), end);
  const auto last = std::unique(sectors.begin(), end);
  cost.sectors = static_cast<std::uint32_t>(last - sectors.begin());
  cost.sector_offsets = sectors;
  std::int32_t previous_line = 0;
  for (std::uint32_t i = 0; i < cost.sectors; ++i) {
    const std::int32_t line = (sectors[i] + first_sector) >> 2;
    cost.lines += i == 0 || line != previous_line ? 1 : 0;
    previous_line = line;
  }
  cost.ideal_wavefronts = std::max(1U, (cost.useful_bytes + line_bytes - 1) / line_bytes);
  classify(cost, offsets, mask, false, access_bytes);
  return cost;
}

AccessCost shared_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t mask,
                         std::uint32_t access_bytes) {
  AccessCost cost;
  cost.useful_bytes = distinct_bytes(offsets, mask, access_bytes);
  Row addresses{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    // Far enough from zero for lanes in front of the first one; a multiple of all banks.
    addresses[lane] = offsets[lane] + phase_bytes + 0x40000000U;
  }
  if (access_bytes <= 4) {
    cost.wavefronts = group_passes(addresses, mask, access_bytes, 0xffffffffU);
  } else if (access_bytes == 8) {
    cost.wavefronts = group_passes(addresses, mask, access_bytes, 0x0000ffffU) +
                      group_passes(addresses, mask, access_bytes, 0xffff0000U);
  } else if (pairs_share(offsets, mask, 1) || pairs_share(offsets, mask, 2)) {
    cost.wavefronts = group_passes(addresses, mask, access_bytes, 0x0000ffffU) +
                      group_passes(addresses, mask, access_bytes, 0xffff0000U);
  } else {
    for (std::uint32_t quarter = 0; quarter < 4; ++quarter) {
      cost.wavefronts += group_passes(addresses, mask, access_bytes, 0xffU << 8 * quarter);
    }
  }
  cost.ideal_wavefronts = std::max(1U, (cost.useful_bytes + line_bytes - 1) / line_bytes);
  classify(cost, offsets, mask, true, access_bytes);
  return cost;
}

AccessCost matrix_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t matrices) {
  AccessCost cost;
  Row addresses{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    addresses[lane] = offsets[lane] + phase_bytes + 0x40000000U;
  }
  const std::uint32_t mask = matrices == 4 ? 0xffffffffU : (1U << 8 * matrices) - 1;
  for (std::uint32_t matrix = 0; matrix < matrices; ++matrix) {
    cost.wavefronts += group_passes(addresses, mask, 16, 0xffU << 8 * matrix);
  }
  cost.useful_bytes = distinct_bytes(offsets, mask, 16);
  cost.ideal_wavefronts = std::max(1U, (cost.useful_bytes + line_bytes - 1) / line_bytes);
  classify(cost, offsets, mask, true, 16);
  return cost;
}

}  // namespace perfmodel::sass
