#pragma once

#include "model/launch_profile.hpp"
#include "model/timeline/sm_timeline.hpp"

namespace perfmodel {

struct TimelineOptions {
  double step_budget = 1.5e6;  ///< warp instructions to simulate
  sass::EmulationOptions emulation;
};

/// What the timeline of one SM says about a launch.
struct TimelineRun {
  double seconds = 0;        ///< of the kernel, without launching it
  double cycles = 0;         ///< of the busiest SM
  bool sampled = false;      ///< cut off and extrapolated
  double share_simulated = 1;  ///< of that SM's warp instructions
  SmTimelineResult sm;
};

TimelineRun run_timeline(const LaunchProfile& profile, const SmCosts& costs, double l1_bytes,
                         const MemoryShares& memory, const TimelineOptions& options);

}  // namespace perfmodel
