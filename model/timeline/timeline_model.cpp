#include "model/timeline/timeline_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "model/sass/trace.hpp"

namespace perfmodel {

namespace {

/// Runs the SM in the middle of the order in which blocks are dealt out.
SmTimelineResult run_sm(const LaunchProfile& profile, const SmCosts& costs,
                        const SmTimelineOptions& sm_options, const TimelineOptions& options) {
  const auto blocks = static_cast<std::int64_t>(profile.launch->blocks());
  const std::int64_t sms = costs.sm_count;
  const std::int64_t sm = std::min(sms / 2, blocks - 1);
  const auto most_steps = static_cast<std::uint64_t>(
      std::max(2000.0, sm_options.step_budget / static_cast<double>(sm_options.resident_blocks)));
  sass::LaunchTracer tracer(*profile.module, *profile.function, *profile.launch, options.emulation,
                            profile.changes.get());
  SmTimeline timeline(tracer.code(), *profile.function, tracer.patterns(), costs, sm_options);
  return timeline.run([&](std::int64_t number) -> std::shared_ptr<const sass::BlockTrace> {
    const std::int64_t block = std::min(sm + number * sms, blocks - 1);
    return std::make_shared<const sass::BlockTrace>(
        tracer.trace(static_cast<std::uint64_t>(block), most_steps));
  });
}

}  // namespace

TimelineRun run_timeline(const LaunchProfile& profile, const SmCosts& costs, double l1_bytes,
                         const MemoryShares& memory, const TimelineOptions& options) {
  const auto blocks = static_cast<std::int64_t>(profile.launch->blocks());
  const std::int64_t sms = costs.sm_count;
  const std::int64_t own_blocks = (blocks + sms - 1) / sms;

  SmTimelineOptions sm_options;
  sm_options.resident_blocks = std::min(profile.resident_blocks, own_blocks);
  sm_options.blocks = own_blocks;
  sm_options.l1_bytes = l1_bytes;
  sm_options.step_budget = options.step_budget;
  sm_options.memory = memory;
  TimelineRun run;
  run.options = sm_options;
  run.costs = costs;
  run.sm = run_sm(profile, costs, sm_options, options);
  run.cycles = run.sm.cycles;
  if (!run.sm.complete) {
    const double steps_per_block =
        profile.ledger.totals.warp_instructions / static_cast<double>(blocks);
    run.sampled = true;
    run.share_simulated =
        std::min(1.0, run.sm.steps / steps_per_block / static_cast<double>(own_blocks));
    // Blocks start and end together, wave by wave; those of the last one have more room.
    const std::int64_t wave = sm_options.resident_blocks * sms;
    const std::int64_t last = blocks % wave;
    // SMs that are ahead take more of them, unless there is no wave before.
    const std::int64_t last_resident =
        last == 0 ? 0
                  : std::max<std::int64_t>(1, blocks < wave ? own_blocks : (last + sms / 2) / sms);
    const std::int64_t full_waves = blocks / wave;
    const auto full = static_cast<double>(full_waves * sm_options.resident_blocks);
    run.cycles = full * steps_per_block / run.sm.steady_steps_per_cycle;
    if (last_resident > 0) {
      SmTimelineOptions last_options = sm_options;
      last_options.resident_blocks = last_resident;
      last_options.blocks = last_resident;
      last_options.step_budget = options.step_budget / 2;
      const SmTimelineResult tail = run_sm(profile, costs, last_options, options);
      run.cycles += tail.complete ? tail.cycles
                                  : static_cast<double>(last_resident) * steps_per_block /
                                        tail.steady_steps_per_cycle;
    }
  }
  run.seconds = run.cycles / costs.clock_hz;
  return run;
}

void observe_timeline(const LaunchProfile& profile, const TimelineRun& run,
                      const sass::EmulationOptions& emulation, TimelineObserver& observer) {
  SmTimelineOptions sm_options = run.options;
  sm_options.observer = &observer;
  run_sm(profile, run.costs, sm_options, {.emulation = emulation});
}

double lone_block_cycles(const LaunchProfile& profile, const SmCosts& costs, double l1_bytes,
                         const MemoryShares& memory, const sass::EmulationOptions& emulation) {
  SmTimelineOptions sm_options;
  sm_options.l1_bytes = l1_bytes;
  sm_options.step_budget = 100'000;
  sm_options.memory = memory;
  sm_options.unlimited = true;
  const SmTimelineResult alone = run_sm(profile, costs, sm_options, {.emulation = emulation});
  if (alone.complete) {
    return alone.cycles;
  }
  const double steps_per_block = profile.ledger.totals.warp_instructions / profile.blocks();
  return steps_per_block / alone.steady_steps_per_cycle;
}

double l1_bytes_beside(const Device& device, const SmCosts& costs, const BlockResources& block,
                       std::int64_t resident_blocks) {
  constexpr double system_bytes = 1024;  // of each block
  constexpr std::array steps_kib = {0.0, 8.0, 16.0, 32.0, 64.0, 100.0, 132.0, 164.0, 196.0, 228.0};
  if (block.shared_bytes == 0) {
    return costs.l1_bytes;
  }
  const double wanted = static_cast<double>(resident_blocks) *
                        (static_cast<double>(block.shared_bytes) + system_bytes);
  auto taken = static_cast<double>(device.shared_bytes_per_sm.value);
  for (const double step : steps_kib) {
    if (step * 1024 >= wanted) {
      taken = std::min(taken, step * 1024);
      break;
    }
  }
  return costs.l1_bytes - taken;
}

namespace {

/// Of the steps of a prediction, those of the first, shorter run.
constexpr double first_share = 0.4;

/// How fast the resident blocks went on, the oldest first; empty where others took their places.
/// One that finds in L2 what those ahead waited for is `catch_up` times as fast, until it has come
/// up with them.
std::vector<double> pace_of(const SmTimelineResult& sm, double catch_up) {
  if (sm.complete || sm.blocks_done > 0) {
    return {};
  }
  std::vector<double> pace = sm.slot_steps;
  const double fastest = std::ranges::max(pace);
  for (double& one : pace) {
    one = std::min(fastest, one * catch_up);
  }
  return pace;
}

MemoryShares shares_of(const Traffic& traffic, const LaunchProfile& profile, const SmCosts& costs) {
  MemoryShares shares;
  shares.dram_wait_share = traffic.dram_wait_share;
  // SMs that have a block share what DRAM delivers.
  const double sms = costs.sm_count;
  shares.dram_bytes_per_cycle = costs.dram_rate(traffic.dram_load_bytes, traffic.dram_store_bytes) *
                                sms / std::clamp(profile.blocks(), 1.0, sms);
  shares.dram_queue_cycles =
      costs.dram_queue_cycles(traffic.dram_load_bytes, traffic.dram_store_bytes);
  if (traffic.l2_load_bytes > 0 && traffic.dram_load_bytes > 0) {
    // A launch that hardly loads pays for its stores as it makes them.
    const double share = traffic.dram_load_bytes / traffic.l2_load_bytes;
    shares.dram_share_of_loads = std::min(1.0, share);
    shares.dram_bytes_per_load_byte = std::max(1.0, share);
    if (traffic.dram_load_bytes > traffic.dram_store_bytes) {
      shares.dram_bytes_per_load_byte *= traffic.dram_bytes() / traffic.dram_load_bytes;
      shares.dram_share_of_stores = 0;
      return shares;
    }
  }
  shares.dram_share_of_stores =
      traffic.l2_store_bytes > 0 ? std::min(1.0, traffic.dram_store_bytes / traffic.l2_store_bytes)
                                 : 0;
  return shares;
}

}  // namespace

TimelinePrediction predict_timeline(const LaunchProfile& profile, const Device& device,
                                    const SmCosts& costs, const TimelineOptions& options) {
  const double l1_bytes = l1_bytes_beside(device, costs, profile.block, profile.resident_blocks);
  TrafficBasis basis;
  basis.l2 = options.l2;
  const Traffic abreast = predict_traffic(profile, device, basis);
  const auto waiting = [&](double dram_wait_share) {
    MemoryShares shares = shares_of(abreast, profile, costs);
    shares.dram_wait_share = dram_wait_share;
    return shares;
  };
  TimelineOptions first_options = options;
  first_options.step_budget = options.step_budget * first_share;
  const auto note_misses = [&](const SmTimelineResult& sm) {
    if (sm.l1_sectors > 0) {
      basis.l1_miss_share = sm.l1_missed_sectors / sm.l1_sectors;
      basis.of_beginning = !sm.complete;
    }
  };
  if (abreast.dram_wait_share < 1) {
    MemoryShares shares = shares_of(abreast, profile, costs);
    // One of the blocks waits for what they share, the others find it in L2.
    shares.dram_wait_share_of_leader =
        std::min(1.0, abreast.dram_wait_share * static_cast<double>(profile.resident_blocks));
    shares.follow_sectors = profile.one_block.loads.sectors * abreast.follow_share;
    const TimelineRun first = run_timeline(profile, costs, l1_bytes, shares, first_options);
    note_misses(first.sm);
    first_options.step_budget /= 2;
    const auto cycles = [&](double dram_wait_share) {
      return run_timeline(profile, costs, l1_bytes, waiting(dram_wait_share), first_options).cycles;
    };
    basis.pace = pace_of(first.sm, cycles(1) / cycles(0));
  } else {
    note_misses(run_timeline(profile, costs, l1_bytes, waiting(1), first_options).sm);
  }
  TimelinePrediction prediction;
  prediction.traffic = predict_traffic(profile, device, basis);
  prediction.run = run_timeline(profile, costs, l1_bytes,
                                shares_of(prediction.traffic, profile, costs), options);
  note_misses(prediction.run.sm);
  prediction.traffic = predict_traffic(profile, device, basis);
  const auto alone = [&](double dram_wait_share) {
    return lone_block_cycles(profile, costs, l1_bytes, waiting(dram_wait_share), options.emulation);
  };
  const double wait_share = prediction.traffic.dram_wait_share;
  const double lone_cycles = wait_share < 1 ? std::lerp(alone(0), alone(1), wait_share) : alone(1);
  prediction.lone_block_s = lone_cycles / costs.clock_hz;
  return prediction;
}

}  // namespace perfmodel
