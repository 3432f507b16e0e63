#include "model/sass/compare_ledgers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "model/device.hpp"
#include "model/error.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::size_t broadcast_index = static_cast<std::size_t>(AccessClass::broadcast);

/// Whether two counts per FMA differ by more than rounding and code that runs once per thread:
/// 0.2 % of the larger one.
bool counts_differ(double a, double b) {
  constexpr double tolerance = 2e-3;
  return std::abs(a - b) > tolerance * std::max(std::abs(a), std::abs(b)) + 1e-9;
}

std::string figure(double value) { return fmt::format("{:.4g}", value); }

bool is_load(const LedgerLine& line) { return !line.store && !line.atomic; }

bool is_shared_load(const LedgerLine& line) {
  return line.space == MemorySpace::shared && is_load(line);
}

bool is_global_load(const LedgerLine& line) {
  // LDGSTS reads global memory although it writes shared memory.
  const bool copies = line.opcode.starts_with("LDGSTS");
  return copies || ((line.space == MemorySpace::global || line.space == MemorySpace::generic) &&
                    is_load(line));
}

/// Loads of one class, grouped by opcode.
struct WidthGroup {
  double instructions = 0;
  std::uint32_t access_bytes = 0;
};
using WidthGroups = std::map<std::string, WidthGroup>;

class Comparison {
 public:
  Comparison(const SourceLedger& source, std::int64_t element_bytes, const MachineLedger& machine)
      : source_(source), machine_(machine), element_bytes_(static_cast<double>(element_bytes)) {
    result_.useful_fmas = to_double(source.work.fmas);
    result_.element_bytes = element_bytes;
  }

  LedgerComparison run() {
    shared_rows();
    global_row();
    lines_row();
    fma_row();
    other_row();
    return std::move(result_);
  }

 private:
  /// Warp executions as thread instructions per useful FMA.
  [[nodiscard]] double per_fma(double warp_executions) const {
    return warp_lanes * warp_executions / result_.useful_fmas;
  }

  [[nodiscard]] double elements_of(const LedgerLine& line, double instructions) const {
    return instructions * line.access_bytes / element_bytes_;
  }

  /// "4 broadcast reads became 1 LDS.128", for each width that holds several elements. Where the
  /// source has as many instructions, it asked for the width itself.
  void explain_widths(LedgerComparisonRow& row, const WidthGroups& groups, std::string_view what,
                      std::string_view neighbours) const {
    for (const auto& [opcode, group] : groups) {
      const double elements = group.access_bytes / element_bytes_;
      if (elements <= 1 || group.instructions <= 0) {
        continue;
      }
      if (!counts_differ(*row.source, row.instructions)) {
        row.reasons.push_back(
            fmt::format("1 {} carries {} elements, as in the source", opcode, figure(elements)));
        continue;
      }
      row.reasons.push_back(fmt::format(
          "{} {}{} became 1 {} ({} per FMA carry {})", figure(elements), what, neighbours, opcode,
          figure(group.instructions), figure(group.instructions * elements)));
    }
  }

  void shared_rows() {
    LedgerComparisonRow dist{"dist", "distinct shared reads", to_double(source_.dist), 0, 0, {}};
    LedgerComparisonRow bcast{"bcast", "broadcast shared reads", to_double(source_.bcast), 0, 0,
                              {}};
    WidthGroups dist_groups;
    WidthGroups bcast_groups;
    double without_lanes = 0;
    double partial_elements = 0;
    double partial_words = 0;
    for (const LedgerLine& line : machine_.lines) {
      if (!is_shared_load(line)) {
        continue;
      }
      const double uniform = per_fma(line.counts.by_access[broadcast_index]);
      const double requests = per_fma(line.counts.requests);
      const double several = std::max(0.0, requests - uniform);
      without_lanes += per_fma(std::max(0.0, line.counts.executions - line.counts.requests));
      tally(bcast, bcast_groups, line, uniform);
      tally(dist, dist_groups, line, several);
      // Lanes that fall into a few groups read few words: neither uniform nor one word a lane.
      const double words = line.counts.requests > 0 && line.access_bytes > 0
                               ? line.counts.useful_bytes / line.counts.requests / line.access_bytes
                               : 0;
      if (several > 0 && uniform <= 0 && words < warp_lanes / 2.0) {
        partial_elements += elements_of(line, several);
        partial_words = std::max(partial_words, words);
      }
    }
    explain_widths(bcast, bcast_groups, "broadcast reads", "");
    explain_widths(dist, dist_groups, "reads of neighbouring words", "");
    if (partial_elements > 0 && counts_differ(dist.elements, *dist.source)) {
      dist.reasons.push_back(
          fmt::format("{} element reads per FMA touch at most {} addresses in a warp: nearly a "
                      "broadcast, but counted as distinct",
                      figure(partial_elements), figure(partial_words)));
    }
    explain_shared_elements(dist, bcast);
    if (counts_differ(without_lanes, 0) && without_lanes > 1e-3) {
      dist.reasons.push_back(
          fmt::format("{} shared loads per FMA had no lane left to load", figure(without_lanes)));
    }
    result_.rows.push_back(std::move(dist));
    result_.rows.push_back(std::move(bcast));
  }

  void tally(LedgerComparisonRow& row, WidthGroups& groups, const LedgerLine& line,
             double instructions) const {
    if (instructions <= 0) {
      return;
    }
    row.instructions += instructions;
    row.elements += elements_of(line, instructions);
    WidthGroup& group = groups[line.opcode];
    group.instructions += instructions;
    group.access_bytes = line.access_bytes;
  }

  /// Fewer elements than the source reads were kept in registers; more moved between the classes.
  static void explain_shared_elements(LedgerComparisonRow& dist, LedgerComparisonRow& bcast) {
    const double source_total = *dist.source + *bcast.source;
    const double machine_total = dist.elements + bcast.elements;
    const bool same_total = !counts_differ(source_total, machine_total);
    for (LedgerComparisonRow* row : {&dist, &bcast}) {
      const LedgerComparisonRow& other = row == &dist ? bcast : dist;
      const double missing = *row->source - row->elements;
      if (!counts_differ(*row->source, row->elements) ||
          !counts_differ(*row->source, row->instructions)) {
        continue;
      }
      if (same_total) {
        if (missing > 0) {
          row->reasons.push_back(fmt::format("{} reads per FMA are {} by their addresses",
                                             figure(missing),
                                             row == &dist ? "broadcast" : "distinct"));
        }
      } else if (missing > 0) {
        const double moved = std::clamp(other.elements - *other.source, 0.0, missing);
        if (counts_differ(moved, 0)) {
          row->reasons.push_back(fmt::format("{} reads per FMA are {} by their addresses",
                                             figure(moved),
                                             row == &dist ? "broadcast" : "distinct"));
        }
        if (counts_differ(missing, moved)) {
          row->reasons.push_back(fmt::format(
              "the compiler kept values in registers: {} reads fewer", figure(missing - moved)));
        }
      } else {
        const double arrived = std::clamp(*other.source - other.elements, 0.0, -missing);
        if (counts_differ(-missing, arrived)) {
          row->reasons.push_back(fmt::format("{} more element reads than the source asks for",
                                             figure(-missing - arrived)));
        }
      }
    }
  }

  void global_row() {
    LedgerComparisonRow row{"ldg", "global loads", to_double(source_.ldg), 0, 0, {}};
    WidthGroups groups;
    double without_lanes = 0;
    double lanes = 0;
    for (const LedgerLine& line : machine_.lines) {
      if (is_global_load(line)) {
        tally(row, groups, line, per_fma(line.counts.executions));
        lanes += line.counts.predicated_lanes / result_.useful_fmas;
        without_lanes += per_fma(std::max(0.0, line.counts.executions - line.counts.requests));
      }
    }
    for (const auto& [opcode, group] : groups) {
      const double elements = group.access_bytes / element_bytes_;
      if (elements > 1) {
        row.reasons.push_back(fmt::format("{} elements per {} ({} per FMA carry {})",
                                          figure(elements), opcode, figure(group.instructions),
                                          figure(group.instructions * elements)));
      }
    }
    if (without_lanes > 1e-3 * row.instructions && without_lanes > 0) {
      row.reasons.push_back(fmt::format(
          "{} of them had no lane left to load: masked off at an edge", figure(without_lanes)));
    }
    const double missing = *row.source - row.instructions;
    const bool wide = std::ranges::any_of(
        groups, [&](const auto& one) { return one.second.access_bytes > element_bytes_; });
    if (counts_differ(*row.source, row.instructions)) {
      if (missing < 0 && lanes < row.instructions - without_lanes - 1e-3) {
        row.reasons.push_back(
            fmt::format("{:.0f} % of their lanes are active: lanes whose work is done wait for the "
                        "rest of their warp",
                        100 * lanes / row.instructions));
      } else if (missing < 0) {
        row.reasons.push_back(
            fmt::format("{} more loads than the source's loops ask for: code "
                        "before and after the loops, or narrower loads",
                        figure(-missing)));
      } else if (!counts_differ(*row.source, row.elements) && wide) {
        row.reasons.emplace_back("the same elements in fewer, wider loads");
      } else {
        row.reasons.push_back(
            fmt::format("{} loads fewer: kept in registers, or jumped over where no lane of a warp "
                        "is inside",
                        figure(missing)));
      }
    }
    result_.rows.push_back(std::move(row));
  }

  void lines_row() {
    LedgerComparisonRow row{
        "lines", "128-byte lines of global loads", to_double(source_.requests_per_fma), 0, 0, {}};
    double sectors = 0;
    double useful_bytes = 0;
    for (const LedgerLine& line : machine_.lines) {
      if (is_global_load(line)) {
        row.instructions += per_fma(line.counts.lines);
        sectors += line.counts.sectors;
        useful_bytes += line.counts.useful_bytes;
      }
    }
    constexpr double sector_bytes = 32;
    if (sectors > 0 && useful_bytes < 0.995 * sectors * sector_bytes) {
      row.reasons.push_back(fmt::format("{:.3g} % of the bytes in the sectors moved were asked for",
                                        100 * useful_bytes / (sectors * sector_bytes)));
    }
    if (counts_differ(*row.source, row.instructions)) {
      row.reasons.emplace_back(
          row.instructions < *row.source
              ? "lanes masked off at an edge, or repeated addresses, touch no further line"
              : "accesses that begin inside a line touch one line more");
    }
    result_.rows.push_back(std::move(row));
  }

  void fma_row() {
    const double executed = to_double(Rational(source_.executed_fmas / source_.work.fmas));
    LedgerComparisonRow row{"fma", "multiply-adds", executed, 0, 0, {}};
    double lanes = 0;
    for (const LedgerLine& line : machine_.lines) {
      const double per_instruction = fmas_of(line.opcode);
      if (per_instruction > 0) {
        row.instructions += per_fma(line.counts.executions);
        row.elements += per_instruction * per_fma(line.counts.executions);
        lanes += per_instruction * line.counts.predicated_lanes / result_.useful_fmas;
      }
    }
    if (row.instructions <= 0) {
      row.reasons.emplace_back("the machine code has no fused multiply-add");
      result_.rows.push_back(std::move(row));
      return;
    }
    if (counts_differ(row.instructions, row.elements)) {
      row.reasons.push_back(fmt::format("an instruction does {} multiply-adds",
                                        figure(row.elements / row.instructions)));
    }
    if (counts_differ(lanes, 1) && lanes > 1) {
      row.reasons.push_back(fmt::format(
          "padding lanes at the edge execute too: {} FMAs per useful one", figure(lanes)));
    }
    if (counts_differ(row.elements, lanes)) {
      row.reasons.push_back(
          fmt::format("{} of the slots have no active lane", figure(row.elements - lanes)));
    }
    if (counts_differ(row.instructions, 1)) {
      row.reasons.push_back(fmt::format("machine code computes {} FMA instructions per useful FMA",
                                        figure(row.instructions)));
    }
    result_.rows.push_back(std::move(row));
  }

  /// Multiply-adds per lane of an opcode; 0 for others.
  [[nodiscard]] double fmas_of(std::string_view opcode) const {
    const std::string_view base = opcode.substr(0, opcode.find('.'));
    if (base == "FFMA" || base == "DFMA" || base == "FFMA32I") {
      return 1;
    }
    // Code for wider elements uses HFMA2 to move constants.
    const bool halves = base == "HFMA2" && result_.element_bytes == 2;
    return base == "FFMA2" || halves ? 2 : 0;
  }

  /// Everything that is neither a multiply-add nor a load: what the source ledger does not see.
  void other_row() {
    LedgerComparisonRow row{"other", "other instructions", std::nullopt, 0, 0, {}};
    std::map<std::string, double> by_base;
    for (const LedgerLine& line : machine_.lines) {
      if (fmas_of(line.opcode) > 0 || is_shared_load(line) || is_global_load(line)) {
        continue;
      }
      const double instructions = per_fma(line.counts.executions);
      row.instructions += instructions;
      by_base[line.opcode.substr(0, line.opcode.find('.'))] += instructions;
    }
    std::vector<std::pair<double, std::string>> largest;
    for (const auto& [base, instructions] : by_base) {
      largest.emplace_back(instructions, base);
    }
    std::ranges::sort(largest, std::greater<>());
    constexpr std::size_t shown = 4;
    std::string list;
    for (std::size_t i = 0; i < std::min(shown, largest.size()) && largest[i].first > 1e-3; ++i) {
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", largest[i].second,
                          figure(largest[i].first));
    }
    if (!list.empty()) {
      row.reasons.push_back("mostly " + list);
    }
    result_.rows.push_back(std::move(row));
  }

  const SourceLedger& source_;
  const MachineLedger& machine_;
  double element_bytes_;
  LedgerComparison result_;
};

}  // namespace

LedgerComparison compare_ledgers(const SourceLedger& source, std::int64_t element_bytes,
                                 const MachineLedger& machine) {
  if (element_bytes < 1) {
    fail(fmt::format("element_bytes must be at least 1, not {}", element_bytes));
  }
  return Comparison(source, element_bytes, machine).run();
}

}  // namespace perfmodel::sass
