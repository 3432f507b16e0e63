#include "model/sass/access_pattern.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace perfmodel::sass {
namespace {

constexpr std::uint32_t banks = 32;

/// Sorts the values; returns each of them once.
template <class T>
std::span<T> distinct_values(std::span<T> values) {
  std::ranges::sort(values);
  return values.first(values.size() - std::ranges::unique(values).size());
}

/// The largest number of distinct 32-bit words that one bank must serve.
std::uint32_t bank_passes(std::span<const std::uint32_t> words) {
  std::array<std::uint32_t, 4 * warp_lanes> sorted{};
  std::ranges::copy(words, sorted.begin());
  const std::span<const std::uint32_t> distinct =
      distinct_values(std::span(sorted).first(words.size()));
  std::array<std::uint32_t, banks> served{};
  std::uint32_t most = 0;
  for (const std::uint32_t word : distinct) {
    most = std::max(most, ++served[word % banks]);
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

/// Passes of an access whose parts of the warp, each of at most 128 bytes if packed, go one by one.
std::uint32_t part_passes(const Row& addresses, std::uint32_t mask, std::uint32_t access_bytes) {
  if (access_bytes <= 4) {
    return group_passes(addresses, mask, access_bytes, 0xffffffffU);
  }
  std::uint32_t passes = 0;
  const std::uint32_t lanes = 4 * warp_lanes / access_bytes;
  for (std::uint32_t first = 0; first < warp_lanes; first += lanes) {
    passes += group_passes(addresses, mask, access_bytes, ((1U << lanes) - 1) << first);
  }
  return passes;
}

Row bank_addresses(const Row& offsets, std::uint32_t phase_bytes) {
  Row addresses{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    // Far enough from zero for lanes in front of the first one; a multiple of all banks.
    addresses[lane] = offsets[lane] + phase_bytes + 0x80000000U;
  }
  return addresses;
}

/// Passes of an access that comes back in parts of at most four lines, each to all lanes that want
/// something of them.
std::uint32_t miss_passes(const Row& addresses, std::uint32_t mask, std::uint32_t access_bytes) {
  constexpr std::size_t lines_at_once = 4;
  std::uint32_t passes = 0;
  while (mask != 0) {
    std::array<std::uint32_t, lines_at_once> lines{};
    std::size_t count = 0;
    std::uint32_t part = 0;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      if ((mask >> lane & 1U) == 0) {
        continue;
      }
      const std::uint32_t line = addresses[lane] / line_bytes;
      const auto seen = std::span(lines).first(count);
      const bool known = std::ranges::find(seen, line) != seen.end();
      if (!known && count < lines_at_once) {
        lines[count++] = line;
      }
      if (known || lines[count - 1] == line) {
        part |= 1U << lane;
      }
    }
    passes += part_passes(addresses, part, access_bytes);
    mask &= ~part;
  }
  return passes;
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
  for (int lane = 0; std::cmp_less(lane, warp_lanes); ++lane) {
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
  const std::span<std::uint32_t> distinct = distinct_values(std::span(sorted).first(count));
  return static_cast<std::uint32_t>(distinct.size()) * access_bytes;
}

}  // namespace

AccessCost global_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t mask,
                         std::uint32_t access_bytes) {
  AccessCost cost;
  cost.useful_bytes = distinct_bytes(offsets, mask, access_bytes);
  const auto first_sector = static_cast<std::int32_t>(phase_bytes / sector_bytes);
  std::array<std::int32_t, 2 * warp_lanes> sectors{};
  std::size_t count = 0;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    if ((mask >> lane & 1U) != 0) {
      const auto address =
          static_cast<std::int32_t>(offsets[lane]) + static_cast<std::int32_t>(phase_bytes);
      sectors[count++] = (address >> 5) - first_sector;
    }
  }
  const Row addresses = bank_addresses(offsets, phase_bytes);
  cost.wavefronts = part_passes(addresses, mask, access_bytes);
  cost.miss_wavefronts = miss_passes(addresses, mask, access_bytes);
  const std::span<std::int32_t> distinct = distinct_values(std::span(sectors).first(count));
  cost.sectors = static_cast<std::uint32_t>(distinct.size());
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
                         std::uint32_t access_bytes, bool store) {
  AccessCost cost;
  cost.useful_bytes = distinct_bytes(offsets, mask, access_bytes);
  const Row addresses = bank_addresses(offsets, phase_bytes);
  const bool shares = pairs_share(offsets, mask, 1) || pairs_share(offsets, mask, 2);
  if (access_bytes > 4 && !store && shares) {
    // Lanes that share their words leave room for twice as many of them in a pass.
    const std::uint32_t lanes = 8 * warp_lanes / access_bytes;
    for (std::uint32_t first = 0; first < warp_lanes; first += lanes) {
      const std::uint32_t group = lanes == warp_lanes ? 0xffffffffU : ((1U << lanes) - 1) << first;
      cost.wavefronts += group_passes(addresses, mask, access_bytes, group);
    }
  } else {
    cost.wavefronts = part_passes(addresses, mask, access_bytes);
  }
  cost.ideal_wavefronts = std::max(1U, (cost.useful_bytes + line_bytes - 1) / line_bytes);
  classify(cost, offsets, mask, true, access_bytes);
  return cost;
}

AccessCost matrix_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t matrices) {
  AccessCost cost;
  const Row addresses = bank_addresses(offsets, phase_bytes);
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
