#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/comparison.hpp"
#include "model/device.hpp"
#include "model/kernel_spec.hpp"
#include "model/measurement.hpp"

namespace perfmodel {

struct CompareOptions {
  // Default: those of one board or of two, see `ComparisonMargins`.
  std::optional<double> same_margin;
  std::optional<double> between_runs;
  /// A kernel that is certainly slower by more than this fraction is a regression.
  std::optional<double> fail_slower;
};

/// One of the two sides of a kernel that both recordings hold.
struct ComparedTime {
  double time_s{};                      ///< median, or the mean where only that is known
  std::size_t samples = 0;              ///< raw ones
  std::optional<double> sm_clock_hz;    ///< while it ran
  std::optional<double> flop_per_s;     ///< where the work is known
  std::optional<double> share_of_roof;  ///< of the DRAM roof; above 1: caches served some bytes
  std::optional<double> share_of_peak;  ///< of the device's FMA peak at the recording's clock
};

/// A figure of a ledger, of the launch or of the counters that differs.
struct LedgerChange {
  std::string name;  ///< "blocks per SM", "smsp__inst_executed.sum"
  double a{};
  double b{};
};

/// A kernel that both recordings hold.
struct KernelComparison {
  std::string label;
  std::optional<RatioInterval> ratio;  ///< of times, B over A; nothing without enough samples
  Change change = Change::unsure;
  std::string reason;  ///< of UNSURE, else empty
  bool is_regression = false;
  ComparedTime a;
  ComparedTime b;
  std::optional<double> arithmetic_intensity;  ///< FLOP per byte of the source ledger
  std::vector<LedgerChange> ledger_changes;
  /// What the ledgers rest on, or why there is nothing to compare.
  std::string ledger_basis;
  std::vector<std::string> notes;  ///< conditions of this kernel that differ or were not good
};

/// A kernel that only one recording holds, or whose result was wrong.
struct UncomparedKernel {
  std::string label;
  std::string reason;  ///< "only in A", "wrong results in B: ..."
  bool wrong_in_a = false;
  bool wrong_in_b = false;
};

/// Something other than the kernels that differs between the recordings.
struct ConditionDifference {
  std::string what;  ///< "driver"
  std::string a;     ///< "unknown" where the recording does not tell
  std::string b;
  std::string consequence;  ///< what that means for the verdicts
};

struct RecordingComparison {
  std::string name_a;
  std::string name_b;
  std::string device_a;
  std::string device_b;
  ComparisonMargins margins;
  std::optional<double> fail_slower;
  std::vector<ConditionDifference> conditions;
  std::vector<KernelComparison> kernels;  ///< slower ones first, largest change first
  std::vector<UncomparedKernel> uncompared;
  std::vector<std::string> warnings;

  [[nodiscard]] std::size_t count(Change change) const;
  [[nodiscard]] std::size_t regressions() const;
  [[nodiscard]] std::size_t wrong_in_b() const;
};

/// Counts of one launch by name, such as "warp instructions".
using LaunchCounts = std::vector<std::pair<std::string, double>>;

/// What is known beyond the recordings.
struct ComparisonSpecs {
  /// Null where there is no such device or kernel.
  std::function<const Device*(const std::string& name)> device;
  std::function<const KernelSpec*(const std::string& name)> kernel;
  /// What the machine code does that a device runs for a kernel, always the same counts in the same
  /// order; nothing where there is no such code. Empty: not asked for.
  std::function<std::optional<LaunchCounts>(const Device& device, const KernelSpec& kernel,
                                            const Shape& shape)>
      machine;
};

/// Compares each kernel that both hold: by name and shape, a function by name, launch and
/// parameters, or by name and number of threads where only the block's size changed. A kernel with
/// wrong results in either is not compared. Throws Error where they have nothing in common.
RecordingComparison compare_recordings(const Recording& a, const Recording& b,
                                       const CompareOptions& options, const ComparisonSpecs& specs);

}  // namespace perfmodel
