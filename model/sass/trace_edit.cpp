#include "model/sass/trace_edit.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "model/sass/access_pattern.hpp"

namespace perfmodel::sass {
namespace {

/// Part of a key: what becomes of a pattern. Padded parts have their own, see PaddedPart::variant.
constexpr std::uint32_t as_it_is = 0;

std::uint32_t variant_of(const MergeableRun& run) { return run.bytes + (run.adjacent ? 0 : 1); }

std::vector<PaddedPart> padded_parts(const PaddedAccess& padded, std::uint32_t access_bytes) {
  using Kind = PaddedPart::Kind;
  if (padded.way == PaddedAccess::Way::words) {
    return std::vector<PaddedPart>(access_bytes / 4, {Kind::word, 1});
  }
  std::vector<PaddedPart> parts(1);
  if (padded.rest_bytes != 0) {
    parts.push_back({Kind::rest, std::bit_ceil(padded.rest_bytes / 4U)});
  }
  return parts;
}

TracedPattern padded_pattern(const TracedPattern& pattern, const PaddedPart& part) {
  TracedPattern made = pattern;
  const bool whole = part.kind == PaddedPart::Kind::whole;
  const SharedPasses& passes = whole                                 ? pattern.padded.whole
                               : part.kind == PaddedPart::Kind::rest ? pattern.padded.rest
                                                                     : pattern.padded.word;
  made.wavefronts = passes.wavefronts;
  made.conflict_free_wavefronts = passes.conflict_free;
  if (!whole) {
    made.register_rows = part.registers;
    // The bytes of the rest are those that the first access has too many.
    made.useful_bytes = part.kind == PaddedPart::Kind::rest
                            ? 0
                            : pattern.useful_bytes / std::max(1U, pattern.register_rows);
  }
  return made;
}

/// Keys from here on are of coalesced patterns, and of merged ones of global memory.
constexpr std::uint32_t coalesced_variants = 0x80000000;
constexpr std::uint32_t merged_variants = 0x40000000;
constexpr std::uint32_t shape_bits = merged_variants - 1;

/// One access in place of several, of which `pattern` is the lowest.
TracedPattern merged_shared(const TracedPattern& pattern, const MergeableRun& run) {
  TracedPattern wide = pattern;
  const auto count = static_cast<std::uint32_t>(run.positions.size());
  wide.register_rows = pattern.register_rows * count;
  wide.useful_bytes = pattern.useful_bytes * count;
  if (run.adjacent) {
    const SharedPasses& passes = pattern.widened[run.bytes / 16];
    wide.wavefronts = passes.wavefronts;
    wide.conflict_free_wavefronts = passes.conflict_free;
  } else {
    // All of the warp's bytes in a row.
    wide.wavefronts = wide.useful_bytes / line_bytes;
    wide.conflict_free_wavefronts = wide.wavefronts;
  }
  return wide;
}

/// Sectors of global memory that some accesses ask for, each once, in order.
std::vector<std::uint64_t> sectors_of(std::span<const TracedAccess> accesses,
                                      const std::vector<TracedPattern>& patterns) {
  std::vector<std::uint64_t> sectors;
  for (const TracedAccess& access : accesses) {
    for (const std::int32_t offset : patterns[access.pattern].sectors) {
      sectors.push_back(access.first_sector + static_cast<std::uint64_t>(std::int64_t{offset}));
    }
  }
  std::ranges::sort(sectors);
  sectors.erase(std::ranges::unique(sectors).begin(), sectors.end());
  return sectors;
}

/// One access in place of several, of which `sectors` are all.
TracedPattern merged_global(const MergeableRun& run, std::span<const TracedAccess> accesses,
                            std::span<const std::uint64_t> sectors,
                            const std::vector<TracedPattern>& patterns) {
  TracedPattern wide = patterns[accesses.front().pattern];
  wide.register_rows = run.bytes / 4;
  wide.useful_bytes = 0;
  for (const TracedAccess& access : accesses) {
    wide.useful_bytes += patterns[access.pattern].useful_bytes;
  }
  wide.sectors.clear();
  wide.lines = 0;
  std::uint64_t line = ~std::uint64_t{0};
  for (const std::uint64_t sector : sectors) {
    wide.sectors.push_back(static_cast<std::int32_t>(sector - sectors.front()));
    const std::uint64_t of = sector * sector_bytes / line_bytes;
    wide.lines += of != line ? 1 : 0;
    line = of;
  }
  wide.wavefronts = std::max({1U, wide.lines, (wide.useful_bytes + line_bytes - 1) / line_bytes});
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

TraceEditor::TraceEditor(const Code& code, const AccessChanges& changes)
    : changes_(changes),
      code_(code),
      run_at_(code.instructions.size(), no_run),
      before_(code.instructions.size()),
      after_(code.instructions.size()) {
  merge_accesses(code_, changes.runs);
  if (!changes.unneeded.empty()) {
    pass_waits_on(code_, changes.unneeded);
  }
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    parts_of_.push_back(padded_parts(i < changes.padded.size() ? changes.padded[i] : PaddedAccess{},
                                     code.instructions[i].access_bytes));
  }
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
  std::vector<std::size_t> first_access;

  /// Of a run whose leader is at `step`: its accesses in the trace, in order of the code.
  [[nodiscard]] std::vector<TracedAccess> accesses_of(std::size_t step, const MergeableRun& run,
                                                      const WarpTrace& warp) const {
    std::vector<TracedAccess> accesses;
    const std::size_t begin = step - (run.leader - run.positions.front());
    for (const std::uint32_t position : run.positions) {
      const std::size_t place = begin + (position - run.positions.front());
      if (place < first_access.size()) {
        accesses.push_back(warp.accesses[first_access[place]]);
      }
    }
    return accesses;
  }
};

TraceEditor::MergePlan TraceEditor::plan_merges(const WarpTrace& warp, bool complete) const {
  const std::size_t steps = warp.steps.size();
  MergePlan plan;
  plan.leads.assign(steps, nullptr);
  plan.gone.assign(steps, false);
  std::size_t accesses = 0;
  for (const TracedStep& step : warp.steps) {
    plan.first_access.push_back(accesses);
    accesses += step.accesses();
  }
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
    if (is_unneeded(position) || (!plan.gone.empty() && plan.gone[i])) {
      continue;
    }
    const MergeableRun* const run = plan.leads.empty() ? nullptr : plan.leads[i];
    const std::size_t parts = step.accesses() == 1 ? parts_of_.at(position).size() : 1;
    for (std::size_t part = 0; part < parts; ++part) {
      after_[position].steps += 1;
      edited.steps.push_back(step);
      for (std::size_t access = first; access < next_access; ++access) {
        edited.accesses.push_back(
            run == nullptr
                ? changed(warp.accesses[access], parts_of_[position][part], patterns, uses)
                : merged(*run, plan.accesses_of(i, *run, warp), patterns));
        count(after_[position], patterns_[edited.accesses.back().pattern], access != first);
      }
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

TracedAccess TraceEditor::changed(TracedAccess access, const PaddedPart& part,
                                  const std::vector<TracedPattern>& patterns, LineUses& uses) {
  const TracedPattern& pattern = patterns[access.pattern];
  if (changes_.coalesce && pattern.space == MemorySpace::global && !pattern.atomic) {
    return coalesced(access, pattern, uses);
  }
  const bool pads = changes_.padding.row_bytes != 0 && pattern.space == MemorySpace::shared;
  access.pattern = index_of(access.pattern, pads ? part.variant() : as_it_is, [&] {
    return without_conflicts(pads ? padded_pattern(pattern, part) : pattern);
  });
  return access;
}

TracedPattern TraceEditor::without_conflicts(TracedPattern pattern) const {
  if (changes_.no_bank_conflicts && pattern.space == MemorySpace::shared && !pattern.atomic) {
    pattern.wavefronts = std::min(pattern.wavefronts, pattern.conflict_free_wavefronts);
  }
  return pattern;
}

TracedAccess TraceEditor::merged(const MergeableRun& run, std::span<const TracedAccess> accesses,
                                 const std::vector<TracedPattern>& patterns) {
  const TracedPattern& any = patterns[accesses.front().pattern];
  TracedAccess made;
  if (any.space == MemorySpace::shared) {
    const auto lowest = static_cast<std::size_t>(std::ranges::find(run.positions, run.lowest) -
                                                 run.positions.begin());
    made = accesses[lowest < accesses.size() ? lowest : 0];
    const TracedPattern& pattern = patterns[made.pattern];
    made.pattern = index_of(made.pattern, variant_of(run),
                            [&] { return without_conflicts(merged_shared(pattern, run)); });
  } else {
    const std::vector<std::uint64_t> sectors = sectors_of(accesses, patterns);
    made.first_sector = sectors.front();
    // How far apart they lie makes another pattern.
    std::uint32_t shape = run.bytes;
    for (const std::uint64_t sector : sectors) {
      shape = shape * 31U + static_cast<std::uint32_t>(sector - sectors.front());
    }
    made.pattern = index_of(accesses.front().pattern, merged_variants | (shape & shape_bits),
                            [&] { return merged_global(run, accesses, sectors, patterns); });
  }
  made.miss_wavefronts = patterns_[made.pattern].wavefronts;
  return made;
}

TracedAccess TraceEditor::coalesced(TracedAccess access, const TracedPattern& pattern,
                                    LineUses& uses) {
  constexpr std::uint32_t sectors_per_line = line_bytes / sector_bytes;
  const std::uint32_t sectors =
      std::max(1U, (pattern.useful_bytes + sector_bytes - 1) / sector_bytes);
  if (pattern.sectors.size() <= sectors) {
    access.pattern = index_of(access.pattern, as_it_is, [&] { return pattern; });
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
