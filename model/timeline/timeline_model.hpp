#pragma once

#include "model/launch_profile.hpp"
#include "model/timeline/sm_timeline.hpp"
#include "model/traffic.hpp"

namespace perfmodel {

struct TimelineOptions {
  /// To simulate, in instructions that touch no memory; the others take longer. With this many, a
  /// prediction takes about 0.1 s.
  double work_budget = 7e5;
  L2State l2 = L2State::clean;
  sass::EmulationOptions emulation;
};

/// What the timeline of one SM says about a launch.
struct TimelineRun {
  double seconds = 0;          ///< of the kernel, without launching it
  double cycles = 0;           ///< of the busiest SM
  bool sampled = false;        ///< cut off and extrapolated
  double share_simulated = 1;  ///< of that SM's warp instructions
  SmTimelineResult sm;
  SmTimelineOptions options;  ///< of that SM
  SmCosts costs;
};

/// What L1 has left beside the shared memory of `resident_blocks`; the hardware divides the two in
/// steps.
double l1_bytes_beside(const Device& device, const SmCosts& costs, const BlockResources& block,
                       std::int64_t resident_blocks);

/// Runs the SM of `run`, made of the same profile, once more while `observer` looks on.
void observe_timeline(const LaunchProfile& profile, const TimelineRun& run,
                      const sass::EmulationOptions& emulation, TimelineObserver& observer);

/// The timeline and the traffic that goes with it: how blocks share L2 depends on what holds them
/// up, which a first, shorter run tells.
struct TimelinePrediction {
  TimelineRun run;
  Traffic traffic;
  /// That one block takes alone on an SM whose units are never busy: what latencies and dependences
  /// cost.
  double lone_block_s = 0;
};
TimelinePrediction predict_timeline(const LaunchProfile& profile, const Device& device,
                                    const SmCosts& costs, const TimelineOptions& options);

}  // namespace perfmodel
