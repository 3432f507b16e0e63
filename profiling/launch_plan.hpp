#pragma once

#include <cstddef>

#include "model/measurement.hpp"

namespace perfmodel::profiling {

/// How the launches of one sample are arranged around the timed span.
struct LaunchPlan {
  std::size_t launches_per_sample = 1;  ///< between the two events; the sample is their mean
  /// Untimed launches right before the first event. They keep the device busy while the host
  /// queues the events and the timed launches, so that no launch latency falls into the span.
  std::size_t runway_launches = 0;

  bool operator==(const LaunchPlan&) const = default;
};

/// Spans below this are dominated by the resolution of an event (about half a microsecond).
inline constexpr double shortest_span_s = 20e-6;
/// For launches longer than this the latency of a launch (a few microseconds) no longer matters.
inline constexpr double longest_runway_launch_s = 1e-3;
/// More launches than this are never put into one sample.
inline constexpr std::size_t most_launches_per_sample = 256;

/// Plans from the duration of a single launch, measured roughly; zero or less counts as shortest.
///
/// With a cold L2 there is one launch per sample, whatever its length: a second launch would find
/// what the first one left behind. The overwriting of the L2 serves as the runway there.
LaunchPlan plan_launches(double launch_s, CacheMode cache_mode);

}  // namespace perfmodel::profiling
