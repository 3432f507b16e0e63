#include "model/timeline/timeline_model.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "model/sass/trace.hpp"

namespace perfmodel {

TimelineRun run_timeline(const LaunchProfile& profile, const SmCosts& costs, double l1_bytes,
                         const MemoryShares& memory, const TimelineOptions& options) {
  const auto blocks = static_cast<std::int64_t>(profile.launch->blocks());
  const std::int64_t sms = costs.sm_count;
  const std::int64_t own_blocks = (blocks + sms - 1) / sms;
  const std::int64_t resident = std::min(profile.resident_blocks, own_blocks);

  sass::LaunchTracer tracer(*profile.module, *profile.function, *profile.launch,
                            options.emulation);
  const double steps_per_block = profile.ledger.totals.warp_instructions / profile.blocks();
  const auto most_steps = static_cast<std::uint64_t>(
      std::max(2000.0, options.step_budget / static_cast<double>(resident)));
  // The SM in the middle of the order in which blocks are dealt out.
  const std::int64_t sm = std::min(sms / 2, blocks - 1);

  SmTimelineOptions sm_options;
  sm_options.resident_blocks = resident;
  sm_options.blocks = own_blocks;
  sm_options.l1_bytes = l1_bytes;
  sm_options.step_budget = options.step_budget;
  sm_options.memory = memory;
  SmTimeline timeline(tracer.code(), *profile.function, tracer.patterns(), costs, sm_options);
  TimelineRun run;
  run.sm = timeline.run([&](std::int64_t number) -> std::shared_ptr<const sass::BlockTrace> {
    const std::int64_t block = std::min(sm + number * sms, blocks - 1);
    return std::make_shared<const sass::BlockTrace>(
        tracer.trace(static_cast<std::uint64_t>(block), most_steps));
  });
  run.cycles = run.sm.cycles;
  if (!run.sm.complete) {
    // Blocks that are left over after the last full wave are spread over all SMs.
    const double all_steps = steps_per_block * static_cast<double>(blocks) / static_cast<double>(sms);
    run.sampled = true;
    run.share_simulated = std::min(1.0, run.sm.steps / all_steps);
    run.cycles += std::max(0.0, all_steps - run.sm.steps) / run.sm.steady_steps_per_cycle;
  }
  run.seconds = run.cycles / costs.clock_hz;
  return run;
}

}  // namespace perfmodel
