#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/launch_audit.hpp"

namespace perfmodel {

enum class WhatIfKind : std::uint8_t {
  vectorize_shared,            ///< neighbouring narrow accesses to shared memory become wide ones
  vectorize_global,            ///< likewise to global memory
  pad_shared,                  ///< a gap behind each row of shared memory
  no_bank_conflicts,           ///< every access to shared memory takes its conflict-free wavefronts
  no_register_bank_conflicts,  ///< operands are read in time, whatever banks they are in
  coalesce,   ///< every access to global memory asks for the fewest sectors for its bytes
  occupancy,  ///< resident blocks per SM
  registers,  ///< per thread
  clock,      ///< of the SMs; memory keeps its own
  l2,         ///< size of L2
  device,     ///< another device of the catalogue
};

/// One thing that is to be different.
struct WhatIfChange {
  WhatIfKind kind = WhatIfKind::vectorize_shared;
  std::string text;       ///< as written: "occupancy=50%"
  double value = 0;       ///< blocks, registers, hertz or bytes; pad_shared: of a row
  double pad_bytes = 0;   ///< pad_shared: behind each row
  bool is_share = false;  ///< occupancy: `value` is a share of the warps that an SM holds
  std::string device;     ///< name

  friend bool operator==(const WhatIfChange&, const WhatIfChange&) = default;
};

/// Each text may hold several changes: "vectorize-shared,registers=96". Repeating one is no error.
/// Throws Error bad_input: an unknown change, a value that is missing, not needed or makes no
/// sense, two changes of one kind that differ.
std::vector<WhatIfChange> parse_what_if(std::span<const std::string> texts);

/// The change of a kind; null: there is none.
const WhatIfChange* find_change(std::span<const WhatIfChange> changes, WhatIfKind kind);

/// A launch and all that its prediction depends on.
struct LaunchSetup {
  LaunchProfile profile;
  Device device;
  std::optional<HardwareConstants> constants;
  ThroughputCoefficients coefficients;
  double clock_hz = 0;
  AuditOptions options;
};

/// `audit_launch` of a setup.
LaunchAudit audit_setup(const LaunchSetup& setup);

/// Makes the changes to a setup; a change of device is the caller's: `setup` has that device's
/// constants and code already. Returns a sentence for each change that has no effect, or whose
/// effect is known in part. Throws Error bad_input where changes contradict each other, the launch
/// or the device, and as `profile_launch` does.
std::vector<std::string> make_changes(LaunchSetup& setup, std::span<const WhatIfChange> changes);

/// A figure of the launch that the changes moved.
struct CountChange {
  std::string count;  ///< "shared loads"
  std::string unit;   ///< "instructions", "MB"; may be empty
  double before = 0;
  double after = 0;

  friend bool operator==(const CountChange&, const CountChange&) = default;
};

/// What some changes would bring.
struct WhatIf {
  std::vector<std::string> changes;  ///< as written
  std::vector<std::string> notes;    ///< see `make_changes`
  std::vector<CountChange> counts;   ///< those that moved, counted and predicted
  LaunchAudit after;
  double time_ratio = 1;  ///< predicted time, after over before
  double ratio_low = 1;   ///< of an interval that holds the ratio in nine of ten cases
  double ratio_high = 1;
  /// The measured time, times the ratio; nothing where none was measured.
  std::optional<double> expected_s;

  [[nodiscard]] double saved_share() const { return 1 - time_ratio; }
};

/// Half the width of the interval of a predicted ratio of two times on one device, as a natural
/// logarithm: what nine of ten pairs of held-out launches stay within (docs/what-if.md). Less than
/// that of two independent predictions, because much of their error is the same.
/// `relative_uncertainty`: of the device's costs, see SmCostSources.
double ratio_error(double time_ratio, double relative_uncertainty);

/// Compares two audits of one launch. `another_device`: they have no error in common, and the
/// interval is that of two independent predictions.
WhatIf compare_what_if(const LaunchAudit& before, const LaunchAudit& after,
                       const LaunchProfile& profile_before, const LaunchProfile& profile_after,
                       bool another_device);

}  // namespace perfmodel
