#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/sass/block.hpp"

namespace perfmodel::sass {

/// A warp yields after this many instructions, so that warps that wait for each other's memory
/// writes get on.
inline constexpr std::uint64_t turn_instructions = 10'000;
/// The same while a trace is taken.
inline constexpr std::uint64_t traced_turn_instructions = 100;

// Where generic addresses see shared and local memory.
inline constexpr std::uint64_t shared_window = std::uint64_t{0x7f00} << 32;
inline constexpr std::uint64_t local_window = std::uint64_t{0x7e00} << 32;
inline constexpr std::uint64_t window_bytes = std::uint64_t{1} << 24;

/// The memory that a generic address leads to.
inline MemorySpace space_of(std::uint64_t address) {
  return address - shared_window < window_bytes  ? MemorySpace::shared
         : address - local_window < window_bytes ? MemorySpace::local
                                                 : MemorySpace::global;
}

/// The last access pattern of an instruction at one alignment, and what it cost: loops repeat
/// theirs, often once for each word of a line.
inline constexpr std::size_t memo_entries = line_bytes / 4;
struct BlockEmulator::Memo {
  Row offsets{};
  std::uint32_t mask = 0;
  std::uint32_t phase_bytes = 0;
  std::uint64_t pattern = 0;  ///< a number of its own for each instruction, mask and offsets
  AccessCost cost;
};

/// Who last touched each 32-bit word of shared memory, and when by that warp's own clock. Packed,
/// so that whole rows of words are compared and set at once.
struct BlockEmulator::SharedShadow {
  struct Write {
    std::uint32_t clock = 0;
    std::uint8_t warp = 0;
    std::uint8_t bytes = 0;        ///< of the last write, as a mask
    std::uint8_t initialised = 0;  ///< bytes that anyone wrote
    std::uint8_t atomic = 0;       ///< 1 where the last write was an atomic
  };
  struct Read {
    std::uint32_t clock = 0;
    std::uint8_t warp = 0;
    std::uint8_t bytes = 0;  ///< of the last read that were not written since
    std::uint16_t unused = 0;
  };

  std::vector<std::uint64_t> writes;  ///< a Write each
  std::vector<std::uint64_t> reads;   ///< a Read each
};

/// Sectors of one region that the current block has touched.
struct BlockEmulator::Touched {
  explicit Touched(std::uint64_t region_bytes) : bits(region_bytes / sector_bytes / 8 + 16) {}

  /// True for a sector that was not touched before.
  bool add(std::uint64_t sector) {
    auto* const words = reinterpret_cast<std::uint64_t*>(bits.data());
    std::uint64_t& word = words[sector / 64];
    const std::uint64_t bit = std::uint64_t{1} << sector % 64;
    if (word == 0) {
      used.push_back(sector / 64);
    }
    const bool fresh = (word & bit) == 0;
    count += fresh ? 1 : 0;
    word |= bit;
    return fresh;
  }

  /// The number of sectors; forgets them.
  std::uint64_t take() {
    auto* const words = reinterpret_cast<std::uint64_t*>(bits.data());
    for (const std::uint64_t word : used) {
      words[word] = 0;
    }
    used.clear();
    return std::exchange(count, 0);
  }

  LazyBytes bits;
  std::vector<std::uint64_t> used;  ///< words that are not zero
  std::uint64_t count = 0;
};

inline constexpr std::size_t remembered_accesses = 256;

/// Sectors of one access, remembered by the first of them.
struct BlockEmulator::LastSectors {
  std::size_t region = 0;
  std::uint64_t first = 0;
  std::uint32_t count = 0;  ///< 0: none in this block
  std::array<std::int32_t, 2 * warp_lanes> offsets{};
};

inline constexpr std::size_t remembered_sectors = 4096;

/// A sector that a warp has asked for, and when by its own time it comes.
struct BlockEmulator::PendingSector {
  std::uint64_t sector = ~std::uint64_t{0};  ///< its address / 32
  std::uint64_t arrives = 0;
  std::uint32_t warp = 0;
};

/// One warp-wide access on its way through the checks and counts.
struct BlockEmulator::Access {  // NOLINT(*-member-init): `resolve` sets it all, and time matters
  std::uint32_t position = 0;
  std::uint32_t bytes = 4;  ///< per lane
  MemorySpace space = MemorySpace::none;
  std::uint32_t counted_mask = 0;  ///< lanes that ask
  std::uint32_t mask = 0;          ///< lanes that may touch memory: those out of bounds are dropped
  std::uint32_t first = 0;         ///< the lowest lane
  bool write = false;
  bool misaligned = false;  ///< some lane
  std::array<std::uint64_t, warp_lanes> addresses;
  Row offsets;              ///< from the first lane's address
  bool spread = false;      ///< offsets do not fit: lanes are more than 2 GiB apart
  std::int64_t lowest = 0;  ///< of the offsets
  std::int64_t highest = 0;
  Region* region = nullptr;  ///< global: that holds every lane, where one does
};

}  // namespace perfmodel::sass
