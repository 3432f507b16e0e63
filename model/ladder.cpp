#include "model/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace perfmodel {
namespace {

/// Entries that differ by less are the same for a reader.
constexpr double least_change = 0.01;

struct LadderEntry {
  std::string name;
  FigureKind kind;
  double value;
};

/// The same entries in the same order for any two kernels that both have machine code or not.
std::vector<LadderEntry> entries_of(const LadderRung& rung) {
  const SourceLedger& ledger = *rung.kernel->ledger;
  std::vector<LadderEntry> entries = {
      {"distinct shared reads per FMA", FigureKind::counted, to_double(ledger.dist)},
      {"broadcast shared reads per FMA", FigureKind::counted, to_double(ledger.bcast)},
      {"global loads per FMA", FigureKind::counted, to_double(ledger.ldg)},
      {"memory requests per FMA", FigureKind::counted, to_double(ledger.requests_per_fma)},
      {"bytes per output", FigureKind::counted, to_double(ledger.bytes_per_output)}};
  if (rung.audit != nullptr) {
    const LaunchAudit& audit = *rung.audit;
    entries.push_back({"warp instructions", FigureKind::counted, audit.warp_instructions});
    entries.push_back({"data pipe wavefronts", FigureKind::counted, audit.lsu_wavefronts});
    entries.push_back({"L2 bytes", FigureKind::predicted, audit.traffic.l2_bytes()});
    entries.push_back({"DRAM bytes", FigureKind::predicted, audit.traffic.dram_bytes()});
    entries.push_back({"occupancy", FigureKind::counted, audit.occupancy});
  }
  return entries;
}

/// How far apart two values are, on a scale on which halving and doubling are equal.
double log_distance(const LadderChange& change) {
  if (change.before <= 0 || change.after <= 0) {
    return change.before == change.after ? 0 : std::numeric_limits<double>::infinity();
  }
  return std::abs(std::log(change.after / change.before));
}

LadderStep step_between(const LadderRung& before, const LadderRung& after) {
  LadderStep step;
  step.family = after.kernel->family;
  step.shape = after.kernel->shape.to_string();
  step.from = before.kernel->name;
  step.to = after.kernel->name;
  step.summary = after.kernel->summary;
  step.before_s = before.kernel->median_s;
  step.after_s = after.kernel->median_s;
  if (before.audit != nullptr) {
    step.predicted_before_s = before.audit->predictions.front().seconds;
  }
  if (after.audit != nullptr) {
    step.predicted_after_s = after.audit->predictions.front().seconds;
  }
  const std::vector<LadderEntry> old = entries_of(before);
  const std::vector<LadderEntry> now = entries_of(after);
  for (std::size_t i = 0; i < std::min(old.size(), now.size()); ++i) {
    const LadderChange change{now[i].name, now[i].kind, old[i].value, now[i].value};
    if (log_distance(change) > least_change) {
      step.changes.push_back(change);
    }
  }
  std::ranges::stable_sort(step.changes, std::ranges::greater(), log_distance);
  return step;
}

}  // namespace

std::optional<double> LadderStep::predicted_speedup() const {
  if (!predicted_before_s || !predicted_after_s) {
    return std::nullopt;
  }
  return *predicted_before_s / *predicted_after_s;
}

std::vector<LadderStep> ladder_steps(std::span<const LadderRung> rungs) {
  std::vector<LadderStep> steps;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const KernelAnalysis& kernel = *rungs[i].kernel;
    if (!kernel.ledger) {
      continue;
    }
    for (std::size_t j = i; j-- > 0;) {
      const KernelAnalysis& before = *rungs[j].kernel;
      if (before.ledger && before.family == kernel.family && before.shape == kernel.shape) {
        steps.push_back(step_between(rungs[j], rungs[i]));
        break;
      }
    }
  }
  return steps;
}

}  // namespace perfmodel
