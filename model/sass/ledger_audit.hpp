#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/sass/compare_ledgers.hpp"
#include "model/sass/machine_ledger.hpp"

namespace perfmodel::sass {

/// One figure of the machine ledger and the hardware counter of the same thing.
struct AuditedCount {
  std::string name;    ///< "warp instructions"
  std::string metric;  ///< "smsp__inst_executed.sum"
  double (*counted)(const MachineTotals&) = nullptr;
  /// How far apart they may be, relative; nothing where the two count a little differently by
  /// nature, so that they are shown and not judged.
  std::optional<double> tolerance;
};

/// Limits of the audit, relative.
inline constexpr double exact_tolerance = 0.001;     ///< instructions, requests, sectors
inline constexpr double wavefront_tolerance = 0.02;  ///< arbitration adds some

/// What can be audited, in the order of reports.
std::vector<AuditedCount> audited_counts();

/// One line of an audit: the three ledgers side by side.
struct AuditFigure {
  std::string name;
  std::string metric;
  std::optional<double> source;    ///< of the source ledger; nothing where it does not count this
  double counted = 0;              ///< by emulating the machine code
  std::optional<double> measured;  ///< by the hardware; nothing where it was not read
  std::optional<double> tolerance;

  /// counted / measured - 1; nothing where nothing was measured, infinite where the hardware has 0
  /// and the ledger does not.
  [[nodiscard]] std::optional<double> difference() const;
  /// Nothing where it is not judged or was not measured.
  [[nodiscard]] std::optional<bool> passed() const;
};

/// Figures that are 0 in both ledgers and in hardware are left out. `source` may be null.
std::vector<AuditFigure> audit_ledger(const MachineTotals& totals, const LedgerComparison* source,
                                      const std::map<std::string, double, std::less<>>& counters);

}  // namespace perfmodel::sass
