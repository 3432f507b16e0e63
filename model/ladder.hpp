#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/analysis.hpp"
#include "model/launch_audit.hpp"

namespace perfmodel {

/// A ledger entry of two kernels, one after the other.
struct LadderChange {
  std::string entry;  ///< "distinct shared reads per FMA"
  FigureKind kind{};
  double before{};
  double after{};
};

/// What one kernel of a family changed against the one before it, and what that bought.
struct LadderStep {
  std::string family;
  std::string shape;
  std::string from;
  std::string to;
  std::string summary;  ///< of the later kernel
  double before_s{};    ///< measured
  double after_s{};
  std::optional<double> predicted_before_s;
  std::optional<double> predicted_after_s;
  std::vector<LadderChange> changes;  ///< entries that differ by more than 1 %, the largest first

  [[nodiscard]] double speedup() const { return before_s / after_s; }
  /// Nothing where one of the two was not predicted.
  [[nodiscard]] std::optional<double> predicted_speedup() const;
};

/// A kernel of a ladder; refers to figures that outlive it.
struct LadderRung {
  const KernelAnalysis* kernel = nullptr;
  const LaunchAudit* audit = nullptr;  ///< null: there is no machine code of it
};

/// The steps between kernels of one family and shape that have a source ledger, in the order given.
std::vector<LadderStep> ladder_steps(std::span<const LadderRung> rungs);

}  // namespace perfmodel
