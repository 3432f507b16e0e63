#include "model/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "model/error.hpp"
#include "model/occupancy.hpp"
#include "model/sass/access_pattern.hpp"
#include "model/sass/trace.hpp"
#include "model/sass/trace_edit.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

struct KindName {
  std::string_view name;
  WhatIfKind kind;
  std::string_view value;  ///< an example; empty: it takes none
};

constexpr std::array kind_names = {
    KindName{"vectorize-shared", WhatIfKind::vectorize_shared, ""},
    KindName{"no-bank-conflicts", WhatIfKind::no_bank_conflicts, ""},
    KindName{"coalesce", WhatIfKind::coalesce, ""},
    KindName{"occupancy", WhatIfKind::occupancy, "4 (resident blocks per SM) or 50%"},
    KindName{"registers", WhatIfKind::registers, "64"},
    KindName{"clock", WhatIfKind::clock, "1.5GHz"},
    KindName{"l2", WhatIfKind::l2, "100MB"},
    KindName{"device", WhatIfKind::device, "rtx4090"},
};

const KindName& kind_of(std::string_view name) {
  const auto* const found = std::ranges::find(kind_names, name, &KindName::name);
  if (found == kind_names.end()) {
    std::vector<std::string> names;
    for (const KindName& one : kind_names) {
      names.emplace_back(one.name);
    }
    fail(fmt::format("--what-if '{}' is no change that perfmodel knows{}; it knows {}",
                     printable(name), did_you_mean(name, names), join(names)));
  }
  return *found;
}

[[noreturn]] void refuse_value(const KindName& kind, std::string_view text) {
  fail(fmt::format("--what-if '{}': the value must be such as {}={}", printable(text), kind.name,
                   kind.value));
}

struct Scale {
  std::string_view unit;
  double factor;
};

constexpr std::array clock_units = {Scale{"GHz", 1e9}, Scale{"MHz", 1e6}, Scale{"Hz", 1}};
constexpr std::array byte_units = {
    Scale{"B", 1},    Scale{"KB", 1e3},   Scale{"kB", 1e3},      Scale{"MB", 1e6},
    Scale{"GB", 1e9}, Scale{"KiB", 1024}, Scale{"MiB", 1048576}, Scale{"GiB", 1073741824},
};

/// A positive number with one of the units; nothing where it is none.
std::optional<double> quantity(std::string_view text, std::span<const Scale> units, double most) {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc()) {
    return std::nullopt;
  }
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const auto scale = std::ranges::find(units, unit, &Scale::unit);
  if (scale == units.end()) {
    return std::nullopt;
  }
  const double value = number * scale->factor;
  return value > 0 && value <= most ? std::optional(value) : std::nullopt;
}

constexpr double most_hertz = 1e11;
constexpr double most_bytes = 1e12;
constexpr double most_blocks = 1024;
/// Per thread; what a program may use.
constexpr double least_registers = 16;
constexpr double most_registers = 255;

void read_value(const KindName& kind, std::string_view value, WhatIfChange& change) {
  constexpr std::array plain = {Scale{"", 1}};
  constexpr std::array percent = {Scale{"%", 0.01}};
  std::optional<double> number;
  switch (kind.kind) {
    case WhatIfKind::occupancy:
      number = quantity(value, percent, 1);
      change.is_share = number.has_value();
      if (!number) {
        number = quantity(value, plain, most_blocks);
      }
      break;
    case WhatIfKind::registers:
      number = quantity(value, plain, most_registers);
      if (number && *number < least_registers) {
        number.reset();
      }
      break;
    case WhatIfKind::clock:
      number = quantity(value, clock_units, most_hertz);
      break;
    case WhatIfKind::l2:
      number = quantity(value, byte_units, most_bytes);
      break;
    default:
      if (value.empty()) {
        refuse_value(kind, change.text);
      }
      change.device = value;
      return;
  }
  const bool is_count = (kind.kind == WhatIfKind::occupancy && !change.is_share) ||
                        kind.kind == WhatIfKind::registers;
  if (!number || (is_count && *number != std::floor(*number))) {
    refuse_value(kind, change.text);
  }
  change.value = *number;
}

WhatIfChange parse_change(std::string_view text) {
  const std::size_t equals = text.find('=');
  const KindName& kind = kind_of(text.substr(0, equals));
  WhatIfChange change;
  change.kind = kind.kind;
  change.text = text;
  if (kind.value.empty()) {
    if (equals != std::string_view::npos) {
      fail(fmt::format("--what-if '{}': {} takes no value", printable(text), kind.name));
    }
    return change;
  }
  if (equals == std::string_view::npos) {
    refuse_value(kind, text);
  }
  read_value(kind, text.substr(equals + 1), change);
  return change;
}

// --- Accesses

constexpr std::uint64_t most_traced_steps = 1'000'000;

/// What tracing some blocks shows of changed accesses.
class TracedChange {
 public:
  TracedChange(const LaunchProfile& profile, const sass::EmulationOptions& emulation)
      : tracer_(*profile.module, *profile.function, *profile.launch, emulation),
        lines_(profile.ledger.lines) {
    const std::uint64_t blocks = profile.launch->blocks();
    for (const std::uint64_t block : {blocks / 2, std::uint64_t{0}, blocks - 1}) {
      if (traces_.empty() || traces_.front().block != block) {
        traces_.push_back(tracer_.trace(block, most_traced_steps));
      }
    }
  }

  [[nodiscard]] std::vector<sass::MergeableRun> runs() const {
    return sass::find_mergeable_runs(tracer_.code(), lines_);
  }

  struct Effect {
    std::vector<sass::EditedCounts> before;
    std::vector<sass::EditedCounts> after;

    [[nodiscard]] bool is_none() const { return before == after; }
  };

  [[nodiscard]] Effect effect_of(const sass::AccessChanges& changes) const {
    sass::TraceEditor editor(tracer_.code(), changes);
    for (const sass::BlockTrace& trace : traces_) {
      editor.edit(trace, tracer_.patterns());
    }
    return {editor.before(), editor.after()};
  }

 private:
  sass::LaunchTracer tracer_;
  const std::vector<sass::LedgerLine>& lines_;
  std::vector<sass::BlockTrace> traces_;
};

double ratio(double after, double before) { return before > 0 ? after / before : 1; }

/// Counts of one line, by what became of its executions in the traced blocks.
void change_counts(sass::InstructionCounts& counts, const sass::EditedCounts& before,
                   const sass::EditedCounts& after) {
  const double steps = ratio(after.steps, before.steps);
  counts.executions *= steps;
  counts.active_lanes *= steps;
  counts.predicated_lanes *= steps;
  const double requests = ratio(after.requests, before.requests);
  for (double& by_access : counts.by_access) {
    by_access *= requests;
  }
  counts.requests *= requests;
  // Those of misses depend on L1 and are no ratio.
  counts.wavefronts = after.requests > 0 ? counts.requests * after.wavefronts / after.requests : 0;
  counts.ideal_wavefronts = std::min(counts.ideal_wavefronts, counts.wavefronts);
  counts.second_wavefronts *= ratio(after.second_wavefronts, before.second_wavefronts);
  counts.sectors *= ratio(after.sectors, before.sectors);
  counts.lines *= ratio(after.lines, before.lines);
  counts.useful_bytes *= ratio(after.useful_bytes, before.useful_bytes);
}

/// Moves the totals by what a line's counts moved.
void move_totals(sass::MachineTotals& totals, const sass::LedgerLine& line,
                 const sass::InstructionCounts& before) {
  const sass::InstructionCounts& after = line.counts;
  const double executions = after.executions - before.executions;
  totals.warp_instructions += executions;
  totals.thread_instructions += after.predicated_lanes - before.predicated_lanes;
  totals.by_pipe[static_cast<std::size_t>(line.pipe)] += executions;
  const auto opcode = std::ranges::find(totals.by_opcode, line.opcode,
                                        [](const auto& entry) { return entry.first; });
  if (opcode != totals.by_opcode.end()) {
    opcode->second += executions;
  }
  const double wavefronts = after.wavefronts - before.wavefronts;
  const double second = after.second_wavefronts - before.second_wavefronts;
  totals.lsu_wavefronts += wavefronts + second;
  if (line.space == sass::MemorySpace::shared) {
    (line.store ? totals.shared_store_instructions : totals.shared_load_instructions) += executions;
    (line.store ? totals.shared_store_wavefronts : totals.shared_load_wavefronts) += wavefronts;
  } else if (line.space == sass::MemorySpace::global) {
    const double sectors = after.sectors - before.sectors;
    const double lines = after.lines - before.lines;
    (line.store ? totals.global_store_sectors : totals.global_load_sectors) += sectors;
    (line.store ? totals.global_store_lines : totals.global_load_lines) += lines;
    totals.shared_store_wavefronts += second;
  }
}

void change_ledger(sass::MachineLedger& ledger, const TracedChange::Effect& effect) {
  for (std::size_t i = 0; i < ledger.lines.size(); ++i) {
    if (effect.before[i] == effect.after[i]) {
      continue;
    }
    sass::LedgerLine& line = ledger.lines[i];
    const sass::InstructionCounts before = line.counts;
    change_counts(line.counts, effect.before[i], effect.after[i]);
    move_totals(ledger.totals, line, before);
  }
}

/// Coalesced accesses leave no gaps: distinct bytes fill their sectors, and no group of blocks
/// needs more of them than it asks for.
void fill_sectors(sass::Footprint& footprint, const LaunchProfile& profile) {
  const sass::MachineTotals& totals = profile.ledger.totals;
  const double share = static_cast<double>(footprint.blocks) / profile.blocks();
  const auto fill = [&](sass::UniqueBytes& unique, double asked_bytes) {
    const double bytes = std::min(unique.bytes, share * asked_bytes);
    unique.sectors = std::min(unique.sectors, bytes / sass::sector_bytes);
    unique.sector_pairs = std::min(unique.sector_pairs, bytes / sass::sector_pair_bytes);
  };
  fill(footprint.loads, totals.global_load_useful_bytes);
  fill(footprint.stores, totals.global_store_useful_bytes);
}

std::string merged_note(std::span<const sass::MergeableRun> runs) {
  const auto apart =
      static_cast<std::size_t>(std::ranges::count(runs, false, &sass::MergeableRun::adjacent));
  return fmt::format(
      "vectorize-shared: {} groups of accesses in the code merge{}; wide accesses may take more "
      "registers, which registers=N adds",
      runs.size(),
      apart == 0 ? ""
                 : fmt::format(", {} of them once the words of a thread lie side by side in the "
                               "array, which lie a warp's width apart",
                               apart == runs.size() ? "all" : std::to_string(apart)));
}

void change_accesses(LaunchSetup& setup, std::span<const WhatIfChange> changes,
                     std::vector<std::string>& notes) {
  const bool vectorize = find_change(changes, WhatIfKind::vectorize_shared) != nullptr;
  auto all = std::make_shared<sass::AccessChanges>();
  all->no_bank_conflicts = find_change(changes, WhatIfKind::no_bank_conflicts) != nullptr;
  all->coalesce = find_change(changes, WhatIfKind::coalesce) != nullptr;
  if (!vectorize && !all->no_bank_conflicts && !all->coalesce) {
    return;
  }
  LaunchProfile& profile = setup.profile;
  const TracedChange traced(profile, setup.options.emulation);
  if (vectorize) {
    sass::AccessChanges alone;
    alone.runs = traced.runs();
    if (traced.effect_of(alone).is_none()) {
      notes.emplace_back(
          "vectorize-shared changes nothing: no narrow accesses to shared memory lie side by side");
    } else {
      notes.push_back(merged_note(alone.runs));
      all->runs = std::move(alone.runs);
    }
  }
  if (all->no_bank_conflicts) {
    sass::AccessChanges alone;
    alone.no_bank_conflicts = true;
    if (traced.effect_of(alone).is_none()) {
      notes.emplace_back("no-bank-conflicts changes nothing: no bank conflicts to remove");
    }
  }
  if (all->coalesce) {
    sass::AccessChanges alone;
    alone.coalesce = true;
    if (traced.effect_of(alone).is_none()) {
      notes.emplace_back(
          "coalesce changes nothing: every access to global memory asks for the fewest sectors "
          "that hold its bytes");
    }
  }
  const TracedChange::Effect effect = traced.effect_of(*all);
  if (effect.is_none()) {
    return;
  }
  change_ledger(profile.ledger, effect);
  if (all->coalesce) {
    for (sass::Footprint* footprint :
         {&profile.one_block, &profile.one_per_sm, &profile.one_wave, &profile.whole_launch,
          &profile.leading, &profile.following}) {
      fill_sectors(*footprint, profile);
    }
  }
  profile.changes = std::move(all);
}

// --- Residency

/// The most registers per thread with which so many blocks fit.
std::int64_t registers_for(const Device& device, BlockResources block, std::int64_t blocks) {
  while (block.registers_per_thread > 1 && resident_blocks_per_sm(device, block) < blocks) {
    --block.registers_per_thread;
  }
  return block.registers_per_thread;
}

std::int64_t wanted_blocks(const LaunchSetup& setup, const WhatIfChange& occupancy) {
  if (!occupancy.is_share) {
    return static_cast<std::int64_t>(occupancy.value);
  }
  const double warps = std::ceil(static_cast<double>(setup.profile.block.threads) / warp_lanes);
  const double most_warps = static_cast<double>(setup.device.threads_per_sm.value) / warp_lanes;
  const auto blocks = static_cast<std::int64_t>(occupancy.value * most_warps / warps + 1e-9);
  if (blocks < 1) {
    fail(fmt::format(
        "--what-if {}: one block of {} threads is already {:.3g} % of the warps that "
        "an SM of {} holds; ask for no less",
        occupancy.text, setup.profile.block.threads, 100 * warps / most_warps, setup.device.name));
  }
  return blocks;
}

void refuse_blocks(const LaunchSetup& setup, const WhatIfChange& occupancy, std::int64_t blocks,
                   const WhatIfChange* registers) {
  const BlockResources& block = setup.profile.block;
  const std::string& device = setup.device.name;
  const std::int64_t by_threads = resident_blocks_per_sm(setup.device, {block.threads, 0, 0});
  if (blocks > by_threads) {
    fail(fmt::format("--what-if {}: an SM of {} holds at most {} blocks of {} threads",
                     occupancy.text, device, by_threads, block.threads));
  }
  const std::int64_t by_shared =
      resident_blocks_per_sm(setup.device, {block.threads, 0, block.shared_bytes});
  if (blocks > by_shared) {
    fail(
        fmt::format("--what-if {}: with {} bytes of shared memory each, an SM of {} holds at most "
                    "{} blocks",
                    occupancy.text, block.shared_bytes, device, by_shared));
  }
  const std::int64_t by_registers = resident_blocks_per_sm(setup.device, block);
  if (blocks <= by_registers) {
    return;
  }
  const std::int64_t enough = registers_for(setup.device, block, blocks);
  if (registers != nullptr) {
    fail(
        fmt::format("--what-if {} and {} contradict each other: with {} registers per thread an "
                    "SM of {} holds at most {} blocks; {} take {} registers or fewer",
                    registers->text, occupancy.text, block.registers_per_thread, device,
                    by_registers, blocks, enough));
  }
  fail(
      fmt::format("--what-if {}: with the code's {} registers per thread an SM of {} holds at "
                  "most {} blocks; add registers={}",
                  occupancy.text, block.registers_per_thread, device, by_registers, enough));
}

void change_residency(LaunchSetup& setup, std::span<const WhatIfChange> changes,
                      std::vector<std::string>& notes) {
  LaunchProfile& profile = setup.profile;
  const WhatIfChange* const registers = find_change(changes, WhatIfKind::registers);
  const WhatIfChange* const occupancy = find_change(changes, WhatIfKind::occupancy);
  const std::int64_t resident = profile.resident_blocks;
  if (registers != nullptr) {
    const std::int64_t used = profile.block.registers_per_thread;
    profile.block.registers_per_thread = static_cast<std::int64_t>(registers->value);
    const std::int64_t blocks = resident_blocks_per_sm(setup.device, profile.block);
    if (blocks < 1) {
      fail(fmt::format("--what-if {}: not even one block of {} threads fits an SM of {} then",
                       registers->text, profile.block.threads, setup.device.name));
    }
    if (profile.block.registers_per_thread < used) {
      notes.push_back(fmt::format(
          "{}: the code uses {}; what a compiler would spill to local memory, or load again, is "
          "not modelled",
          registers->text, used));
    }
    if (occupancy == nullptr) {
      set_resident_blocks(profile, setup.device, blocks, setup.options.emulation);
    }
    if (blocks == resident && occupancy == nullptr) {
      notes.push_back(fmt::format("{} changes nothing: {} resident blocks as with {}",
                                  registers->text, resident, used));
    }
  }
  if (occupancy != nullptr) {
    const std::int64_t blocks = wanted_blocks(setup, *occupancy);
    refuse_blocks(setup, *occupancy, blocks, registers);
    set_resident_blocks(profile, setup.device, blocks, setup.options.emulation);
    if (blocks == resident) {
      notes.push_back(fmt::format("{} changes nothing: an SM holds {} blocks already",
                                  occupancy->text, blocks));
    }
  }
}

// --- Device

void change_clocks_and_caches(LaunchSetup& setup, std::span<const WhatIfChange> changes,
                              std::vector<std::string>& notes) {
  if (const WhatIfChange* const clock = find_change(changes, WhatIfKind::clock)) {
    if (clock->value == setup.clock_hz) {
      notes.push_back(fmt::format("{} changes nothing: the SMs run at that clock", clock->text));
    }
    setup.options.costs_clock_hz = setup.clock_hz;
    setup.clock_hz = clock->value;
  }
  if (const WhatIfChange* const l2 = find_change(changes, WhatIfKind::l2)) {
    const auto bytes = static_cast<std::int64_t>(l2->value);
    if (setup.device.l2_bytes && setup.device.l2_bytes->value == bytes) {
      notes.push_back(fmt::format("{} changes nothing: L2 has that size", l2->text));
    }
    setup.device.l2_bytes = Sourced<std::int64_t>{bytes, Origin::derived, "--what-if " + l2->text};
    notes.push_back(fmt::format("{}: the size alone; latency and bandwidth of L2 stay", l2->text));
  }
}

// --- Comparing

/// Half the width of an interval, as a logarithm.
double log_half_width(const TimePrediction& prediction) {
  return std::log(prediction.high_s / prediction.low_s) / 2;
}

std::vector<CountChange> moved_counts(const LaunchAudit& before, const LaunchAudit& after,
                                      const LaunchProfile& profile_before,
                                      const LaunchProfile& profile_after) {
  std::vector<CountChange> moved;
  const auto note = [&](const char* count, const char* unit, double from, double to) {
    constexpr double least_move = 5e-4;
    if (std::abs(to - from) > least_move * std::max(std::abs(from), std::abs(to))) {
      moved.push_back({count, unit, from, to});
    }
  };
  const sass::MachineTotals& was = profile_before.ledger.totals;
  const sass::MachineTotals& is = profile_after.ledger.totals;
  note("warp instructions", "", was.warp_instructions, is.warp_instructions);
  note("shared loads", "instructions", was.shared_load_instructions, is.shared_load_instructions);
  note("shared loads", "wavefronts", was.shared_load_wavefronts, is.shared_load_wavefronts);
  note("shared stores", "instructions", was.shared_store_instructions,
       is.shared_store_instructions);
  note("shared stores", "wavefronts", was.shared_store_wavefronts, is.shared_store_wavefronts);
  note("LSU data pipe", "wavefronts", was.lsu_wavefronts, is.lsu_wavefronts);
  note("global loads", "sectors", was.global_load_sectors, is.global_load_sectors);
  note("global loads", "lines", was.global_load_lines, is.global_load_lines);
  note("global stores", "sectors", was.global_store_sectors, is.global_store_sectors);
  note("global stores", "lines", was.global_store_lines, is.global_store_lines);
  constexpr double bytes_per_mb = 1e6;
  note("L2 traffic (predicted)", "MB", before.traffic.l2_bytes() / bytes_per_mb,
       after.traffic.l2_bytes() / bytes_per_mb);
  note("DRAM traffic (predicted)", "MB", before.traffic.dram_bytes() / bytes_per_mb,
       after.traffic.dram_bytes() / bytes_per_mb);
  note("registers per thread", "", static_cast<double>(profile_before.block.registers_per_thread),
       static_cast<double>(profile_after.block.registers_per_thread));
  note("resident blocks per SM", "", static_cast<double>(before.resident_blocks),
       static_cast<double>(after.resident_blocks));
  note("SMs", "", static_cast<double>(before.sm_count), static_cast<double>(after.sm_count));
  constexpr double hertz_per_ghz = 1e9;
  note("SM clock", "GHz", before.clock_hz / hertz_per_ghz, after.clock_hz / hertz_per_ghz);
  return moved;
}

}  // namespace

double ratio_error(double time_ratio, double relative_uncertainty) {
  // On an H200, by 'perfmodel validate --what-if': 0.16 to 0.19 for times that are within a quarter
  // of each other, 0.15 to 0.22 for all that are farther apart, however far.
  constexpr double of_like_times = 0.17;
  constexpr double of_others = 0.19;
  constexpr double apart = 1.25;
  const double share = std::min(1.0, std::abs(std::log(time_ratio)) / std::log(apart));
  constexpr double ninety_percent_sigmas = 1.645;
  return std::hypot(of_like_times + (of_others - of_like_times) * share,
                    ninety_percent_sigmas * relative_uncertainty);
}

std::vector<WhatIfChange> parse_what_if(std::span<const std::string> texts) {
  std::vector<WhatIfChange> changes;
  for (const std::string& text : texts) {
    for (const std::string& one : split(text, ',')) {
      const WhatIfChange change = parse_change(one);
      if (const WhatIfChange* const other = find_change(changes, change.kind); other == nullptr) {
        changes.push_back(change);
      } else if (*other != change) {
        fail(fmt::format("--what-if {} and {} contradict each other; leave one of them out",
                         printable(other->text), printable(change.text)));
      }
    }
  }
  return changes;
}

const WhatIfChange* find_change(std::span<const WhatIfChange> changes, WhatIfKind kind) {
  const auto found = std::ranges::find(changes, kind, &WhatIfChange::kind);
  return found == changes.end() ? nullptr : &*found;
}

LaunchAudit audit_setup(const LaunchSetup& setup) {
  return audit_launch(setup.profile, setup.device, setup.constants ? &*setup.constants : nullptr,
                      setup.coefficients, setup.clock_hz, setup.options);
}

std::vector<std::string> make_changes(LaunchSetup& setup, std::span<const WhatIfChange> changes) {
  std::vector<std::string> notes;
  // Contradictions first: tracing takes a moment.
  change_residency(setup, changes, notes);
  change_clocks_and_caches(setup, changes, notes);
  change_accesses(setup, changes, notes);
  return notes;
}

WhatIf compare_what_if(const LaunchAudit& before, const LaunchAudit& after,
                       const LaunchProfile& profile_before, const LaunchProfile& profile_after,
                       bool another_device) {
  WhatIf result;
  result.after = after;
  result.counts = moved_counts(before, after, profile_before, profile_after);
  const TimePrediction& was = before.predictions.front();
  const TimePrediction& is = after.predictions.front();
  result.time_ratio = is.seconds / was.seconds;
  double error = 0;
  if (another_device) {
    error = std::hypot(log_half_width(was), log_half_width(is));
  } else if (!result.counts.empty()) {
    error = ratio_error(result.time_ratio, after.relative_uncertainty);
  }
  result.ratio_low = result.time_ratio * std::exp(-error);
  result.ratio_high = result.time_ratio * std::exp(error);
  if (before.measured_s) {
    result.expected_s = *before.measured_s * result.time_ratio;
  }
  return result;
}

}  // namespace perfmodel
