#include "model/sass/mergeable.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "model/sass/access_pattern.hpp"
#include "model/sass/control_flow.hpp"
#include "model/sass/register_use.hpp"
#include "model/sass/slice.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::uint32_t widest_bytes = 16;
/// Loads that are farther apart would hold their registers for too long.
constexpr std::uint32_t farthest = 128;

/// An access that may have neighbours.
struct Candidate {
  std::uint32_t position = 0;
  std::int64_t offset = 0;
};

/// What accesses to neighbouring addresses have in common.
struct Family {
  bool store = false;
  std::uint32_t bytes = 0;
  std::uint16_t base = 0;
  bool base_in_pool = true;
  bool base64 = false;
  std::uint8_t scale_log2 = 0;
  std::uint16_t uniform = 0;
  bool uniform_in_pool = true;
  std::uint8_t guard = predicate_true;
  bool guard_negated = false;

  friend bool operator==(const Family&, const Family&) = default;
};

Family family_of(const Instruction& instruction) {
  Family family;
  family.store = instruction.op == Op::store;
  family.bytes = instruction.access_bytes;
  family.base = instruction.address.base.row;
  family.base_in_pool = instruction.address.base.pool;
  family.base64 = instruction.address.base64;
  family.scale_log2 = instruction.address.scale_log2;
  family.uniform = instruction.address.uniform.row;
  family.uniform_in_pool = instruction.address.uniform.pool;
  if (instruction.space == MemorySpace::shared) {
    family.guard = instruction.guard.index;
    family.guard_negated = instruction.guard.negate;
  }
  return family;
}

bool is_plain(const Instruction& instruction) {
  return instruction.op == Op::load || instruction.op == Op::store;
}

bool is_narrow(const Instruction& instruction) {
  return is_plain(instruction) && (instruction.access_bytes == 4 || instruction.access_bytes == 8);
}

bool is_wide(const Instruction& instruction) {
  return is_plain(instruction) && instruction.access_bytes > 4;
}

/// Ends a stretch of code that runs from its first instruction to its last.
bool jumps_or_waits(const Instruction& instruction) {
  return is_control(instruction.op) && instruction.op != Op::bmov_to && instruction.op != Op::yield;
}

bool concerns(const Instruction& instruction, MemorySpace space) {
  return instruction.space == space || instruction.space == MemorySpace::generic;
}

/// Whether the memory may be another afterwards than before.
bool may_write(const Instruction& instruction, MemorySpace space) {
  return instruction.op == Op::ldgsts
             ? space == MemorySpace::shared
             : (instruction.op == Op::store || instruction.op == Op::atomic) &&
                   concerns(instruction, space);
}

bool may_read(const Instruction& instruction, MemorySpace space) {
  return instruction.op == Op::ldgsts
             ? space == MemorySpace::global
             : (instruction.op == Op::load || instruction.op == Op::atomic ||
                instruction.op == Op::ldsm) &&
                   concerns(instruction, space);
}

/// Lanes lie side by side, in shared memory in whole warps, in global memory mostly.
bool lanes_adjoin(const LedgerLine& line) {
  const InstructionCounts& counts = line.counts;
  const double whole = counts.requests * warp_lanes * line.access_bytes;
  if (counts.requests == 0 || std::abs(counts.stride_bytes) != line.access_bytes) {
    return false;
  }
  if (line.space == MemorySpace::shared) {
    return counts.useful_bytes == whole &&
           counts.by_access[static_cast<std::size_t>(AccessClass::distinct)] == counts.requests;
  }
  constexpr double mostly = 0.75;
  return counts.useful_bytes >= mostly * whole;
}

/// Finds the accesses of one family between which nothing happens that keeps them apart.
class FamilyFinder {
 public:
  /// `wanted`: which of the accesses to `space` to look for.
  FamilyFinder(const Code& code, MemorySpace space, bool (*wanted)(const Instruction&))
      : code_(code), space_(space), wanted_(wanted) {
    targets_.resize(code.instructions.size());
    for (const Instruction& instruction : code.instructions) {
      if (instruction.target >= 0) {
        targets_[static_cast<std::size_t>(instruction.target)] = true;
      }
    }
  }

  /// Calls `visit(family, accesses)` with accesses in order of their offsets, and `ends(store)`
  /// where nothing that comes can be moved to loads, or stores, visited before.
  void for_each(const auto& visit, const auto& ends) {
    for (std::uint32_t i = 0; i < code_.instructions.size(); ++i) {
      const Instruction& instruction = code_.instructions[i];
      const bool apart = targets_[i] || jumps_or_waits(instruction);
      if (apart || may_write(instruction, space_)) {
        end(false, visit, ends);
      }
      if (apart || may_read(instruction, space_)) {
        end(true, visit, ends);
      }
      if (instruction.space == space_ && wanted_(instruction)) {
        add(i, instruction);
      }
      flush_written(instruction, visit);
    }
    end(false, visit, ends);
    end(true, visit, ends);
  }

 private:
  using Group = std::pair<Family, std::vector<Candidate>>;

  void add(std::uint32_t position, const Instruction& instruction) {
    const Family family = family_of(instruction);
    auto group = std::ranges::find(open_, family, &Group::first);
    if (group == open_.end()) {
      group = open_.insert(open_.end(), {family, {}});
    }
    group->second.push_back({position, instruction.address.offset});
  }

  void end(bool store, const auto& visit, const auto& ends) {
    flush_if([&](const Family& family) { return family.store == store; }, visit);
    ends(store);
  }

  /// Accesses whose base or guard this instruction replaces.
  void flush_written(const Instruction& instruction, const auto& visit) {
    const RegisterUse use = register_use(instruction, code_);
    flush_if(
        [&](const Family& family) {
          const auto second = static_cast<std::uint16_t>(family.base + (family.base64 ? 1 : 0));
          return has(use.writes, family.base, family.base_in_pool, 0) ||
                 has(use.writes, second, family.base_in_pool, 0) ||
                 has(use.uniform_writes, family.uniform, family.uniform_in_pool,
                     code_.uniform_base) ||
                 has(use.uniform_writes, family.base, family.base_in_pool, code_.uniform_base) ||
                 use.predicate_writes.test(family.guard);
        },
        visit);
  }

  static bool has(const std::vector<std::uint16_t>& numbers, std::uint16_t row, bool in_pool,
                  std::uint16_t first_row) {
    return !in_pool && row >= first_row &&
           std::ranges::find(numbers, row - first_row) != numbers.end();
  }

  void flush_if(const auto& concerns, const auto& visit) {
    for (auto group = open_.begin(); group != open_.end();) {
      if (concerns(group->first)) {
        std::ranges::stable_sort(group->second, {}, &Candidate::offset);
        visit(group->first, std::span<const Candidate>(group->second));
        group = open_.erase(group);
      } else {
        ++group;
      }
    }
  }

  const Code& code_;
  MemorySpace space_;
  bool (*wanted_)(const Instruction&);
  std::vector<bool> targets_;
  std::vector<Group> open_;
};

bool are_near(std::span<const Candidate> some) {
  const auto [first, last] = std::ranges::minmax(some, {}, &Candidate::position);
  return last.position - first.position <= farthest;
}

class RunFinder {
 public:
  RunFinder(const Code& code, std::span<const LedgerLine> lines, MemorySpace space)
      : code_(code), lines_(lines), space_(space) {}

  std::vector<MergeableRun> find() {
    FamilyFinder(code_, space_, is_narrow)
        .for_each([&](const Family& family,
                      std::span<const Candidate> all) { merge_neighbours(family, all); },
                  [&](bool store) { merge_others(store); });
    std::ranges::sort(runs_, {}, [](const MergeableRun& run) { return run.positions.front(); });
    return std::move(runs_);
  }

 private:
  void merge_neighbours(const Family& family, std::span<const Candidate> all) {
    std::size_t first = 0;
    while (first < all.size()) {
      std::size_t taken = 0;
      for (std::uint32_t bytes = widest_bytes; bytes > family.bytes && taken == 0; bytes /= 2) {
        const std::size_t count = bytes / family.bytes;
        if (first + count > all.size()) {
          continue;
        }
        const std::span<const Candidate> some = all.subspan(first, count);
        const bool adjacent = lie_apart(some, family.bytes);
        if ((adjacent || adjoin(some, family.bytes)) && are_near(some)) {
          runs_.push_back(run_of(some, family.store, bytes, adjacent));
          taken = count;
        }
      }
      if (taken == 0) {
        if (space_ == MemorySpace::global && lanes_adjoin_at(all[first])) {
          others_.push_back(all[first]);
        }
        taken = 1;
      }
      first += taken;
    }
  }

  /// Global accesses of whole rows, wherever these lie: a lane may take the words of one of them
  /// instead of one word of each.
  void merge_others(bool store) {
    const auto is_store = [&](const Candidate& one) {
      return code_.instructions[one.position].op == Op::store;
    };
    for (std::uint32_t bytes = 4; bytes < widest_bytes; bytes *= 2) {
      std::vector<Candidate> alike;
      std::ranges::copy_if(others_, std::back_inserter(alike), [&](const Candidate& one) {
        return is_store(one) == store && code_.instructions[one.position].access_bytes == bytes;
      });
      std::ranges::sort(alike, {}, &Candidate::position);
      std::span<const Candidate> left(alike);
      while (!left.empty()) {
        std::size_t count =
            std::min<std::size_t>(widest_bytes / bytes, std::bit_floor(left.size()));
        while (count > 1 && !are_near(left.first(count))) {
          count /= 2;
        }
        if (count > 1) {
          runs_.push_back(
              run_of(left.first(count), store, bytes * static_cast<std::uint32_t>(count), false));
        }
        left = left.subspan(count);
      }
    }
    std::erase_if(others_, [&](const Candidate& one) { return is_store(one) == store; });
  }

  static bool lie_apart(std::span<const Candidate> some, std::int64_t distance) {
    for (std::size_t i = 1; i < some.size(); ++i) {
      if (some[i].offset - some[i - 1].offset != distance) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool lanes_adjoin_at(const Candidate& one) const {
    return one.position < lines_.size() && lanes_adjoin(lines_[one.position]);
  }

  [[nodiscard]] bool adjoin(std::span<const Candidate> some, std::uint32_t bytes) const {
    return lie_apart(some, std::int64_t{bytes} * warp_lanes) &&
           std::ranges::all_of(some, [&](const Candidate& one) { return lanes_adjoin_at(one); });
  }

  static MergeableRun run_of(std::span<const Candidate> some, bool store, std::uint32_t bytes,
                             bool adjacent) {
    MergeableRun run;
    for (const Candidate& one : some) {
      run.positions.push_back(one.position);
    }
    std::ranges::sort(run.positions);
    run.leader = store ? run.positions.back() : run.positions.front();
    run.lowest = some.front().position;
    run.bytes = bytes;
    run.adjacent = adjacent;
    return run;
  }

  const Code& code_;
  std::span<const LedgerLine> lines_;
  MemorySpace space_;
  std::vector<MergeableRun> runs_;
  std::vector<Candidate> others_;
};

bool waits_for(const Instruction& instruction, std::uint8_t barrier) {
  return (instruction.control.wait_mask >> barrier & 1U) != 0;
}

/// The first instruction behind `position` that waits for a scoreboard; or the end.
std::size_t first_waiter(const Code& code, std::uint32_t position, std::uint8_t barrier) {
  std::size_t i = position + 1;
  while (i < code.instructions.size() && !waits_for(code.instructions[i], barrier)) {
    ++i;
  }
  return i;
}

/// By position: accesses that are part of another one.
std::vector<bool> merged_away(const Code& code, std::span<const MergeableRun> runs) {
  std::vector<bool> merged(code.instructions.size());
  for (const MergeableRun& run : runs) {
    for (const std::uint32_t position : run.positions) {
      merged[position] = position != run.leader;
    }
  }
  return merged;
}

/// Whether nothing sets the scoreboard any longer that is waited for at `waiter`.
bool waits_in_vain(const Code& code, std::size_t waiter, std::uint8_t barrier) {
  for (std::size_t i = waiter; i-- > 0;) {
    const Instruction& instruction = code.instructions[i];
    const SchedulingControl& control = instruction.control;
    if (jumps_or_waits(instruction) || control.write_barrier == barrier ||
        control.read_barrier == barrier) {
      return false;
    }
    if (waits_for(instruction, barrier)) {
      break;
    }
  }
  return true;
}

/// A scoreboard of its own for the wide load: those of the narrow ones are soon set again by others
/// that their users would wait for as well.
void merge_loads(Code& code, const MergeableRun& run, std::uint8_t own_barrier) {
  std::vector<std::pair<std::size_t, std::uint8_t>> waiters;
  for (const std::uint32_t position : run.positions) {
    std::uint8_t& barrier = code.instructions[position].control.write_barrier;
    if (barrier == no_scheduling_barrier) {
      continue;
    }
    if (const std::size_t waiter = first_waiter(code, position, barrier);
        waiter < code.instructions.size()) {
      code.instructions[waiter].control.wait_mask |= static_cast<std::uint16_t>(1U << own_barrier);
      waiters.emplace_back(waiter, barrier);
    }
    barrier = no_scheduling_barrier;
  }
  if (!waiters.empty()) {
    code.instructions[run.leader].control.write_barrier = own_barrier;
  }
  for (const auto& [waiter, barrier] : waiters) {
    if (waits_in_vain(code, waiter, barrier)) {
      code.instructions[waiter].control.wait_mask &= static_cast<std::uint16_t>(~(1U << barrier));
    }
  }
}

}  // namespace

std::vector<MergeableRun> find_mergeable_runs(const Code& code, std::span<const LedgerLine> lines,
                                              MemorySpace space) {
  return RunFinder(code, lines, space).find();
}

void keep_real(std::vector<MergeableRun>& runs, std::span<const BlockTrace> traces,
               const LaunchTracer& tracer) {
  struct Place {
    std::uint32_t alignment_bytes = 0;  ///< the least
    std::size_t buffer = 0;             ///< of the last access
  };
  std::unordered_map<std::uint32_t, Place> places;  // by position
  for (const BlockTrace& trace : traces) {
    for (const WarpTrace& warp : trace.warps) {
      auto access = warp.accesses.begin();
      for (const TracedStep& step : warp.steps) {
        for (std::uint32_t i = 0; i < step.accesses(); ++i, ++access) {
          const TracedPattern& pattern = tracer.patterns()[access->pattern];
          if (pattern.space == MemorySpace::global) {
            Place& place =
                places.try_emplace(step.position(), Place{pattern.alignment_bytes}).first->second;
            place.alignment_bytes = std::min(place.alignment_bytes, pattern.alignment_bytes);
            place.buffer = tracer.buffer_of(access->first_sector);
          }
        }
      }
    }
  }
  const auto is_aligned = [&](std::uint32_t position, std::uint32_t bytes) {
    return places[position].alignment_bytes >= bytes;
  };
  std::erase_if(runs, [&](const MergeableRun& run) {
    return run.adjacent ? !is_aligned(run.lowest, run.bytes)
                        : !std::ranges::all_of(run.positions, [&](std::uint32_t position) {
                            return is_aligned(position, run.bytes) &&
                                   places[position].buffer == places[run.leader].buffer;
                          });
  });
}

std::vector<bool> unneeded_when_merged(const Code& code, std::span<const MergeableRun> runs) {
  return find_unneeded(code, merged_away(code, runs));
}

void pass_waits_on(Code& code, const std::vector<bool>& gone) {
  std::uint16_t waits = 0;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    std::uint16_t& own = code.instructions[i].control.wait_mask;
    own |= waits;
    waits = gone[i] ? own : std::uint16_t{0};
  }
}

void merge_accesses(Code& code, std::span<const MergeableRun> runs) {
  std::uint8_t loads = 0;
  for (const MergeableRun& run : runs) {
    Instruction& leader = code.instructions[run.leader];
    if (leader.op == Op::load) {
      merge_loads(code, run, first_extra_barrier + loads++ % extra_barriers);
    }
    leader.access_bytes = static_cast<std::uint8_t>(run.bytes);
  }
  pass_waits_on(code, merged_away(code, runs));
}

std::vector<PaddedAccess> padded_accesses(const Code& code,
                                          std::span<const PaddedAlignment> alignment) {
  using Way = PaddedAccess::Way;
  std::vector<PaddedAccess> accesses(code.instructions.size());
  const auto low_bits = [&](std::uint32_t position) {
    return alignment[position].low_bits % code.instructions[position].access_bytes;
  };
  for (std::uint32_t i = 0; i < accesses.size(); ++i) {
    const Instruction& instruction = code.instructions[i];
    if (!alignment[i].known || !is_wide(instruction)) {
      continue;
    }
    const bool differ = alignment[i].differing % instruction.access_bytes != 0;
    if (differ || (low_bits(i) != 0 && instruction.op == Op::store)) {
      accesses[i].way = Way::words;  // a window would overwrite what lies beside
    } else if (low_bits(i) != 0) {
      accesses[i] = {Way::windows, static_cast<std::uint8_t>(low_bits(i))};
    }
  }
  const auto share = [&](const Family& family, std::span<const Candidate> all) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      PaddedAccess& before = accesses[all[i - 1].position];
      const PaddedAccess& after = accesses[all[i].position];
      if (before.way == Way::windows && after.way == Way::windows &&
          all[i].offset - all[i - 1].offset == family.bytes && are_near(all.subspan(i - 1, 2))) {
        before.rest_bytes = 0;
      }
    }
  };
  FamilyFinder(code, MemorySpace::shared, is_wide).for_each(share, [](bool) {});
  return accesses;
}

}  // namespace perfmodel::sass
