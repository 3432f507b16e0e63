#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "model/sass/block.hpp"
#include "model/sass/block_state.hpp"

namespace perfmodel::sass {

// Here rather than in block_memory.cpp, so that the instruction loop compiles it for its own
// instruction set.
/// Lanes whose generic addresses lead to another memory than the first lane's are left out and
/// returned.
inline std::uint32_t BlockEmulator::resolve(const Warp& warp, std::uint32_t position,
                                            const AddressOperand& address, MemorySpace space,
                                            std::uint32_t mask, Access& access) const {
  const Instruction& instruction = code_.instructions[position];
  access.position = position;
  access.bytes = instruction.access_bytes;
  access.space = space;
  access.write = instruction.op != Op::load && instruction.op != Op::ldsm;
  access.region = nullptr;
  std::uint32_t others = 0;
  access.first = static_cast<std::uint32_t>(std::countr_zero(mask));
  const auto row = [&](const Source& source, std::size_t next) -> const Row& {
    return source.pool ? context_.pool[source.row + next] : warp.rows[source.row + next];
  };
  const Row& zero = context_.pool[0];
  const Row& low = row(address.base, 0);
  const Row& uniform_low = row(address.uniform, 0);
  if (space == MemorySpace::global || space == MemorySpace::generic) {
    const Row& high = address.base64 ? row(address.base, 1) : zero;
    const Row& uniform_high = address.uniform64 ? row(address.uniform, 1) : zero;
    // The same in every lane.
    const std::uint64_t offset = (std::uint64_t{uniform_high[0]} << 32 | uniform_low[0]) +
                                 static_cast<std::uint64_t>(address.offset);
    if (address.scale_log2 == 0) {
      for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
        access.addresses[lane] = (std::uint64_t{high[lane]} << 32 | low[lane]) + offset;
      }
    } else {
      for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
        access.addresses[lane] =
            ((std::uint64_t{high[lane]} << 32 | low[lane]) << address.scale_log2) + offset;
      }
    }
  } else {
    const std::uint32_t offset = uniform_low[0] + static_cast<std::uint32_t>(address.offset);
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      access.addresses[lane] = (low[lane] << address.scale_log2) + offset;
    }
  }
  if (space == MemorySpace::generic) {
    access.space = space_of(access.addresses[access.first]);
    for (std::uint32_t lane = access.first; lane < warp_lanes; ++lane) {
      if ((mask >> lane & 1U) != 0 && space_of(access.addresses[lane]) != access.space) {
        others |= 1U << lane;
      }
    }
    mask &= ~others;
    if (access.space != MemorySpace::global) {
      for (std::uint64_t& one : access.addresses) {
        one &= window_bytes - 1;
      }
    }
  }
  access.counted_mask = mask;
  access.mask = mask;
  const std::uint64_t origin = access.addresses[access.first];
  std::uint64_t unfit = 0;
  std::uint64_t low_bits = 0;
  std::int32_t lowest = 0;
  std::int32_t highest = 0;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint64_t active = 0 - std::uint64_t{mask >> lane & 1U};
    const std::uint64_t offset = (access.addresses[lane] - origin) & active;
    access.offsets[lane] = static_cast<std::uint32_t>(offset);
    // Within 2 GiB: adding half of that leaves no high bits.
    unfit |= (offset + 0x80000000U) >> 32;
    low_bits |= access.addresses[lane] & active;
  }
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const auto offset = static_cast<std::int32_t>(access.offsets[lane]);
    lowest = std::min(lowest, offset);
    highest = std::max(highest, offset);
  }
  access.spread = unfit != 0;
  access.misaligned = (low_bits & (access.bytes - 1)) != 0;
  access.lowest = lowest;
  access.highest = highest;
  return others;
}

}  // namespace perfmodel::sass
