#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "model/sass/block.hpp"
#include "model/sass/block_state.hpp"

namespace perfmodel::sass {

// What most accesses pass through. Here rather than in block_memory.cpp, so that the instruction
// loop compiles it for its own instruction set.

inline const Row& row_of(const LaunchContext& context, const Warp& warp, const Source& source,
                         std::size_t next = 0) {
  return source.pool ? context.pool[source.row + next] : warp.rows[source.row + next];
}

/// Calls `visit(lane)` for every lane of the mask, lowest first.
template <class Visit>
inline void for_lanes(std::uint32_t mask, Visit visit) {
  while (mask != 0) {
    visit(static_cast<std::uint32_t>(std::countr_zero(mask)));
    mask &= mask - 1;
  }
}

// Masks and rows turn into each other through this table, which the compiler vectorises.
inline constexpr Row lane_bits = [] {
  Row bits{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    bits[lane] = 1U << lane;
  }
  return bits;
}();

/// Gives every lane of the mask the same value.
inline void fill_lanes(Row& row, std::uint32_t mask, std::uint32_t value) {
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    result[lane] = (mask & lane_bits[lane]) != 0 ? value : row[lane];
  }
  row = result;
}

/// Offsets of lanes side by side, `Words` of 32 bits each.
template <std::uint32_t Words>
inline constexpr Row packed_offsets = [] {
  Row offsets{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    offsets[lane] = 4 * Words * lane;
  }
  return offsets;
}();

inline bool same_row(const Row& left, const Row& right) {
  std::uint32_t differences = 0;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    differences |= left[lane] ^ right[lane];
  }
  return differences == 0;
}

template <std::uint32_t Words>
inline bool is_packed(const Row& offsets, std::uint32_t mask) {
  return mask == full_mask && same_row(offsets, packed_offsets<Words>);
}

/// Loads of `Words` words a lane. `base`, where it is not null, is the first lane's place.
template <std::uint32_t Words, class BytesAt>
inline void load_words(const Row& offsets, std::uint32_t mask, bool same, const std::byte* base,
                       BytesAt bytes_at, Row* destination) {
  if (same) {
    std::array<std::uint32_t, Words> words{};
    std::memcpy(words.data(), bytes_at(static_cast<std::uint32_t>(std::countr_zero(mask))),
                sizeof words);
    for (std::uint32_t row = 0; row < Words; ++row) {
      fill_lanes(destination[row], mask, words[row]);
    }
    return;
  }
  if (base != nullptr && is_packed<Words>(offsets, mask)) {
    std::array<std::uint32_t, Words * warp_lanes> words{};
    std::memcpy(words.data(), base, sizeof words);
    for (std::uint32_t row = 0; row < Words; ++row) {
      for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
        destination[row][lane] = words[lane * Words + row];
      }
    }
    return;
  }
  for_lanes(mask, [&](std::uint32_t lane) {
    std::array<std::uint32_t, Words> words{};
    std::memcpy(words.data(), bytes_at(lane), sizeof words);
    for (std::uint32_t row = 0; row < Words; ++row) {
      destination[row][lane] = words[row];
    }
  });
}

/// The inverse; of lanes that write the same place, the last one stays.
template <std::uint32_t Words, class BytesAt>
inline void store_words(const Row& offsets, std::uint32_t mask, std::byte* base, BytesAt bytes_at,
                        const Row* from) {
  if (base != nullptr && is_packed<Words>(offsets, mask)) {
    std::array<std::uint32_t, Words * warp_lanes> words{};
    for (std::uint32_t row = 0; row < Words; ++row) {
      for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
        words[lane * Words + row] = from[row][lane];
      }
    }
    std::memcpy(base, words.data(), sizeof words);
    return;
  }
  for_lanes(mask, [&](std::uint32_t lane) {
    std::array<std::uint32_t, Words> words{};
    for (std::uint32_t row = 0; row < Words; ++row) {
      words[row] = from[row][lane];
    }
    std::memcpy(bytes_at(lane), words.data(), sizeof words);
  });
}

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

inline BlockEmulator::Memo& BlockEmulator::cost_of(const Access& access, bool second) {
  const auto phase = static_cast<std::uint32_t>(access.addresses[access.first] % line_bytes);
  Memo& last =
      memos_[(first_memo_[access.position] + (second ? 1U : 0U)) * memo_entries + phase / 4];
  if (last.mask != access.counted_mask || last.phase_bytes != phase || access.spread ||
      !same_row(last.offsets, access.offsets)) {
    // Costs that the offsets do not decide are not remembered.
    last.mask = access.spread ? 0 : access.counted_mask;
    last.phase_bytes = phase;
    last.offsets = access.offsets;
    last.cost = new_cost(access);
    last.pattern = ++patterns_;
  }
  return last;
}

/// Adds what the access costs to its instruction; `second` for the shared side of LDGSTS.
inline const AccessCost& BlockEmulator::count_access(Warp& warp, const Access& access,
                                                     bool second) {
  InstructionCounter& counter = counts_.instructions[access.position];
  const Memo& memo = cost_of(access, second);
  const AccessCost& cost = memo.cost;
  if (trace_ != nullptr) {
    trace_access(warp, access, memo, second);
  }
  if (recorder_ != nullptr) {
    if (access.space == MemorySpace::global) {
      record_footprint(access, memo);
    }
    return cost;
  }
  if (second) {
    counter.second_wavefronts += cost.wavefronts;
    return cost;
  }
  ++counter.requests;
  bool counted = false;
  if (access.space == MemorySpace::global) {
    note_sectors(access, cost);
    // What a block stores does not pass through L1.
    if (!access.write && (!fresh_.empty() || cost.line_wavefronts != cost.wavefronts)) {
      counted = count_miss(warp, access, cost);
    }
  }
  counter.wavefronts += counted ? 0 : cost.wavefronts;
  counter.ideal_wavefronts += cost.ideal_wavefronts;
  counter.sectors += cost.sectors;
  counter.lines += cost.lines;
  counter.useful_bytes += cost.useful_bytes;
  ++counter.by_access[static_cast<std::size_t>(cost.access)];
  if (cost.stride_bytes != 0) {
    if (counter.stride_votes == 0 || counter.stride_bytes == cost.stride_bytes) {
      counter.stride_bytes = cost.stride_bytes;
      ++counter.stride_votes;
    } else {
      --counter.stride_votes;
    }
  }
  return cost;
}

/// Notes an access that finds nothing wrong, in one step for many words; false: look closer.
template <bool IsWrite>
inline bool BlockEmulator::note_clean_shared(const Warp& warp, const Access& access,
                                             const AccessCost& cost) {
  constexpr bool write = IsWrite;
  using Write = SharedShadow::Write;
  using Read = SharedShadow::Read;
  const auto self = static_cast<std::uint8_t>(warp.number);
  const std::uint32_t now = warp.clock[self];
  const std::uint32_t words = access.bytes / 4;
  if (words == 0 || access.spread || access.mask != access.counted_mask) {
    return false;
  }
  const std::uint32_t unread = write ? 0 : code_.instructions[access.position].unread_rows;
  std::uint64_t* const writes = shared_shadow_->writes.data();
  std::uint64_t* const reads = shared_shadow_->reads.data();
  const auto clean_write = [&](std::uint64_t packed) {
    const auto last = std::bit_cast<Write>(packed);
    return warp.clock[last.warp] >= last.clock && (write || last.initialised == 0xf);
  };
  const auto clean_read = [&](std::uint64_t packed) {
    const auto last = std::bit_cast<Read>(packed);
    return !write || last.bytes == 0 || warp.clock[last.warp] >= last.clock;
  };
  const auto new_write = std::bit_cast<std::uint64_t>(Write{now, self, 0xf, 0xf, 0});
  const auto new_read = write ? 0 : std::bit_cast<std::uint64_t>(Read{now, self, 0xf, 0});
  const auto first_word = static_cast<std::int64_t>(access.addresses[access.first] / 4);
  const std::int64_t begin = first_word + access.lowest / 4;
  const std::int64_t end = first_word + access.highest / 4 + words;
  const auto row_bytes = static_cast<std::uint64_t>(end - begin) * 4;
  if (unread == 0 && cost.useful_bytes == row_bytes) {
    // A row of words without a gap, which mostly share their past.
    std::uint64_t other_writes = 0;
    std::uint64_t other_reads = 0;
    for (std::int64_t word = begin; word < end; ++word) {
      other_writes |= writes[word] ^ writes[begin];
      if constexpr (write) {
        other_reads |= reads[word] ^ reads[begin];
      }
    }
    bool clean = clean_write(writes[begin]) && clean_read(reads[begin]);
    if ((other_writes | other_reads) != 0) {
      for (std::int64_t word = begin; word < end; ++word) {
        clean = clean && clean_write(writes[word]) && clean_read(reads[word]);
      }
    }
    if (!clean) {
      return false;
    }
    if (write) {
      std::fill(writes + begin, writes + end, new_write);
    }
    std::fill(reads + begin, reads + end, new_read);
    return true;
  }
  bool clean = true;
  std::uint64_t known_write = new_write;  // what was found clean last
  std::uint64_t known_read = new_read;
  for_lanes(access.mask, [&](std::uint32_t lane) {
    const std::uint64_t word = access.addresses[lane] / 4;
    for (std::uint32_t i = 0; i < words; ++i) {
      if ((unread >> i & 1U) != 0) {
        continue;
      }
      if (writes[word + i] != known_write) {
        known_write = writes[word + i];
        clean = clean && clean_write(known_write);
      }
      if (write && reads[word + i] != known_read) {
        known_read = reads[word + i];
        clean = clean && clean_read(known_read);
      }
    }
  });
  if (!clean) {
    return false;
  }
  for_lanes(access.mask, [&](std::uint32_t lane) {
    const std::uint64_t word = access.addresses[lane] / 4;
    for (std::uint32_t i = 0; i < words; ++i) {
      if ((unread >> i & 1U) != 0) {
        continue;
      }
      if (write) {
        writes[word + i] = new_write;
      }
      reads[word + i] = new_read;
    }
  });
  return true;
}

/// Where the first lane's bytes are, if every lane's are at its offset from there: on one page, or
/// in shared memory.
inline std::byte* BlockEmulator::common_bytes(const Access& access) {
  if (access.spread || access.mask != access.counted_mask) {
    return nullptr;
  }
  const std::uint64_t origin = access.addresses[access.first];
  if (access.space == MemorySpace::shared) {
    return shared_.data() + origin;
  }
  if (access.space != MemorySpace::global || access.region == nullptr) {
    return nullptr;
  }
  const std::uint64_t offset = origin - access.region->address();
  const bool one_page = (offset + static_cast<std::uint64_t>(access.lowest)) / Region::page_bytes ==
                        (offset + static_cast<std::uint64_t>(access.highest)) / Region::page_bytes;
  return one_page ? access.region->at(offset) : nullptr;
}

inline void BlockEmulator::execute_load(Warp& warp, Access& access) {
  const Instruction& instruction = code_.instructions[access.position];
  check_bounds(warp, access);
  const AccessCost& cost = count_access(warp, access, false);
  if (find_defects_) {
    if (access.space == MemorySpace::shared) {
      if (!note_clean_shared<false>(warp, access, cost)) {
        note_shared(warp, access, false, false);
      }
    } else if (access.space == MemorySpace::global) {
      note_global(access, warp, false);
    }
  }
  if (!instruction.needed) {
    return;
  }
  Row* const destination = warp.rows + instruction.destination;
  const std::uint32_t rows = (access.bytes + 3) / 4;
  if (access.mask != access.counted_mask) {
    for_lanes(access.counted_mask & ~access.mask, [&](std::uint32_t lane) {
      for (std::uint32_t row = 0; row < rows; ++row) {
        destination[row][lane] = 0;
      }
    });
  }
  if (access.mask == 0) {
    return;
  }
  const std::byte* const base = common_bytes(access);
  const auto bytes_at = [&](std::uint32_t lane) {
    return base != nullptr ? base + static_cast<std::int32_t>(access.offsets[lane])
                           : lane_bytes(warp, access, lane);
  };
  // Local memory is different for every lane even where addresses are the same.
  const bool same =
      access.lowest == access.highest && !access.spread && access.space != MemorySpace::local;
  switch (access.bytes) {
    case 4:
      load_words<1>(access.offsets, access.mask, same, base, bytes_at, destination);
      return;
    case 8:
      load_words<2>(access.offsets, access.mask, same, base, bytes_at, destination);
      return;
    case 16:
      load_words<4>(access.offsets, access.mask, same, base, bytes_at, destination);
      return;
    default:
      break;
  }
  for_lanes(access.mask, [&](std::uint32_t lane) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes_at(lane), access.bytes);
    if (instruction.sign_extend_load) {
      const std::uint32_t unused = 32 - 8 * access.bytes;
      value = static_cast<std::uint32_t>(static_cast<std::int32_t>(value << unused) >>
                                         static_cast<std::int32_t>(unused));
    }
    destination[0][lane] = value;
  });
}

inline void BlockEmulator::execute_store(Warp& warp, Access& access) {
  const Instruction& instruction = code_.instructions[access.position];
  check_bounds(warp, access);
  const AccessCost& cost = count_access(warp, access, false);
  if (find_defects_) {
    if (access.space == MemorySpace::shared) {
      if (!note_clean_shared<true>(warp, access, cost)) {
        note_shared(warp, access, true, false);
      }
    } else if (access.space == MemorySpace::global) {
      note_global(access, warp, true);
    }
  }
  if (!instruction.needed) {
    return;
  }
  std::byte* const base = common_bytes(access);
  const auto bytes_at = [&](std::uint32_t lane) {
    return base != nullptr ? base + static_cast<std::int32_t>(access.offsets[lane])
                           : lane_bytes(warp, access, lane);
  };
  const Row* const from = &row_of(context_, warp, instruction.sources[0]);
  switch (access.bytes) {
    case 4:
      store_words<1>(access.offsets, access.mask, base, bytes_at, from);
      return;
    case 8:
      store_words<2>(access.offsets, access.mask, base, bytes_at, from);
      return;
    case 16:
      store_words<4>(access.offsets, access.mask, base, bytes_at, from);
      return;
    default:
      for_lanes(access.mask, [&](std::uint32_t lane) {
        std::memcpy(bytes_at(lane), &from[0][lane], access.bytes);
      });
  }
}

}  // namespace perfmodel::sass
