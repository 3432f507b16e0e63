#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/metric_set.hpp"
#include "profiling/counters/observed_launch.hpp"

namespace perfmodel::profiling {

// Hardware counters. There are two implementations of what is declared here; the build links one
// (see profiling/CMakeLists.txt), and the one without CUPTI refuses every call (not_built). All of
// them throw CounterRefused. CUPTI is opened by the first call, and by nothing else.

/// Metrics turned into what a chip has to be programmed with.
struct MetricConfiguration {
  std::vector<std::string> metrics;    ///< full names with roll-up: "smsp__inst_executed.sum"
  std::vector<std::uint8_t> image;     ///< for the range profiler
  std::size_t passes = 0;              ///< runs of the kernel that collecting them takes
  std::vector<std::string> not_known;  ///< asked for, but not metrics of this chip
};

/// The chips that the installed CUPTI knows: "GH100". Needs no GPU.
std::vector<std::string> known_chips();

/// All metrics of a chip, by name; those of the vendor's own triage are left out. Needs no GPU.
std::vector<MetricProperties> chip_metrics(const std::string& chip);

/// Which of these the chip has, and what collecting them together takes. Needs no GPU.
MetricConfiguration configure_metrics(const std::string& chip,
                                      std::span<const MetricChoice> metrics);

/// Counters of launches on one device of this process.
class CounterCollector {
 public:
  virtual ~CounterCollector() = default;
  /// Values of one launch by full metric name, in base units: counts, bytes, seconds, hertz, and
  /// percent where the name says so.
  virtual std::map<std::string, double, std::less<>> collect(const ObservedLaunch& launch) = 0;
  /// Seconds from the begin of the first kernel of a launch to the end of its last one, as the
  /// device notes them, of `count` launches. Needs no permission for counters.
  virtual std::vector<double> kernel_durations_s(const ObservedLaunch& launch,
                                                 std::size_t count) = 0;
  /// Metrics asked for that the chip does not have; known after the first `collect`.
  [[nodiscard]] virtual std::vector<std::string> not_known() const = 0;
};

/// Refuses only when it collects, for durations may be had where counters are not.
std::unique_ptr<CounterCollector> open_collector(int device_ordinal,
                                                 std::span<const MetricChoice> metrics,
                                                 ReplayMode replay);

/// Counts of one instruction in one function.
struct InstructionSample {
  std::string function;                               ///< mangled
  std::uint32_t address = 0;                          ///< from the function's begin, bytes
  std::map<std::string, double, std::less<>> values;  ///< by metric name, summed over the device
};

/// Counts by instruction, from code that CUPTI patches. CUPTI takes one configuration in the life
/// of a process, and none beside `kernel_durations_s`: one object in a process.
class InstructionCollector {
 public:
  virtual ~InstructionCollector() = default;
  /// Every instruction of the kernels that the launch ran, in order of function and address.
  virtual std::vector<InstructionSample> count(const ObservedLaunch& launch) = 0;
  /// Metrics asked for that the chip does not have.
  [[nodiscard]] virtual std::vector<std::string> not_known() const = 0;
};

/// `metrics` without roll-up: "smsp__sass_inst_executed".
std::unique_ptr<InstructionCollector> open_instruction_collector(
    int device_ordinal, std::span<const std::string> metrics);

}  // namespace perfmodel::profiling
