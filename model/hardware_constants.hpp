#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measurement.hpp"

namespace perfmodel {

/// A figure that the vendor published, for comparison.
struct DatasheetFigure {
  double value{};
  std::string source;

  bool operator==(const DatasheetFigure&) const = default;
};

/// What no correct measurement of a constant can surpass.
struct ConstantLimit {
  double value{};
  bool is_least = false;  ///< the constant cannot be less (a cost) rather than more (a rate)
  std::string reason;

  bool operator==(const ConstantLimit&) const = default;
};

/// One cost or rate of a device, measured by a micro-benchmark.
struct HardwareConstant {
  std::string name;      ///< "fma.rate"
  double value{};        ///< median of the samples
  std::string unit;      ///< "lanes/clk/SM"
  double uncertainty{};  ///< half of what lies between the quartiles of the samples
  std::vector<double> samples;
  std::optional<ConstantLimit> limit;
  std::optional<DatasheetFigure> datasheet;
  std::optional<double> sm_clock_hz;  ///< median while it was measured
  bool throttled = false;  ///< also when repeated, the clock was below the highest one seen

  /// The share of the limit that was reached: above 1 something is wrong.
  [[nodiscard]] std::optional<double> limit_share() const;
  [[nodiscard]] bool is_beyond_limit() const;

  bool operator==(const HardwareConstant&) const = default;
};

/// A constant that this device does not have.
struct SkippedConstant {
  std::string name;
  std::string reason;

  bool operator==(const SkippedConstant&) const = default;
};

/// What the micro-benchmarks measured on one device. Read from the files that
/// `perfmodel calibrate --device auto` writes (profiling/constants_file.hpp).
struct HardwareConstants {
  std::string device;  ///< name of a device specification, or "live"
  DeviceAttributes attributes;
  Environment environment;
  std::optional<double> sm_clock_hz;      ///< median over the constants
  std::optional<double> max_sm_clock_hz;  ///< highest that any constant ran at
  std::optional<double> memory_clock_hz;
  std::vector<HardwareConstant> constants;
  std::vector<SkippedConstant> skipped;

  /// Null where there is no such constant.
  [[nodiscard]] const HardwareConstant* find(std::string_view name) const;
  /// Throws Error with the nearest name, or the reason why the constant was skipped.
  [[nodiscard]] double value(std::string_view name) const;

  bool operator==(const HardwareConstants&) const = default;
};

/// A sentence for every constant that cannot be right: "fma.rate is above the physical limit: ...".
std::vector<std::string> limit_violations(const HardwareConstants& constants);
/// A sentence for every constant that was measured at a clock that was held down.
std::vector<std::string> throttling_warnings(const HardwareConstants& constants);

}  // namespace perfmodel
