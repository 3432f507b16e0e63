#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "model/measurement.hpp"
#include "profiling/clock_source.hpp"

namespace perfmodel::profiling {

/// Reads a clock source in a background thread while a kernel is measured.
///
///     ClockSampler sampler(device);
///     ... measure ...
///     entry.clocks = sampler.stop();
class ClockSampler {
 public:
  /// Waits out the time until the next reading; false: no further reading, the thread ends. It is
  /// called in the sampling thread and must return early when a stop is requested.
  using Wait = std::function<bool(std::stop_token stop, std::chrono::milliseconds interval)>;

  static constexpr std::chrono::milliseconds default_interval{10};

  /// Starts at once. The source must outlive the sampler and is read by nobody else meanwhile.
  explicit ClockSampler(ClockSource& source, std::chrono::milliseconds interval = default_interval);
  /// With another notion of time; what tests use.
  ClockSampler(ClockSource& source, std::chrono::milliseconds interval, Wait wait);

  ClockSampler(const ClockSampler&) = delete;
  ClockSampler& operator=(const ClockSampler&) = delete;
  /// Ends the thread and drops the readings.
  ~ClockSampler() = default;

  /// Ends the thread and sums up what it read.
  ClockConditions stop();

 private:
  std::vector<ClockReading> readings_;  ///< the thread's until it ended
  std::jthread thread_;                 ///< last: it uses the others
};

/// Sums readings up. Those in which the device was idle say nothing about a kernel and are left
/// out, unless there are no others.
ClockConditions summarize_clocks(std::span<const ClockReading> readings);

}  // namespace perfmodel::profiling
