#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "model/error.hpp"
#include "model/sass/block.hpp"
#include "model/sass/block_access.hpp"
#include "model/sass/block_state.hpp"
#include "model/sass/number_format.hpp"
#include "model/sass/trace.hpp"

namespace perfmodel::sass {
void BlockEmulator::add_defect(DefectKind kind, std::uint32_t position, const Warp& warp,
                               std::uint32_t lane, const std::string& what, std::uint64_t lanes) {
  Defect& defect = defects_[{kind, position}];
  if (defect.occurrences == 0) {
    const auto& block = context_.launch->block;
    const std::uint32_t thread = warp.number * warp_lanes + lane;
    defect.kind = kind;
    defect.address = position * instruction_bytes;
    const auto& listed = context_.function->instructions[position];
    if (listed.source_line != 0 && listed.source_file < context_.module->source_files.size()) {
      defect.source_file = context_.module->source_files[listed.source_file];
      defect.source_line = listed.source_line;
    }
    defect.what = fmt::format("block ({},{},{}), thread ({},{},{}) {}", block_[0], block_[1],
                              block_[2], thread % block[0], thread / block[0] % block[1],
                              thread / block[0] / block[1], what);
  }
  defect.occurrences += lanes;
}

/// Drops lanes that would touch what does not exist, or not aligned, and records why.
void BlockEmulator::check_bounds(Warp& warp, Access& access) {
  const char* const verb = access.write ? "writes" : "reads";
  if (access.misaligned) {
    for_lanes(access.mask, [&](std::uint32_t lane) {
      if (access.addresses[lane] % access.bytes != 0) {
        add_defect(DefectKind::misaligned, access.position, warp, lane,
                   fmt::format("{} {} bytes at {:#x}, which is not aligned to them", verb,
                               access.bytes, access.addresses[lane]));
        access.addresses[lane] -= access.addresses[lane] % access.bytes;
      }
    });
    access.spread = true;  // the offsets hold no more
  }
  if (access.space == MemorySpace::global) {
    const std::uint64_t origin = access.addresses[access.first];
    if (!access.spread) {
      const std::uint64_t lowest = origin + static_cast<std::uint64_t>(access.lowest);
      Region* const region = context_.memory->find(lowest, access.bytes);
      if (region != nullptr &&
          region->contains(origin + static_cast<std::uint64_t>(access.highest), access.bytes)) {
        access.region = region;
        return;
      }
    }
    for_lanes(access.mask, [&](std::uint32_t lane) {
      const std::uint64_t address = access.addresses[lane];
      if (context_.memory->find(address, access.bytes) != nullptr) {
        return;
      }
      access.mask &= ~(1U << lane);
      std::string what = fmt::format("{} {} bytes at {:#x}", verb, access.bytes, address);
      if (const Region* const near = context_.memory->nearest(address)) {
        const std::uint64_t end = near->address() + near->size();
        if (address < near->address()) {
          what += fmt::format(", {} bytes before {}", near->address() - address, near->name());
        } else if (address >= end) {
          what += fmt::format(", {} bytes behind the end of {}", address - end, near->name());
        } else {
          what += fmt::format(", across the end of {}", near->name());
        }
      }
      add_defect(DefectKind::out_of_bounds, access.position, warp, lane, what);
    });
    return;
  }
  const bool shared = access.space == MemorySpace::shared;
  const std::uint64_t size = shared ? context_.shared_bytes : context_.local_bytes;
  const std::uint64_t origin = access.addresses[access.first];
  if (!access.spread && static_cast<std::int64_t>(origin) + access.lowest >= 0 &&
      origin + static_cast<std::uint64_t>(access.highest) + access.bytes <= size) {
    return;
  }
  for_lanes(access.mask, [&](std::uint32_t lane) {
    if (access.addresses[lane] + access.bytes > size) {
      access.mask &= ~(1U << lane);
      add_defect(DefectKind::out_of_bounds, access.position, warp, lane,
                 fmt::format("{} {} bytes at {:#x} of {} bytes of {} memory", verb, access.bytes,
                             access.addresses[lane], size, shared ? "shared" : "local"));
    }
  });
}

std::byte* BlockEmulator::lane_bytes(Warp& warp, const Access& access, std::uint32_t lane) {
  const std::uint64_t address = access.addresses[lane];
  switch (access.space) {
    case MemorySpace::shared:
      return shared_.data() + address;
    case MemorySpace::local:
      return warp.local.data() + std::size_t{lane} * context_.local_bytes + address;
    default: {
      Region* const region =
          access.region != nullptr ? access.region : context_.memory->find(address, access.bytes);
      return region->at(address - region->address());
    }
  }
}

/// What an access costs, from its pattern.
AccessCost BlockEmulator::new_cost(const Access& access) {
  const auto phase = static_cast<std::uint32_t>(access.addresses[access.first] % line_bytes);
  AccessCost cost;
  switch (access.space) {
    case MemorySpace::shared:
      cost = shared_access(access.offsets, phase, access.counted_mask, access.bytes, access.write);
      break;
    case MemorySpace::local: {
      // Threads' words interleave: the same address in every thread is one line.
      Row interleaved{};
      for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
        interleaved[lane] = access.offsets[lane] * warp_lanes + lane * std::max(access.bytes, 4U);
      }
      const std::uint32_t origin = interleaved[access.first];
      for (std::uint32_t& offset : interleaved) {
        offset -= origin;
      }
      cost = global_access(interleaved, origin % line_bytes, access.counted_mask, access.bytes);
      break;
    }
    default:
      if (access.spread) {
        // Lanes this far apart share nothing: every distinct address is a line of its own.
        std::array<std::uint64_t, warp_lanes> sectors{};
        std::size_t count = 0;
        for_lanes(access.counted_mask, [&](std::uint32_t lane) {
          sectors[count++] = access.addresses[lane] / sector_bytes;
        });
        const std::span<std::uint64_t> asked = std::span(sectors).first(count);
        std::ranges::sort(asked);
        cost.sectors = static_cast<std::uint32_t>(count - std::ranges::unique(asked).size());
        std::uint64_t previous = ~std::uint64_t{0};
        const std::uint64_t first = access.addresses[access.first] / sector_bytes;
        for (std::uint32_t i = 0; i < cost.sectors; ++i) {
          cost.lines += asked[i] / 4 != previous ? 1 : 0;
          previous = asked[i] / 4;
          cost.sector_offsets[i] = static_cast<std::int32_t>(asked[i] - first);
        }
        cost.wavefronts = cost.lines;
        cost.line_wavefronts = cost.lines;
        cost.useful_bytes = cost.sectors * access.bytes;
        cost.ideal_wavefronts = 1;
        cost.access = AccessClass::gather;
      } else {
        cost = global_access(access.offsets, phase, access.counted_mask, access.bytes);
      }
  }
  return cost;
}

/// Takes an access down for the trace.
void BlockEmulator::trace_access(const Warp& warp, const Access& access, const Memo& memo,
                                 bool second) {
  const std::uint64_t origin = access.addresses[access.first];
  TracedAccess traced;
  // Words of local memory interleave: four bytes of every lane are one line of four sectors.
  traced.first_sector =
      access.space == MemorySpace::local
          ? origin / 4 * 4 + access.first * std::max(access.bytes, 4U) / sector_bytes
          : origin / sector_bytes;
  const bool taken_apart =
      access.space == MemorySpace::global && memo.cost.line_wavefronts != memo.cost.wavefronts;
  traced.miss_wavefronts = taken_apart ? miss_wavefronts(memo.cost, access.offsets, origin,
                                                         access.counted_mask, access.bytes)
                                       : memo.cost.wavefronts;
  trace_->add_access(warp.number, access.position, access.spread ? 0 : memo.pattern, traced,
                     access.space, memo.cost, {access.offsets, origin, access.counted_mask},
                     second);
}

/// Remembers the sectors of an access; sets `fresh_`.
void BlockEmulator::note_sectors(const Access& access, const AccessCost& cost) {
  fresh_.clear();
  if (access.region != nullptr && !access.spread) {
    const auto index = static_cast<std::size_t>(access.region - context_.memory->regions().data());
    const std::uint64_t first =
        (access.addresses[access.first] - access.region->address()) / sector_bytes;
    // Walking along a line, instructions touch the same sectors several times.
    // Scattered: accesses are often a power of two apart, and those of other widths begin alike.
    const std::uint64_t key = (first ^ index << 40 ^ std::uint64_t{cost.sectors} << 48) *
                              std::uint64_t{0x9e3779b97f4a7c15};
    LastSectors& last = last_sectors_[key >> 32 & (remembered_accesses - 1)];
    if (last.first == first && last.region == index && last.count == cost.sectors &&
        std::memcmp(last.offsets.data(), cost.sector_offsets.data(),
                    cost.sectors * sizeof(std::int32_t)) == 0) {
      return;
    }
    last.first = first;
    last.region = index;
    last.count = cost.sectors;
    std::copy_n(cost.sector_offsets.begin(), cost.sectors, last.offsets.begin());
    const std::uint64_t base = access.region->address() / sector_bytes;
    for (std::uint32_t i = 0; i < cost.sectors; ++i) {
      const std::uint64_t sector =
          first + static_cast<std::uint64_t>(std::int64_t{cost.sector_offsets[i]});
      if (touched_[index].add(sector)) {
        fresh_.push_back(base + sector);
      }
    }
    return;
  }
  for_lanes(access.mask, [&](std::uint32_t lane) {
    const Region* const region = context_.memory->find(access.addresses[lane], access.bytes);
    if (region != nullptr) {
      Touched& touched =
          touched_[static_cast<std::size_t>(region - context_.memory->regions().data())];
      if (touched.add((access.addresses[lane] - region->address()) / sector_bytes)) {
        fresh_.push_back(access.addresses[lane] / sector_bytes);
      }
    }
  });
}

/// The warp's own time in instructions: those it has executed, and what it waited for loads whose
/// results it has used since.
std::uint64_t BlockEmulator::time_of(Warp& warp) const {
  const std::uint64_t executed = executed_ - turn_start_;
  for (const AwaitedLoad& load : warp.awaited) {
    if (load.used <= executed && load.arrives > load.used + warp.waited) {
      warp.waited = load.arrives - load.used;
    }
  }
  const std::uint64_t now = executed + warp.waited;
  std::erase_if(warp.awaited, [&](const AwaitedLoad& load) {
    return load.used <= executed || load.arrives <= now;
  });
  return now;
}

/// When the last of the sectors arrives that the warp itself has asked for before; 0: none is on
/// its way.
std::uint64_t BlockEmulator::pending_until(const Warp& warp, const Access& access,
                                           const AccessCost& cost) const {
  const std::uint64_t first = access.addresses[access.first] / sector_bytes;
  std::uint64_t latest = 0;
  for (std::uint32_t i = 0; i < cost.sectors; ++i) {
    const std::uint64_t sector =
        first + static_cast<std::uint64_t>(std::int64_t{cost.sector_offsets[i]});
    const PendingSector& known = pending_[sector % remembered_sectors];
    if (known.sector == sector && known.warp == warp.number) {
      latest = std::max(latest, known.arrives);
    }
  }
  return latest;
}

/// Counts the wavefronts of a load from global memory if something of it has to come from L2: a
/// sector that the block touches for the first time, or one that this warp asked for before and
/// that is still on its way. Other warps are taken to find what the first one asked for.
bool BlockEmulator::count_miss(Warp& warp, const Access& access, const AccessCost& cost) {
  // 280 cycles and more from L2, at four to five from one instruction of a warp to the next.
  constexpr std::uint64_t latency_instructions = 64;
  const bool undecided = cost.line_wavefronts != cost.wavefronts;
  if (fresh_.empty() && warp.last_arrival <= executed_ - turn_start_ + warp.waited) {
    return false;
  }
  const std::uint64_t now = time_of(warp);
  std::uint64_t arrives = undecided && !access.spread ? pending_until(warp, access, cost) : 0;
  if (fresh_.empty() && arrives <= now) {
    return false;
  }
  if (!fresh_.empty()) {
    arrives = now + latency_instructions;
    for (const std::uint64_t sector : fresh_) {
      pending_[sector % remembered_sectors] = {sector, arrives, warp.number};
    }
  }
  warp.last_arrival = std::max(warp.last_arrival, arrives);
  const std::uint32_t distance = code_.instructions[access.position].use_distance;
  if (distance != 0) {
    warp.awaited.push_back({arrives, executed_ - turn_start_ + distance});
  }
  if (!undecided) {
    return false;
  }
  counts_.instructions[access.position].miss_wavefronts.sum += miss_wavefronts(
      cost, access.offsets, access.addresses[access.first], access.counted_mask, access.bytes);
  return true;
}

/// Races and unwritten bytes in shared memory.
void BlockEmulator::note_shared(Warp& warp, const Access& access, bool write, bool atomic) {
  const auto self = static_cast<std::uint8_t>(warp.number);
  const std::uint32_t now = warp.clock[self];
  const std::uint32_t unread = write ? 0 : code_.instructions[access.position].unread_rows;
  const std::uint32_t words = (access.bytes + 3) / 4;
  // Two lanes of one access that write the same word are ordered by the hardware.
  for_lanes(access.mask, [&](std::uint32_t lane) {
    const std::uint64_t address = access.addresses[lane];
    const auto bytes = static_cast<std::uint8_t>(
        access.bytes >= 4 ? 0xfU : ((1U << access.bytes) - 1) << address % 4);
    for (std::uint32_t i = 0; i < words; ++i) {
      if ((unread >> i & 1U) != 0) {
        continue;
      }
      const std::uint64_t word = address / 4 + i;
      auto last_write = std::bit_cast<SharedShadow::Write>(shared_shadow_->writes[word]);
      auto last_read = std::bit_cast<SharedShadow::Read>(shared_shadow_->reads[word]);
      // A warp's clock is never behind what it did itself.
      const bool ordered_write = warp.clock[last_write.warp] >= last_write.clock ||
                                 (atomic && last_write.atomic != 0) ||
                                 (last_write.bytes & bytes) == 0;
      const bool ordered_read =
          warp.clock[last_read.warp] >= last_read.clock || (last_read.bytes & bytes) == 0;
      if (!ordered_write || (write && !ordered_read)) {
        add_defect(DefectKind::shared_race, access.position, warp, lane,
                   fmt::format("{} shared memory at {:#x} that warp {} {} since the last barrier "
                               "between them",
                               write ? "writes" : "reads", word * 4,
                               !ordered_write ? last_write.warp : last_read.warp,
                               !ordered_write ? "wrote" : "read"));
      }
      if ((!write || atomic) && (bytes & ~last_write.initialised) != 0) {
        add_defect(DefectKind::uninitialised_read, access.position, warp, lane,
                   fmt::format("reads shared memory at {:#x} that nothing wrote", word * 4));
      }
      if (write) {
        const bool again = last_write.warp == self && last_write.clock == now;
        last_write = {now, self,
                      static_cast<std::uint8_t>(again ? last_write.bytes | bytes : bytes),
                      static_cast<std::uint8_t>(last_write.initialised | bytes),
                      static_cast<std::uint8_t>(atomic ? 1 : 0)};
        last_read.bytes = static_cast<std::uint8_t>(last_read.bytes & ~bytes);
      } else {
        const bool again = last_read.warp == self && last_read.clock == now;
        last_read = {now, self, static_cast<std::uint8_t>(again ? last_read.bytes | bytes : bytes),
                     0};
      }
      shared_shadow_->writes[word] = std::bit_cast<std::uint64_t>(last_write);
      shared_shadow_->reads[word] = std::bit_cast<std::uint64_t>(last_read);
    }
  });
}

void BlockEmulator::note_global(const Access& access, Warp& warp, bool write) {
  if (access.region != nullptr && !access.region->tracks_writes()) {
    return;
  }
  const std::uint32_t unread = write ? 0 : code_.instructions[access.position].unread_rows;
  for_lanes(access.mask, [&](std::uint32_t lane) {
    Region* const region = access.region != nullptr
                               ? access.region
                               : context_.memory->find(access.addresses[lane], access.bytes);
    if (region == nullptr || !region->tracks_writes()) {
      return;
    }
    const std::uint64_t offset = access.addresses[lane] - region->address();
    if (write) {
      region->note_write(offset, access.bytes);
      return;
    }
    for (std::uint32_t byte = 0; byte < access.bytes; byte += 4) {
      if ((unread >> byte / 4 & 1U) == 0 &&
          !region->written(offset + byte, std::min(access.bytes, 4U))) {
        add_defect(DefectKind::uninitialised_read, access.position, warp, lane,
                   fmt::format("reads {} bytes at offset {} of {}, which nothing wrote",
                               access.bytes, offset, region->name()));
        return;
      }
    }
  });
}

void BlockEmulator::execute_constant_load(Warp& warp, std::uint32_t position, std::uint32_t mask) {
  const Instruction& instruction = code_.instructions[position];
  const Row& base = row_of(context_, warp, instruction.address.base);
  const Row& uniform = row_of(context_, warp, instruction.address.uniform);
  const std::vector<std::byte>& bank = context_.banks[instruction.bank];
  Row* const destination = warp.rows + instruction.destination;
  const std::uint32_t rows = (instruction.access_bytes + 3U) / 4;
  // Without a register of its own, every lane reads the same.
  const bool same = instruction.address.base.pool;
  for_lanes(same ? mask & (0 - mask) : mask, [&](std::uint32_t lane) {
    const std::uint64_t address = static_cast<std::uint32_t>(
        base[lane] + uniform[lane] + static_cast<std::uint32_t>(instruction.address.offset));
    std::array<std::uint32_t, 4> words{};
    if (address + instruction.access_bytes <= bank.size()) {
      std::memcpy(words.data(), bank.data() + address, instruction.access_bytes);
    } else if (instruction.bank != 0) {
      add_defect(DefectKind::out_of_bounds, position, warp, lane,
                 fmt::format("reads {} bytes at {:#x} of {} bytes of constant bank {}",
                             instruction.access_bytes, address, bank.size(), instruction.bank),
                 same ? static_cast<std::uint64_t>(std::popcount(mask)) : 1);
    }
    if (instruction.sign_extend_load && instruction.access_bytes < 4) {
      const std::uint32_t unused = 32 - 8U * instruction.access_bytes;
      words[0] = static_cast<std::uint32_t>(static_cast<std::int32_t>(words[0] << unused) >>
                                            static_cast<std::int32_t>(unused));
    }
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (same) {
        fill_lanes(destination[row], mask, words[row]);
      } else {
        destination[row][lane] = words[row];
      }
    }
  });
}

namespace {

template <class T>
T combine_integers(AtomicOp operation, T old, T value) {
  switch (operation) {
    case AtomicOp::add:
      return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(value));
    case AtomicOp::min:
      return std::min(old, value);
    case AtomicOp::max:
      return std::max(old, value);
    case AtomicOp::and_:
      return old & value;
    case AtomicOp::or_:
      return old | value;
    case AtomicOp::xor_:
      return old ^ value;
    case AtomicOp::inc:
      return old >= value ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::dec:
      return old == 0 || old > value ? value : static_cast<T>(old - 1);
    default:
      return value;
  }
}

template <class T>
T combine_floats(AtomicOp operation, T old, T value) {
  switch (operation) {
    case AtomicOp::add:
      return old + value;
    case AtomicOp::min:
      return std::fmin(old, value);
    case AtomicOp::max:
      return std::fmax(old, value);
    default:
      return value;
  }
}

std::uint32_t combine_halves(AtomicOp operation, std::uint32_t old, std::uint32_t value,
                             bool bfloat) {
  std::uint32_t result = 0;
  for (std::uint32_t shift = 0; shift < 32; shift += 16) {
    const float left = float_from_half(static_cast<std::uint16_t>(old >> shift), bfloat);
    const float right = float_from_half(static_cast<std::uint16_t>(value >> shift), bfloat);
    result |= std::uint32_t{half_from_float(combine_floats(operation, left, right), bfloat)}
              << shift;
  }
  return result;
}

std::uint64_t combine_atomic(const Instruction& instruction, std::uint64_t old,
                             std::uint64_t value) {
  const AtomicOp operation = instruction.atomic;
  switch (instruction.from) {
    case Number::s32:
      return static_cast<std::uint32_t>(combine_integers(operation, static_cast<std::int32_t>(old),
                                                         static_cast<std::int32_t>(value)));
    case Number::u64:
      return combine_integers(operation, old, value);
    case Number::s64:
      return static_cast<std::uint64_t>(combine_integers(operation, static_cast<std::int64_t>(old),
                                                         static_cast<std::int64_t>(value)));
    case Number::f32:
      return std::bit_cast<std::uint32_t>(
          combine_floats(operation, std::bit_cast<float>(static_cast<std::uint32_t>(old)),
                         std::bit_cast<float>(static_cast<std::uint32_t>(value))));
    case Number::f64:
      return std::bit_cast<std::uint64_t>(
          combine_floats(operation, std::bit_cast<double>(old), std::bit_cast<double>(value)));
    case Number::f16:
    case Number::bf16:
      return combine_halves(operation, static_cast<std::uint32_t>(old),
                            static_cast<std::uint32_t>(value), instruction.from == Number::bf16);
    default:
      return combine_integers(operation, static_cast<std::uint32_t>(old),
                              static_cast<std::uint32_t>(value));
  }
}

}  // namespace

void BlockEmulator::execute_atomic(Warp& warp, Access& access) {
  const Instruction& instruction = code_.instructions[access.position];
  check_bounds(warp, access);
  (void)count_access(warp, access, false);
  if (find_defects_) {
    if (access.space == MemorySpace::shared) {
      note_shared(warp, access, true, true);
    } else if (access.space == MemorySpace::global) {
      note_global(access, warp, false);
      note_global(access, warp, true);
    }
  }
  if (!instruction.needed) {
    return;
  }
  std::unique_lock<std::mutex> lock;
  if (access.space == MemorySpace::global) {
    lock = std::unique_lock(context_.memory->atomics());
  }
  Row* const destination = warp.rows + instruction.destination;
  const auto operand = [&](std::size_t index, std::uint32_t lane) {
    std::uint64_t value = row_of(context_, warp, instruction.sources[index])[lane];
    if (access.bytes == 8) {
      value |= std::uint64_t{row_of(context_, warp, instruction.sources[index], 1)[lane]} << 32;
    }
    return value;
  };
  std::uint32_t done = 0;
  const std::uint8_t verdict = instruction.predicate_destinations[0];
  if (verdict % 8 != predicate_true && instruction.space == MemorySpace::generic &&
      access.space != MemorySpace::global) {
    // Works in global memory only, and says so: code for the other memories follows.
    warp.predicates[verdict] &= ~access.mask;
    return;
  }
  for_lanes(access.mask, [&](std::uint32_t lane) {
    std::byte* const place = lane_bytes(warp, access, lane);
    std::uint64_t old = 0;
    std::memcpy(&old, place, access.bytes);
    std::uint64_t result = old;
    std::uint64_t updated = 0;
    if (instruction.atomic == AtomicOp::cas || instruction.atomic == AtomicOp::cast) {
      const bool equal = old == operand(0, lane);
      done |= equal ? 1U << lane : 0;
      updated = equal ? operand(1, lane) : old;
      if (instruction.atomic == AtomicOp::cast) {
        result = equal ? 1 : 0;
      }
    } else {
      updated = combine_atomic(instruction, old, operand(0, lane));
      done |= 1U << lane;
    }
    std::memcpy(place, &updated, access.bytes);
    destination[0][lane] = static_cast<std::uint32_t>(result);
    if (access.bytes == 8 && instruction.destination != code_.sink) {
      destination[1][lane] = static_cast<std::uint32_t>(result >> 32);
    }
  });
  if (verdict % 8 != predicate_true) {
    warp.predicates[verdict] = (warp.predicates[verdict] & ~access.mask) | done;
  }
}

void BlockEmulator::execute_async_copy(Warp& warp, std::uint32_t position, std::uint32_t mask) {
  const Instruction& instruction = code_.instructions[position];
  Access from;
  resolve(warp, position, instruction.address2, MemorySpace::global, mask, from);
  from.write = false;
  check_bounds(warp, from);
  (void)count_access(warp, from, false);
  Access to;
  resolve(warp, position, instruction.address, MemorySpace::shared, mask, to);
  to.write = true;
  check_bounds(warp, to);
  (void)count_access(warp, to, true);
  if (find_defects_) {
    note_global(from, warp, false);
    note_shared(warp, to, true, false);
  }
  if (!instruction.needed) {
    return;
  }
  const std::uint32_t reads =
      mask & (instruction.predicates[0].negate ? ~warp.predicates[instruction.predicates[0].index]
                                               : warp.predicates[instruction.predicates[0].index]);
  for_lanes(to.mask, [&](std::uint32_t lane) {
    if ((from.mask & reads & 1U << lane) != 0) {
      std::memcpy(lane_bytes(warp, to, lane), lane_bytes(warp, from, lane), to.bytes);
    } else {
      std::memset(lane_bytes(warp, to, lane), 0, to.bytes);
    }
  });
}

void BlockEmulator::execute_matrix_load(Warp& warp, std::uint32_t position, std::uint32_t mask) {
  const Instruction& instruction = code_.instructions[position];
  const std::uint32_t rows = 8U * instruction.matrices;
  const std::uint32_t holders = rows == warp_lanes ? mask : mask & ((1U << rows) - 1);
  if (holders == 0) {
    return;
  }
  Access access;
  resolve(warp, position, instruction.address, MemorySpace::shared, holders, access);
  InstructionCounter& counter = counts_.instructions[position];
  const AccessCost cost = matrix_access(
      access.offsets, static_cast<std::uint32_t>(access.addresses[access.first] % line_bytes),
      instruction.matrices);
  if (trace_ != nullptr) {
    trace_->add_access(warp.number, position, 0, {}, MemorySpace::shared, cost,
                       {access.offsets, access.addresses[access.first], holders}, false);
  }
  ++counter.requests;
  counter.wavefronts += cost.wavefronts;
  counter.ideal_wavefronts += cost.ideal_wavefronts;
  counter.useful_bytes += cost.useful_bytes;
  ++counter.by_access[static_cast<std::size_t>(cost.access)];
  check_bounds(warp, access);
  if (find_defects_) {
    note_shared(warp, access, false, false);
  }
  if (!instruction.needed || access.mask != holders) {
    return;
  }
  for (std::uint32_t matrix = 0; matrix < instruction.matrices; ++matrix) {
    Row& destination = warp.rows[instruction.destination + matrix];
    for_lanes(mask, [&](std::uint32_t lane) {
      // Lane l receives elements (l / 4, 2 (l % 4)) and the one to its right, or below if
      // transposed.
      std::uint32_t value = 0;
      for (std::uint32_t half = 0; half < 2; ++half) {
        std::uint32_t row = lane / 4;
        std::uint32_t column = 2 * (lane % 4) + half;
        if (instruction.transposed) {
          std::swap(row, column);
        }
        std::uint16_t element = 0;
        std::memcpy(&element, lane_bytes(warp, access, 8 * matrix + row) + 2 * column, 2);
        value |= std::uint32_t{element} << 16 * half;
      }
      destination[lane] = value;
    });
  }
}

}  // namespace perfmodel::sass
