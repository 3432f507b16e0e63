#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "model/hardware_constants.hpp"
#include "model/launch_profile.hpp"
#include "model/measurement.hpp"
#include "model/resource_bounds.hpp"
#include "model/throughput_model.hpp"
#include "model/timeline/stall_comparison.hpp"
#include "model/timeline/timeline_model.hpp"
#include "model/traffic.hpp"
#include "model/verdict.hpp"

namespace perfmodel {

/// What holds a launch up.
enum class LimitClass : std::uint8_t {
  bandwidth_bound,    ///< L2 or DRAM
  instruction_bound,  ///< issuing, a pipe, or the data pipe of shared memory and L1
  latency_bound,      ///< no unit is busy: too few warps, dependences, barriers
  launch_bound,       ///< starting the kernel or its blocks
  tail_bound,         ///< SMs without work at the end
  inconclusive,
};
/// "bandwidth-bound".
std::string_view to_string(LimitClass limit_class);

/// A predicted time of a launch, launching included.
struct TimePrediction {
  std::string model;  ///< "combined", "timeline" or "throughput"
  double seconds = 0;
  double low_s = 0;  ///< of an interval that holds the time in nine of ten cases
  double high_s = 0;
};

/// A part of the time, by what it goes to.
struct LimitShare {
  std::string resource;  ///< "LSU data pipe", "memory latency", "barrier"
  double share = 0;      ///< of the time; of a unit, its utilisation
};

struct LaunchVerdict {
  LimitClass limit_class = LimitClass::inconclusive;
  LimitShare limiting;
  LimitShare runner_up;
  std::string reason;              ///< one sentence
  std::string advice;              ///< the first thing to change
  std::vector<Evidence> evidence;  ///< line by line
};

/// The hardware's counters of the same launch, where there are some.
struct MeasuredUnits {
  std::vector<LimitShare> utilisation;  ///< by unit, the busiest first
};

struct LaunchAudit {
  std::string kernel;
  std::string device;
  double clock_hz = 0;
  std::int64_t sm_count = 0;
  std::uint64_t blocks = 0;
  std::int64_t threads_per_block = 0;
  double warp_instructions = 0;
  double lsu_wavefronts = 0;
  std::int64_t resident_blocks = 1;
  double occupancy = 0;  ///< resident warps over the limit
  double launch_s = 0;
  std::vector<ResourceBound> bounds;  ///< largest first
  ThroughputTerms terms;
  std::vector<TimePrediction> predictions;  ///< the first one is the one to use
  Traffic traffic;
  TimelineRun timeline;
  std::optional<double> measured_s;
  std::optional<MeasuredUnits> measured_units;
  std::vector<StallReason> measured_stalls;  ///< empty where counters do not tell them
  LaunchVerdict verdict;
  double relative_uncertainty = 0;     ///< of the costs
  std::vector<std::string> fallbacks;  ///< what stands in for constants that are missing
  std::vector<std::string> warnings;

  /// Of the prediction to use, relative to the measured time; nothing: there is none.
  [[nodiscard]] std::optional<double> prediction_error() const;
  /// Whether its interval holds the measured time, which must be there.
  [[nodiscard]] bool is_inside() const;
};

struct AuditOptions {
  L2State l2 = L2State::clean;
  std::optional<double> measured_s;
  const Counters* counters = nullptr;                  ///< of the same launch
  double work_budget = TimelineOptions{}.work_budget;  ///< see TimelineOptions
  std::vector<std::string> left_out;                   ///< mechanisms of the timeline by name
  /// SM clock that the constants are for, where that is another than the launch's: memory then
  /// keeps its own, see `at_clock`.
  std::optional<double> costs_clock_hz;
  sass::EmulationOptions emulation;
};

/// Predicts a launch with every model and says what limits it. `constants` may be null: published
/// figures of the architecture then stand in, and the intervals are wider. Throws as
/// `profile_launch` does.
LaunchAudit audit_launch(const LaunchProfile& profile, const Device& device,
                         const HardwareConstants* constants,
                         const ThroughputCoefficients& coefficients, double clock_hz,
                         const AuditOptions& options);

/// Predicts with other coefficients and judges anew; what is counted or simulated stays.
void predict_again(LaunchAudit& audit, const ThroughputCoefficients& coefficients);

/// Whether the verdict and the hardware's counters name one story: a verdict that a unit is busy
/// agrees where the busiest unit is of the same class and busy, or the limiting unit is within a
/// tenth of it; one that no unit is busy agrees where none is. Counters must be there.
bool agrees(const LaunchAudit& audit);

/// Utilisation of the units that counters tell, by the names of the bounds; the busiest first.
MeasuredUnits measured_units(const Counters& counters);

/// The class that a limiting resource stands for.
LimitClass class_of_resource(std::string_view resource);

}  // namespace perfmodel
