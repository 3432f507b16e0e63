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
    KindName{"vectorize-global", WhatIfKind::vectorize_global, ""},
    KindName{"pad-shared", WhatIfKind::pad_shared, "128B (4 bytes behind each 128) or 128B+16B"},
    KindName{"no-bank-conflicts", WhatIfKind::no_bank_conflicts, ""},
    KindName{"no-register-bank-conflicts", WhatIfKind::no_register_bank_conflicts, ""},
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

/// "128B" or "128B+16B", whole words.
void read_padding(const KindName& kind, std::string_view value, WhatIfChange& change) {
  constexpr double word_bytes = 4;
  constexpr double most_row_bytes = 65536;
  const std::size_t plus = value.find('+');
  const std::optional<double> row = quantity(value.substr(0, plus), byte_units, most_row_bytes);
  const std::optional<double> pad =
      plus == std::string_view::npos ? std::optional(word_bytes)
                                     : quantity(value.substr(plus + 1), byte_units, most_row_bytes);
  if (!row || !pad || std::fmod(*row, word_bytes) != 0 || std::fmod(*pad, word_bytes) != 0) {
    refuse_value(kind, change.text);
  }
  change.value = *row;
  change.pad_bytes = *pad;
}

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
    case WhatIfKind::pad_shared:
      read_padding(kind, value, change);
      return;
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
  TracedChange(const LaunchProfile& profile, const sass::EmulationOptions& emulation,
               const sass::SharedPadding& padding)
      : tracer_(*profile.module, *profile.function, *profile.launch, emulation),
        lines_(profile.ledger.lines) {
    if (padding.row_bytes != 0) {
      tracer_.pad_shared(padding);
    }
    const std::uint64_t blocks = profile.launch->blocks();
    for (const std::uint64_t block : {blocks / 2, std::uint64_t{0}, blocks - 1}) {
      if (traces_.empty() || traces_.front().block != block) {
        traces_.push_back(tracer_.trace(block, most_traced_steps));
      }
    }
  }

  [[nodiscard]] std::vector<sass::MergeableRun> runs(sass::MemorySpace space) const {
    std::vector<sass::MergeableRun> runs = sass::find_mergeable_runs(tracer_.code(), lines_, space);
    if (space == sass::MemorySpace::global) {
      sass::keep_real(runs, traces_, tracer_);
    }
    return runs;
  }

  [[nodiscard]] std::span<const sass::PaddedAlignment> alignment() const {
    return tracer_.alignment();
  }
  [[nodiscard]] const sass::Code& code() const { return tracer_.code(); }

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

std::string merged_note(const WhatIfChange& change, const sass::AccessChanges& merging) {
  const auto apart = static_cast<std::size_t>(
      std::ranges::count(merging.runs, false, &sass::MergeableRun::adjacent));
  const std::string which = apart == merging.runs.size() ? "all" : std::to_string(apart);
  const bool shared = change.kind == WhatIfKind::vectorize_shared;
  const std::string_view once =
      shared ? "the words of a thread lie side by side in the array, which lie a warp's width apart"
             : "a thread takes neighbouring words, which other threads of its warp take now";
  const auto unneeded = std::ranges::count(merging.unneeded, true);
  return fmt::format(
      "{}: {} groups of accesses in the code merge{}{}; wide accesses may take more registers, "
      "which registers=N adds",
      change.text, merging.runs.size(),
      apart == 0 ? "" : fmt::format(", {} of them once {}", which, once),
      unneeded == 0 ? "" : fmt::format(", and {} instructions before them go", unneeded));
}

/// Merges what can be; nothing where that changes nothing.
std::optional<sass::AccessChanges> merging(const TracedChange& traced, sass::MemorySpace space) {
  sass::AccessChanges alone;
  alone.runs = traced.runs(space);
  if (traced.effect_of(alone).is_none()) {
    return std::nullopt;
  }
  alone.unneeded = sass::unneeded_when_merged(traced.code(), alone.runs);
  return alone;
}

sass::SharedPadding padding_of(const LaunchProfile& profile, const WhatIfChange* change) {
  sass::SharedPadding padding;
  if (change != nullptr) {
    padding.row_bytes = static_cast<std::uint32_t>(change->value);
    padding.pad_bytes = static_cast<std::uint32_t>(change->pad_bytes);
    padding.first_address = sass::first_shared_address(profile.module->sm);
  }
  return padding;
}

/// Of these, every lane's address has to be a multiple of the width.
void refuse_misaligned(const LaunchProfile& profile, const TracedChange& traced,
                       const WhatIfChange& change) {
  const std::span<const sass::PaddedAlignment> alignment = traced.alignment();
  for (std::size_t i = 0; i < alignment.size(); ++i) {
    const sass::Instruction& instruction = traced.code().instructions[i];
    const bool copies = instruction.op == sass::Op::ldsm || instruction.op == sass::Op::ldgsts;
    constexpr unsigned matrix_row_bytes = 16;
    const unsigned bytes =
        instruction.op == sass::Op::ldsm ? matrix_row_bytes : instruction.access_bytes;
    if (copies && alignment[i].known && bytes != 0 &&
        (alignment[i].low_bits | alignment[i].differing) % bytes != 0) {
      fail(fmt::format(
          "--what-if {}: {} at {:#x} accesses {} aligned bytes, which that gap moves off their "
          "alignment; a gap of {} bytes does not, such as pad-shared={:.0f}B+{}B",
          change.text, printable(profile.function->instructions[i].opcode), 16 * i, bytes, bytes,
          change.value, bytes));
    }
  }
}

/// How many of the accesses in the code take more than one then; a sentence.
std::string padded_note(const WhatIfChange& change, std::span<const sass::PaddedAccess> padded) {
  using Way = sass::PaddedAccess::Way;
  const auto shifted = std::ranges::count(padded, Way::windows, &sass::PaddedAccess::way);
  const auto narrow = std::ranges::count(padded, Way::words, &sass::PaddedAccess::way);
  if (shifted + narrow == 0) {
    return {};
  }
  return fmt::format(
      "{}: wide accesses in the code lose their alignment: {} are covered with aligned ones and "
      "what is left behind the last of neighbours, {} go word by word",
      change.text, shifted, narrow);
}

void change_accesses(LaunchSetup& setup, std::span<const WhatIfChange> changes,
                     std::vector<std::string>& notes) {
  const WhatIfChange* const pad = find_change(changes, WhatIfKind::pad_shared);
  struct Vectorizing {
    const WhatIfChange* change;
    sass::MemorySpace space;
    const char* where;
  };
  const std::array vectorizing = {
      Vectorizing{find_change(changes, WhatIfKind::vectorize_shared), sass::MemorySpace::shared,
                  "shared memory"},
      Vectorizing{find_change(changes, WhatIfKind::vectorize_global), sass::MemorySpace::global,
                  "one buffer in global memory"}};
  const bool vectorizes = std::ranges::any_of(
      vectorizing, [](const Vectorizing& one) { return one.change != nullptr; });
  auto all = std::make_shared<sass::AccessChanges>();
  all->no_bank_conflicts = find_change(changes, WhatIfKind::no_bank_conflicts) != nullptr;
  all->coalesce = find_change(changes, WhatIfKind::coalesce) != nullptr;
  if (!vectorizes && pad == nullptr && !all->no_bank_conflicts && !all->coalesce) {
    return;
  }
  LaunchProfile& profile = setup.profile;
  const sass::SharedPadding padding = padding_of(profile, pad);
  const TracedChange traced(profile, setup.options.emulation, padding);
  for (const Vectorizing& one : vectorizing) {
    if (one.change == nullptr) {
      continue;
    }
    if (const std::optional<sass::AccessChanges> alone = merging(traced, one.space)) {
      notes.push_back(merged_note(*one.change, *alone));
      all->runs.insert(all->runs.end(), alone->runs.begin(), alone->runs.end());
    } else {
      notes.push_back(
          fmt::format("{} changes nothing: no narrow, aligned accesses to {} lie side by side",
                      one.change->text, one.where));
    }
  }
  all->unneeded = sass::unneeded_when_merged(traced.code(), all->runs);
  if (pad != nullptr) {
    refuse_misaligned(profile, traced, *pad);
    all->padding = padding;
    all->padded = sass::padded_accesses(traced.code(), traced.alignment());
    sass::AccessChanges alone;
    alone.padding = padding;
    alone.padded = all->padded;
    if (traced.effect_of(alone).is_none()) {
      notes.push_back(fmt::format("{} changes no access to shared memory", pad->text));
    } else if (std::string note = padded_note(*pad, all->padded); !note.empty()) {
      notes.push_back(std::move(note));
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

/// Gaps behind the rows of all of a block's shared memory.
void add_padding(LaunchSetup& setup, const WhatIfChange& pad) {
  BlockResources& block = setup.profile.block;
  block.shared_bytes += block.shared_bytes / static_cast<std::int64_t>(pad.value) *
                        static_cast<std::int64_t>(pad.pad_bytes);
  const std::int64_t blocks = resident_blocks_per_sm(setup.device, block);
  if (blocks < 1) {
    fail(
        fmt::format("--what-if {}: with {} bytes of shared memory, not even one block fits an SM "
                    "of {}",
                    pad.text, block.shared_bytes, setup.device.name));
  }
  if (blocks != setup.profile.resident_blocks) {
    set_resident_blocks(setup.profile, setup.device, blocks, setup.options.emulation);
  }
}

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
  if (const WhatIfChange* const pad = find_change(changes, WhatIfKind::pad_shared)) {
    add_padding(setup, *pad);
  }
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
  note("shared memory of a block", "bytes", static_cast<double>(profile_before.block.shared_bytes),
       static_cast<double>(profile_after.block.shared_bytes));
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
  const WhatIfChange* const pad = find_change(changes, WhatIfKind::pad_shared);
  const WhatIfChange* const wide = find_change(changes, WhatIfKind::vectorize_shared);
  if (pad != nullptr && wide != nullptr) {
    fail(
        fmt::format("--what-if {} and {} contradict each other: gaps move accesses off the "
                    "alignment that wide ones need; leave one of them out",
                    pad->text, wide->text));
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
  if (find_change(changes, WhatIfKind::no_register_bank_conflicts) != nullptr) {
    setup.options.left_out.emplace_back("register-banks");
    notes.emplace_back(
        "no-register-bank-conflicts: the most that other register numbers can bring; compilers "
        "choose them, and find few without any conflict");
  }
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
  } else if (result.time_ratio != 1 || !result.counts.empty()) {
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
