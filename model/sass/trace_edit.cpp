#include "model/sass/trace_edit.hpp"

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "model/sass/access_pattern.hpp"
#include "model/sass/register_use.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::uint32_t widest_bytes = 16;
/// Loads that are farther apart would hold their registers for too long.
constexpr std::uint32_t farthest = 128;

/// A narrow access that may become part of a wide one.
struct Candidate {
  std::uint32_t position = 0;
  std::int64_t offset = 0;
  bool lanes_adjoin = false;  ///< lane n + 1 goes on where lane n ends
};

/// What accesses that merge have in common.
struct Family {
  bool store = false;
  std::uint32_t bytes = 0;
  std::uint16_t base = 0;
  bool base_in_pool = true;
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
  family.scale_log2 = instruction.address.scale_log2;
  family.uniform = instruction.address.uniform.row;
  family.uniform_in_pool = instruction.address.uniform.pool;
  family.guard = instruction.guard.index;
  family.guard_negated = instruction.guard.negate;
  return family;
}

bool is_narrow_shared(const Instruction& instruction) {
  return (instruction.op == Op::load || instruction.op == Op::store) &&
         instruction.space == MemorySpace::shared &&
         (instruction.access_bytes == 4 || instruction.access_bytes == 8);
}

/// Ends a stretch of code that runs from its first instruction to its last.
bool jumps_or_waits(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::bra:
    case Op::brx:
    case Op::call:
    case Op::ret:
    case Op::exit:
    case Op::bssy:
    case Op::bsync:
    case Op::breakb:
    case Op::warpsync:
    case Op::bar:
    case Op::trap:
      return true;
    default:
      return false;
  }
}

/// Whether shared memory may be another afterwards than before.
bool may_write_shared(const Instruction& instruction) {
  return (instruction.op == Op::store || instruction.op == Op::atomic ||
          instruction.op == Op::ldgsts) &&
         instruction.space != MemorySpace::global && instruction.space != MemorySpace::local;
}

bool may_read_shared(const Instruction& instruction) {
  return (instruction.op == Op::load || instruction.op == Op::atomic ||
          instruction.op == Op::ldsm) &&
         instruction.space != MemorySpace::global && instruction.space != MemorySpace::local;
}

/// Every request is of a whole warp whose lanes lie side by side.
bool lanes_adjoin(const LedgerLine& line) {
  const InstructionCounts& counts = line.counts;
  const double whole = counts.requests * warp_lanes * line.access_bytes;
  return counts.requests > 0 && counts.useful_bytes == whole &&
         counts.by_access[static_cast<std::size_t>(AccessClass::distinct)] == counts.requests &&
         std::abs(counts.stride_bytes) == line.access_bytes;
}

class RunFinder {
 public:
  RunFinder(const Code& code, std::span<const LedgerLine> lines) : code_(code), lines_(lines) {
    targets_.resize(code.instructions.size());
    for (const Instruction& instruction : code.instructions) {
      if (instruction.target >= 0) {
        targets_[static_cast<std::size_t>(instruction.target)] = true;
      }
    }
  }

  std::vector<MergeableRun> find() {
    for (std::uint32_t i = 0; i < code_.instructions.size(); ++i) {
      const Instruction& instruction = code_.instructions[i];
      if (targets_[i] || jumps_or_waits(instruction)) {
        flush_if([](const Family&) { return true; });
      }
      if (may_write_shared(instruction)) {
        flush_if([](const Family& family) { return !family.store; });
      }
      if (may_read_shared(instruction)) {
        flush_if([](const Family& family) { return family.store; });
      }
      if (is_narrow_shared(instruction)) {
        add(i, instruction);
      }
      flush_written(instruction);
    }
    flush_if([](const Family&) { return true; });
    std::ranges::sort(runs_, {}, [](const MergeableRun& run) { return run.positions.front(); });
    return std::move(runs_);
  }

 private:
  using Group = std::pair<Family, std::vector<Candidate>>;

  void add(std::uint32_t position, const Instruction& instruction) {
    const Family family = family_of(instruction);
    auto group = std::ranges::find(open_, family, &Group::first);
    if (group == open_.end()) {
      group = open_.insert(open_.end(), {family, {}});
    }
    group->second.push_back({position, instruction.address.offset,
                             position < lines_.size() && lanes_adjoin(lines_[position])});
  }

  /// Accesses whose base or guard this instruction replaces.
  void flush_written(const Instruction& instruction) {
    const RegisterUse use = register_use(instruction, code_);
    flush_if([&](const Family& family) {
      return has(use.writes, family.base, family.base_in_pool, 0) ||
             has(use.uniform_writes, family.uniform, family.uniform_in_pool, code_.uniform_base) ||
             has(use.uniform_writes, family.base, family.base_in_pool, code_.uniform_base) ||
             use.predicate_writes.test(family.guard);
    });
  }

  static bool has(const std::vector<std::uint16_t>& numbers, std::uint16_t row, bool in_pool,
                  std::uint16_t first_row) {
    return !in_pool && row >= first_row &&
           std::ranges::find(numbers, row - first_row) != numbers.end();
  }

  void flush_if(const auto& concerns) {
    for (auto group = open_.begin(); group != open_.end();) {
      if (concerns(group->first)) {
        merge(group->first, group->second);
        group = open_.erase(group);
      } else {
        ++group;
      }
    }
  }

  void merge(const Family& family, std::vector<Candidate>& candidates) {
    std::ranges::stable_sort(candidates, {}, &Candidate::offset);
    const std::span<const Candidate> all(candidates);
    std::size_t first = 0;
    while (first < all.size()) {
      std::size_t taken = 1;
      for (std::uint32_t bytes = widest_bytes; bytes > family.bytes && taken == 1; bytes /= 2) {
        const std::size_t count = bytes / family.bytes;
        if (first + count > all.size()) {
          continue;
        }
        const std::span<const Candidate> some = all.subspan(first, count);
        const bool adjacent = lie_apart(some, family.bytes);
        if ((adjacent || adjoin(some, family.bytes)) && are_near(some)) {
          runs_.push_back(run_of(some, family, bytes, adjacent));
          taken = count;
        }
      }
      first += taken;
    }
  }

  static bool lie_apart(std::span<const Candidate> some, std::int64_t distance) {
    for (std::size_t i = 1; i < some.size(); ++i) {
      if (some[i].offset - some[i - 1].offset != distance) {
        return false;
      }
    }
    return true;
  }

  static bool adjoin(std::span<const Candidate> some, std::uint32_t bytes) {
    return lie_apart(some, std::int64_t{bytes} * warp_lanes) &&
           std::ranges::all_of(some, &Candidate::lanes_adjoin);
  }

  static bool are_near(std::span<const Candidate> some) {
    const auto [first, last] = std::ranges::minmax(some, {}, &Candidate::position);
    return last.position - first.position <= farthest;
  }

  static MergeableRun run_of(std::span<const Candidate> some, const Family& family,
                             std::uint32_t bytes, bool adjacent) {
    MergeableRun run;
    for (const Candidate& one : some) {
      run.positions.push_back(one.position);
    }
    std::ranges::sort(run.positions);
    run.leader = family.store ? run.positions.back() : run.positions.front();
    run.lowest = some.front().position;
    run.bytes = bytes;
    run.adjacent = adjacent;
    return run;
  }

  const Code& code_;
  std::span<const LedgerLine> lines_;
  std::vector<bool> targets_;
  std::vector<Group> open_;
  std::vector<MergeableRun> runs_;
};

/// The first instruction behind `position` that waits for a scoreboard also waits for another.
void wait_as_well(Code& code, std::uint32_t position, std::uint8_t barrier, std::uint8_t another) {
  for (std::size_t i = position + 1; i < code.instructions.size(); ++i) {
    SchedulingControl& control = code.instructions[i].control;
    if ((control.wait_mask >> barrier & 1U) != 0) {
      control.wait_mask |= static_cast<std::uint8_t>(1U << another);
      return;
    }
  }
}

void merge_loads(Code& code, const MergeableRun& run) {
  SchedulingControl& control = code.instructions[run.leader].control;
  for (const std::uint32_t position : run.positions) {
    const std::uint8_t barrier = code.instructions[position].control.write_barrier;
    if (barrier == no_scheduling_barrier || barrier == control.write_barrier) {
      continue;
    }
    if (control.write_barrier == no_scheduling_barrier) {
      control.write_barrier = barrier;
    } else {
      wait_as_well(code, position, barrier, control.write_barrier);
    }
  }
}

/// Part of a key: a pattern as part of a wide one.
std::uint32_t variant_of(const MergeableRun* run) {
  return run == nullptr ? 0 : run->bytes + (run->adjacent ? 0 : 1);
}

/// Keys from here on are of coalesced patterns.
constexpr std::uint32_t coalesced_variants = 0x80000000;

/// One access in place of several, of which `pattern` is the lowest.
TracedPattern merged(const TracedPattern& pattern, const MergeableRun& run) {
  TracedPattern wide = pattern;
  const auto count = static_cast<std::uint32_t>(run.positions.size());
  wide.register_rows = pattern.register_rows * count;
  wide.useful_bytes = pattern.useful_bytes * count;
  if (run.adjacent) {
    const SharedPasses& passes = pattern.widened[run.bytes == widest_bytes ? 1 : 0];
    wide.wavefronts = passes.wavefronts;
    wide.conflict_free_wavefronts = passes.conflict_free;
  } else {
    // All of the warp's bytes in a row.
    wide.wavefronts = wide.useful_bytes / line_bytes;
    wide.conflict_free_wavefronts = wide.wavefronts;
  }
  return wide;
}

/// The lines of an access's sectors, each once, in order.
std::vector<std::uint64_t> lines_of(const TracedPattern& pattern, std::uint64_t first_sector) {
  constexpr std::uint64_t sectors_per_line = line_bytes / sector_bytes;
  std::vector<std::uint64_t> lines;
  for (const std::int32_t offset : pattern.sectors) {
    const std::uint64_t line =
        (first_sector + static_cast<std::uint64_t>(std::int64_t{offset})) / sectors_per_line;
    if (lines.empty() || lines.back() != line) {
      lines.push_back(line);
    }
  }
  return lines;
}

void count(EditedCounts& counts, const TracedPattern& pattern, bool second) {
  if (second) {
    counts.second_wavefronts += pattern.wavefronts;
    return;
  }
  counts.requests += 1;
  counts.wavefronts += pattern.wavefronts;
  counts.sectors += static_cast<double>(pattern.sectors.size());
  counts.lines += pattern.lines;
  counts.useful_bytes += pattern.useful_bytes;
}

/// Whether a warp executes all of a run, from `step` on, and all or none of it with lanes. Where
/// the trace was cut off, what is left of the run counts.
bool merges(const WarpTrace& warp, bool complete, std::size_t step, const MergeableRun& run) {
  const std::uint32_t first = run.positions.front();
  const TracedStep begin = warp.steps[step];
  return std::ranges::all_of(run.positions, [&](std::uint32_t position) {
    const std::size_t place = step + (position - first);
    if (place >= warp.steps.size()) {
      return !complete;
    }
    const TracedStep one = warp.steps[place];
    return one.position() == position && one.is_idle() == begin.is_idle() &&
           one.accesses() == (begin.is_idle() ? 0U : 1U);
  });
}

}  // namespace

std::vector<MergeableRun> find_mergeable_runs(const Code& code, std::span<const LedgerLine> lines) {
  return RunFinder(code, lines).find();
}

void merge_accesses(Code& code, std::span<const MergeableRun> runs) {
  for (const MergeableRun& run : runs) {
    Instruction& leader = code.instructions[run.leader];
    if (leader.op == Op::load) {
      merge_loads(code, run);
    }
    leader.access_bytes = static_cast<std::uint8_t>(run.bytes);
  }
}

TraceEditor::TraceEditor(const Code& code, const AccessChanges& changes)
    : changes_(changes),
      code_(code),
      run_at_(code.instructions.size(), no_run),
      before_(code.instructions.size()),
      after_(code.instructions.size()) {
  merge_accesses(code_, changes.runs);
  for (std::uint32_t i = 0; i < changes.runs.size(); ++i) {
    run_at_[changes.runs[i].positions.front()] = i;
  }
}

BlockTrace TraceEditor::edit(const BlockTrace& trace, const std::vector<TracedPattern>& patterns) {
  BlockTrace edited;
  edited.block = trace.block;
  edited.complete = trace.complete;
  edited.warps.resize(trace.warps.size());
  for (std::size_t i = 0; i < trace.warps.size(); ++i) {
    edit_warp(trace.warps[i], trace.complete, patterns, edited.warps[i]);
    edited.steps += edited.warps[i].steps.size();
  }
  return edited;
}

struct TraceEditor::MergePlan {
  std::vector<const MergeableRun*> leads;  ///< the run whose leader the step is, or null
  std::vector<bool> gone;
  std::vector<std::size_t> wide_from;  ///< of leaders: the access at the lowest address
};

TraceEditor::MergePlan TraceEditor::plan_merges(const WarpTrace& warp, bool complete) const {
  const std::size_t steps = warp.steps.size();
  MergePlan plan;
  plan.leads.assign(steps, nullptr);
  plan.gone.assign(steps, false);
  std::vector<std::size_t> first_access;
  std::size_t accesses = 0;
  for (const TracedStep& step : warp.steps) {
    first_access.push_back(accesses);
    accesses += step.accesses();
  }
  plan.wide_from = first_access;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::uint32_t number = run_at_[warp.steps[i].position()];
    if (number == no_run || !merges(warp, complete, i, changes_.runs[number])) {
      continue;
    }
    const MergeableRun& run = changes_.runs[number];
    const auto place_of = [&](std::uint32_t position) {
      return i + (position - run.positions.front());
    };
    for (const std::uint32_t position : run.positions) {
      if (place_of(position) < steps) {
        plan.gone[place_of(position)] = position != run.leader;
      }
    }
    if (const std::size_t leader = place_of(run.leader); leader < steps) {
      plan.leads[leader] = &run;
      const std::size_t lowest = place_of(run.lowest);
      plan.wide_from[leader] = first_access[lowest < steps ? lowest : leader];
    }
  }
  return plan;
}

void TraceEditor::edit_warp(const WarpTrace& warp, bool complete,
                            const std::vector<TracedPattern>& patterns, WarpTrace& edited) {
  edited.barriers = warp.barriers;
  MergePlan plan;
  if (!changes_.runs.empty()) {
    plan = plan_merges(warp, complete);
  }
  LineUses uses;
  std::size_t next_access = 0;
  for (std::size_t i = 0; i < warp.steps.size(); ++i) {
    const TracedStep step = warp.steps[i];
    const std::uint32_t position = step.position();
    const std::size_t first = next_access;
    next_access += step.accesses();
    before_[position].steps += 1;
    for (std::size_t access = first; access < next_access; ++access) {
      count(before_[position], patterns[warp.accesses[access].pattern], access != first);
    }
    if (!plan.gone.empty() && plan.gone[i]) {
      continue;
    }
    after_[position].steps += 1;
    edited.steps.push_back(step);
    const MergeableRun* const run = plan.leads.empty() ? nullptr : plan.leads[i];
    for (std::size_t access = first; access < next_access; ++access) {
      const std::size_t source = run == nullptr ? access : plan.wide_from[i];
      edited.accesses.push_back(changed(warp.accesses[source], run, patterns, uses));
      count(after_[position], patterns_[edited.accesses.back().pattern], access != first);
    }
  }
}

std::uint32_t TraceEditor::index_of(std::uint32_t pattern, std::uint32_t variant,
                                    const auto& make) {
  const auto [known, is_new] = known_.emplace(std::uint64_t{variant} << 32 | pattern,
                                              static_cast<std::uint32_t>(patterns_.size()));
  if (is_new) {
    patterns_.push_back(make());
  }
  return known->second;
}

TracedAccess TraceEditor::changed(TracedAccess access, const MergeableRun* run,
                                  const std::vector<TracedPattern>& patterns, LineUses& uses) {
  const TracedPattern& pattern = patterns[access.pattern];
  if (changes_.coalesce && pattern.space == MemorySpace::global && !pattern.atomic) {
    return coalesced(access, pattern, uses);
  }
  access.pattern = index_of(access.pattern, variant_of(run), [&] {
    TracedPattern made = run == nullptr ? pattern : merged(pattern, *run);
    if (changes_.no_bank_conflicts && made.space == MemorySpace::shared && !made.atomic) {
      made.wavefronts = std::min(made.wavefronts, made.conflict_free_wavefronts);
    }
    return made;
  });
  if (run != nullptr) {
    access.miss_wavefronts = patterns_[access.pattern].wavefronts;
  }
  return access;
}

TracedAccess TraceEditor::coalesced(TracedAccess access, const TracedPattern& pattern,
                                    LineUses& uses) {
  constexpr std::uint32_t sectors_per_line = line_bytes / sector_bytes;
  const std::uint32_t sectors =
      std::max(1U, (pattern.useful_bytes + sector_bytes - 1) / sector_bytes);
  if (pattern.sectors.size() <= sectors) {
    access.pattern = index_of(access.pattern, variant_of(nullptr), [&] { return pattern; });
    return access;
  }
  const std::uint32_t needed = (sectors + sectors_per_line - 1) / sectors_per_line;
  const std::vector<std::uint64_t> lines = lines_of(pattern, access.first_sector);
  std::uint64_t key = lines.size();
  for (const std::uint64_t line : lines) {
    key = (key ^ line) * std::uint64_t{0x9e3779b97f4a7c15};
    key ^= key >> 29;
  }
  const std::size_t begin = std::size_t{uses[key]++} * needed;
  access.first_sector = lines[begin % lines.size()] * sectors_per_line;
  std::vector<std::int32_t> offsets;
  for (std::uint32_t i = 0; i < sectors; ++i) {
    const std::uint64_t line = lines[(begin + i / sectors_per_line) % lines.size()];
    const std::uint64_t sector = line * sectors_per_line + i % sectors_per_line;
    offsets.push_back(static_cast<std::int32_t>(sector - access.first_sector));
  }
  std::ranges::sort(offsets);
  // Where the lines are no neighbours, how far apart they are makes another pattern.
  std::uint32_t shape = 0;
  for (const std::int32_t offset : offsets) {
    shape = shape * 31U + static_cast<std::uint32_t>(offset);
  }
  access.pattern = index_of(access.pattern, coalesced_variants | shape, [&] {
    TracedPattern made = pattern;
    made.sectors = offsets;
    made.lines = needed;
    made.wavefronts = std::min(pattern.wavefronts, needed);
    return made;
  });
  access.miss_wavefronts = patterns_[access.pattern].wavefronts;
  return access;
}

}  // namespace perfmodel::sass
