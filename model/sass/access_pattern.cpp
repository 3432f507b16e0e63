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

/// Lanes that are served together, of accesses of this size.
std::uint32_t lanes_at_once(std::uint32_t access_bytes) {
  return access_bytes <= 4 ? warp_lanes : 4 * warp_lanes / access_bytes;
}

/// Passes of an access whose parts of the warp, each of at most 128 bytes if packed, go one by one.
std::uint32_t part_passes(const Row& addresses, std::uint32_t mask, std::uint32_t access_bytes) {
  const std::uint32_t lanes = lanes_at_once(access_bytes);
  const std::uint32_t first_part = 0xffffffffU >> (warp_lanes - lanes);
  std::uint32_t passes = 0;
  for (std::uint32_t first = 0; first < warp_lanes; first += lanes) {
    passes += group_passes(addresses, mask, access_bytes, first_part << first);
  }
  return passes;
}

/// The number of parts of the warp, of `lanes` each, with lanes in `mask`.
std::uint32_t parts_of(std::uint32_t lanes, std::uint32_t mask) {
  const std::uint32_t first_part = 0xffffffffU >> (warp_lanes - lanes);
  std::uint32_t parts = 0;
  for (std::uint32_t first = 0; first < warp_lanes; first += lanes) {
    parts += (mask & first_part << first) != 0 ? 1 : 0;
  }
  return parts;
}

/// The number of parts of the warp with lanes in `mask`.
std::uint32_t parts_with_lanes(std::uint32_t mask, std::uint32_t access_bytes) {
  return parts_of(lanes_at_once(access_bytes), mask);
}

Row bank_addresses(const Row& offsets, std::uint32_t phase_bytes) {
  Row addresses{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    // Far enough from zero for lanes in front of the first one; a multiple of all banks.
    addresses[lane] = offsets[lane] + phase_bytes + 0x80000000U;
  }
  return addresses;
}

/// Passes where every line goes by itself, in which no two words share a bank.
std::uint32_t line_passes(const Row& addresses, std::uint32_t mask, std::uint32_t access_bytes) {
  const std::uint32_t lanes = lanes_at_once(access_bytes);
  std::uint32_t passes = 0;
  for (std::uint32_t first = 0; first < warp_lanes; first += lanes) {
    Row lines{};
    std::size_t count = 0;
    for (std::uint32_t lane = first; lane < first + lanes; ++lane) {
      if ((mask >> lane & 1U) != 0) {
        lines[count++] = addresses[lane] / line_bytes;
      }
    }
    passes += static_cast<std::uint32_t>(distinct_values(std::span(lines).first(count)).size());
  }
  return passes;
}

/// Which of the four tag banks of L1 looks a line up. Found on an H200 from the wavefronts of
/// strided and scattered loads; only which lines share a bank matters.
std::uint32_t tag_bank(std::uint64_t line) {
  const auto parity = [](std::uint64_t bits) {
    return static_cast<std::uint32_t>(std::popcount(bits)) & 1U;
  };
  return parity(line & 0x32dU) << 1 | parity(line & 0x26U);
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
  cost.line_wavefronts = line_passes(addresses, mask, access_bytes);
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

std::uint32_t miss_wavefronts(const AccessCost& cost, const Row& offsets,
                              std::uint64_t first_address, std::uint32_t mask,
                              std::uint32_t access_bytes) {
  constexpr std::size_t tag_banks = 4;
  if (cost.line_wavefronts == cost.wavefronts) {
    return cost.wavefronts;
  }
  const bool conflicts = cost.wavefronts != parts_with_lanes(mask, access_bytes);
  const Row addresses =
      bank_addresses(offsets, static_cast<std::uint32_t>(first_address) % line_bytes);
  std::array<std::uint64_t, warp_lanes> lines{};
  std::array<std::uint32_t, warp_lanes> banks_of{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const auto offset = static_cast<std::int32_t>(offsets[lane]);
    lines[lane] = (first_address + static_cast<std::uint64_t>(std::int64_t{offset})) / line_bytes;
    banks_of[lane] = tag_bank(lines[lane]);
  }
  std::uint32_t wavefronts = 0;
  while (mask != 0) {
    constexpr std::uint64_t none = ~std::uint64_t{0};
    std::array<std::uint64_t, tag_banks> looked_up{none, none, none, none};
    std::uint32_t together = 0;
    for (std::uint32_t waiting = mask; waiting != 0; waiting &= waiting - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(waiting));
      std::uint64_t& line = looked_up[banks_of[lane]];
      line = line == none ? lines[lane] : line;
      together |= (line == lines[lane] ? 1U : 0U) << lane;
    }
    wavefronts += conflicts ? part_passes(addresses, together, access_bytes)
                            : parts_with_lanes(together, access_bytes);
    mask &= ~together;
  }
  return wavefronts;
}

AccessCost shared_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t mask,
                         std::uint32_t access_bytes, bool store) {
  AccessCost cost;
  cost.useful_bytes = distinct_bytes(offsets, mask, access_bytes);
  const Row addresses = bank_addresses(offsets, phase_bytes);
  const bool shares = pairs_share(offsets, mask, 1) || pairs_share(offsets, mask, 2);
  if (access_bytes > 4 && !store && shares) {
    // Lanes that share their words leave room for twice as many of them in a pass.
    const std::uint32_t lanes = std::min(warp_lanes, 8 * warp_lanes / access_bytes);
    cost.conflict_free_wavefronts = parts_of(lanes, mask);
    for (std::uint32_t first = 0; first < warp_lanes; first += lanes) {
      const std::uint32_t group = lanes == warp_lanes ? 0xffffffffU : ((1U << lanes) - 1) << first;
      cost.wavefronts += group_passes(addresses, mask, access_bytes, group);
    }
  } else {
    cost.conflict_free_wavefronts = parts_with_lanes(mask, access_bytes);
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
  cost.conflict_free_wavefronts = matrices;
  cost.useful_bytes = distinct_bytes(offsets, mask, 16);
  cost.ideal_wavefronts = std::max(1U, (cost.useful_bytes + line_bytes - 1) / line_bytes);
  classify(cost, offsets, mask, true, 16);
  return cost;
}

}  // namespace perfmodel::sass
