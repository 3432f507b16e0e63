#include "model/timeline/timeline_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <future>
#include <memory>
#include <unordered_map>

#include "model/sass/trace.hpp"
#include "model/timeline/block_schedule.hpp"

namespace perfmodel {

namespace {

/// Runs the SM in the middle of the order in which blocks are dealt out, tracing each of its blocks
/// once. Not for several threads at a time.
class SmRunner {
 public:
  SmRunner(const LaunchProfile& profile, const SmCosts& costs, double l1_bytes,
           const sass::EmulationOptions& emulation)
      : profile_(profile),
        costs_(costs),
        l1_bytes_(l1_bytes),
        tracer_(*profile.module, *profile.function, *profile.launch, emulation,
                profile.changes.get()) {}

  /// `blocks` of the SM's, `resident` at a time, until `step_budget` warp instructions are through.
  [[nodiscard]] SmTimelineOptions options(const MemoryShares& memory, std::int64_t blocks,
                                          std::int64_t resident, double step_budget) const {
    SmTimelineOptions options;
    options.resident_blocks = resident;
    options.most_blocks = std::max(resident, profile_.most_resident_blocks);
    options.blocks = blocks;
    options.l1_bytes = l1_bytes_;
    options.step_budget = step_budget;
    options.memory = memory;
    return options;
  }

  SmTimelineResult run(const SmTimelineOptions& options) {
    const auto most_steps = static_cast<std::uint64_t>(
        std::max(2000.0, options.step_budget / static_cast<double>(options.resident_blocks)));
    SmTimeline timeline(tracer_.code(), *profile_.function, tracer_.patterns(), costs_, options);
    return timeline.run([&](std::int64_t number) { return trace(block_of(number), most_steps); });
  }

  /// Which block of the launch is the SM's `number`th: one of every so many as there are SMs. Where
  /// data decides what blocks do, from anywhere among them, for an SM gets whichever is next when
  /// it has room: with the same place every time it might meet all of the longer ones, or none.
  [[nodiscard]] std::int64_t block_of(std::int64_t number) const {
    const auto blocks = static_cast<std::int64_t>(profile_.launch->blocks());
    const std::int64_t sms = costs_.sm_count;
    const std::int64_t first = number * sms;
    if (profile_.ledger.data_independent) {
      return std::min(first + sms / 2, blocks - 1);
    }
    constexpr double golden = 0.6180339887498949;  // never meets a period
    const double place = std::fmod(0.5 + golden * static_cast<double>(number), 1.0);
    return first +
           static_cast<std::int64_t>(place * static_cast<double>(std::min(sms, blocks - first)));
  }

 private:
  struct Traced {
    std::uint64_t most_steps = 0;
    std::shared_ptr<const sass::BlockTrace> trace;
  };

  std::shared_ptr<const sass::BlockTrace> trace(std::int64_t block, std::uint64_t most_steps) {
    Traced& traced = traced_[block];
    if (traced.trace == nullptr || (!traced.trace->complete && traced.most_steps < most_steps)) {
      traced = {most_steps, std::make_shared<const sass::BlockTrace>(
                                tracer_.trace(static_cast<std::uint64_t>(block), most_steps))};
    }
    return traced.trace;
  }

  const LaunchProfile& profile_;
  const SmCosts& costs_;
  double l1_bytes_;
  sass::LaunchTracer tracer_;
  std::unordered_map<std::int64_t, Traced> traced_;
};

/// Blocks of the SM that has the most.
std::int64_t own_blocks(const LaunchProfile& profile, const SmCosts& costs) {
  const auto blocks = static_cast<std::int64_t>(profile.launch->blocks());
  return (blocks + costs.sm_count - 1) / costs.sm_count;
}

/// The launch from its beginning, cut off once the budget is used up.
SmTimelineOptions from_beginning(const SmRunner& runner, const LaunchProfile& profile,
                                 const SmCosts& costs, const MemoryShares& memory,
                                 double step_budget) {
  const std::int64_t own = own_blocks(profile, costs);
  return runner.options(memory, own, std::min(profile.resident_blocks, own), step_budget);
}

/// Of the steps of a prediction, those that tell how fast fewer blocks than an SM holds go on: at
/// the end of a launch.
constexpr double fewer_blocks_share = 0.6;

/// Warp instructions that the SM issues.
double steps_per_cycle(const SmTimelineResult& sm) {
  return sm.complete ? sm.steps / sm.cycles : sm.steady_steps_per_cycle;
}

/// Goes on to `count` rates, on a straight line to `rate`.
void go_on_to(std::vector<double>& rates, std::int64_t count, double rate) {
  const double first = rates.empty() ? rate : rates.back();
  const auto missing = count - std::ssize(rates);
  for (std::int64_t i = 1; i <= missing; ++i) {
    rates.push_back(std::lerp(first, rate, static_cast<double>(i) / static_cast<double>(missing)));
  }
}

/// Warp instructions a cycle of one resident block, of two, ... up to one less than `resident`.
std::vector<double> rates_of_fewer(SmRunner& runner, const MemoryShares& memory,
                                   std::int64_t resident, double step_budget) {
  // Between those that are simulated, a straight line.
  std::vector<std::int64_t> simulated;
  for (std::int64_t blocks = 1; blocks < resident; blocks *= 2) {
    simulated.push_back(blocks);
  }
  std::vector<double> rates;
  for (const std::int64_t blocks : simulated) {
    const SmTimelineResult sm = runner.run(runner.options(
        memory, blocks, blocks, step_budget / static_cast<double>(simulated.size())));
    go_on_to(rates, blocks, steps_per_cycle(sm));
  }
  return rates;
}

/// Runs the SM from the launch's beginning, and on `other` meanwhile what tells of its end.
TimelineRun run_timeline(SmRunner& runner, SmRunner& other, const LaunchProfile& profile,
                         const SmCosts& costs, const MemoryShares& memory, double step_budget) {
  TimelineRun run;
  run.options = from_beginning(runner, profile, costs, memory, step_budget);
  run.costs = costs;
  const double steps_per_block = profile.ledger.totals.warp_instructions / profile.blocks();
  const auto own = static_cast<double>(run.options.blocks);
  const std::int64_t resident = run.options.resident_blocks;
  const auto run_fewer = [&] {
    return rates_of_fewer(other, memory, resident, step_budget * fewer_blocks_share);
  };
  std::future<std::vector<double>> fewer;
  if (own * steps_per_block > step_budget) {
    fewer = std::async(std::launch::async, run_fewer);
  }
  run.sm = runner.run(run.options);
  run.cycles = run.sm.cycles;
  if (!run.sm.complete) {
    run.sampled = true;
    run.share_simulated = std::min(1.0, run.sm.steps / steps_per_block / own);
    BlockRates rates;
    rates.by_resident = fewer.valid() ? fewer.get() : run_fewer();
    go_on_to(rates.by_resident, resident, run.sm.steady_steps_per_cycle);
    for (double& rate : rates.by_resident) {
      rate /= steps_per_block;
    }
    rates.pace.assign(static_cast<std::size_t>(resident), 1.0);
    if (run.sm.blocks_done == 0) {
      for (std::size_t i = 0; i < rates.pace.size(); ++i) {
        rates.pace[i] = std::max(1.0, run.sm.slot_steps[i]);
      }
    }
    std::vector<double> left;
    for (std::size_t i = 0; i < rates.pace.size(); ++i) {
      left.push_back(std::max(0.0, 1 - run.sm.slot_steps[i] / steps_per_block));
    }
    const auto not_started =
        run.options.blocks - resident - static_cast<std::int64_t>(std::lround(run.sm.blocks_done));
    run.cycles += schedule_cycles(std::move(left), std::max<std::int64_t>(0, not_started), rates);
  }
  run.seconds = run.cycles / costs.clock_hz;
  return run;
}

/// See TimelinePrediction::lone_block_s.
double lone_block_cycles(SmRunner& runner, const LaunchProfile& profile,
                         const MemoryShares& memory) {
  constexpr double step_budget = 100'000;
  SmTimelineOptions options = runner.options(memory, 1, 1, step_budget);
  options.unlimited = true;
  const SmTimelineResult alone = runner.run(options);
  if (alone.complete) {
    return alone.cycles;
  }
  const double steps_per_block = profile.ledger.totals.warp_instructions / profile.blocks();
  return steps_per_block / alone.steady_steps_per_cycle;
}

}  // namespace

void observe_timeline(const LaunchProfile& profile, const TimelineRun& run,
                      const sass::EmulationOptions& emulation, TimelineObserver& observer) {
  SmTimelineOptions options = run.options;
  options.observer = &observer;
  SmRunner(profile, run.costs, options.l1_bytes, emulation).run(options);
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

/// Of the steps of a prediction, those of the first run, and of the two that tell what waiting for
/// DRAM costs.
constexpr double first_share = 0.25;
constexpr double catch_up_share = 0.125;

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

/// Of the blocks that run at once, those on an SM that has the most.
double share_of_busiest(const LaunchProfile& profile, const SmCosts& costs) {
  const auto resident =
      static_cast<double>(std::min(profile.resident_blocks, own_blocks(profile, costs)));
  return resident / std::min(profile.blocks(), resident * costs.sm_count);
}

MemoryShares shares_of(const Traffic& traffic, const LaunchProfile& profile, const SmCosts& costs) {
  MemoryShares shares;
  shares.dram_wait_share = traffic.dram_wait_share;
  if (traffic.l2_load_bytes > 0) {
    shares.first_in_half_share =
        std::min(1.0, 2 * std::max(traffic.compulsory_load_bytes, traffic.dram_load_bytes) /
                          traffic.l2_load_bytes);
  }
  // SMs that have a block share what DRAM delivers.
  const double sms = costs.sm_count;
  shares.dram_bytes_per_cycle = costs.dram_rate(traffic.dram_load_bytes, traffic.dram_store_bytes) *
                                sms * share_of_busiest(profile, costs);
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

/// Blocks that share their SM with fewer others get ahead; the others then find in L2 what both
/// read. Returns the share of what is loaded for which that holds; see LaunchProfile::leading.
double led_share(SmRunner& runner, const LaunchProfile& profile, const SmCosts& costs,
                 const MemoryShares& memory, double step_budget) {
  const std::int64_t most = own_blocks(profile, costs);
  const auto steps_per_cycle_and_block = [&](std::int64_t blocks) {
    return steps_per_cycle(runner.run(runner.options(memory, blocks, blocks, step_budget))) /
           static_cast<double>(blocks);
  };
  const double speed = steps_per_cycle_and_block(most);
  const double gains = steps_per_cycle_and_block(most - 1) / speed - 1;
  const double followers = profile.following.loads.sector_pairs;
  if (gains <= 0 || followers <= 0) {
    return 0;
  }
  const double steps_per_block = profile.ledger.totals.warp_instructions / profile.blocks();
  const double until_ahead = costs.dram_latency / gains;
  const double shared =
      profile.leading.loads.sector_pairs + followers - profile.whole_launch.loads.sector_pairs;
  return std::clamp(shared / followers, 0.0, 1.0) *
         std::max(0.0, 1 - until_ahead / (steps_per_block / speed));
}

/// What tracing and simulating an instruction takes on average, in units of one that touches no
/// memory; fitted to `tests/benchmarks` on an x86 core.
double work_per_step(const sass::MachineTotals& totals) {
  constexpr double request = 3;
  constexpr double sector = 0.2;
  const double requests = totals.by_pipe[static_cast<std::size_t>(sass::Pipe::lsu)];
  const double sectors = totals.global_load_sectors + totals.global_store_sectors;
  return 1 + (requests * request + sectors * sector) / std::max(1.0, totals.warp_instructions);
}

}  // namespace

TimelinePrediction predict_timeline(const LaunchProfile& profile, const Device& device,
                                    const SmCosts& costs, const TimelineOptions& options) {
  const double step_budget = options.work_budget / work_per_step(profile.ledger.totals);
  const double l1_bytes = l1_bytes_beside(device, costs, profile.block, profile.resident_blocks);
  TrafficBasis basis;
  basis.l2 = options.l2;
  SmRunner runner(profile, costs, l1_bytes, options.emulation);
  SmRunner other(profile, costs, l1_bytes, options.emulation);
  Traffic abreast = predict_traffic(profile, device, basis);
  if (profile.leading.blocks > 0 && abreast.dram_wait_share > 0) {
    basis.led_share = led_share(runner, profile, costs, shares_of(abreast, profile, costs),
                                step_budget * catch_up_share);
    abreast = predict_traffic(profile, device, basis);
  }
  const auto waiting = [&](double dram_wait_share) {
    MemoryShares shares = shares_of(abreast, profile, costs);
    shares.dram_wait_share = dram_wait_share;
    return shares;
  };
  const bool finds_in_l2 = abreast.dram_wait_share < 1;
  double catch_up = 1;
  std::array<double, 2> lone_cycles{};  // of a block that never waits for DRAM, that always does
  const auto try_waits = [&] {
    const auto cycles = [&](double dram_wait_share) {
      const SmTimelineResult sm = other.run(from_beginning(
          other, profile, costs, waiting(dram_wait_share), step_budget * catch_up_share));
      return sm.complete ? sm.cycles : 1 / sm.steady_steps_per_cycle;
    };
    if (finds_in_l2) {
      catch_up = cycles(1) / cycles(0);
      lone_cycles[0] = lone_block_cycles(other, profile, waiting(0));
    }
    lone_cycles[1] = lone_block_cycles(other, profile, waiting(1));
  };
  MemoryShares shares = waiting(abreast.dram_wait_share);
  if (finds_in_l2) {
    // One of the blocks waits for what they share, the others find it in L2 or on its way there.
    shares.dram_wait_share_of_follower = std::min(abreast.fresh_share, abreast.dram_wait_share);
    shares.dram_wait_share_of_leader =
        std::min(1.0, shares.dram_wait_share_of_follower +
                          (abreast.dram_wait_share - shares.dram_wait_share_of_follower) *
                              static_cast<double>(profile.resident_blocks));
    shares.follow_sectors = profile.one_block.loads.sectors * abreast.follow_share;
  }
  const auto note_misses = [&](const SmTimelineResult& sm) {
    if (sm.l1_sectors > 0) {
      basis.l1_miss_share = sm.l1_missed_sectors / sm.l1_sectors;
      basis.of_beginning = !sm.complete;
    }
  };
  {
    std::future<void> tried = std::async(std::launch::async, try_waits);
    const SmTimelineResult first =
        runner.run(from_beginning(runner, profile, costs, shares, step_budget * first_share));
    note_misses(first);
    tried.get();
    if (finds_in_l2) {
      basis.pace = pace_of(first, catch_up);
    }
  }
  TimelinePrediction prediction;
  prediction.traffic = predict_traffic(profile, device, basis);
  prediction.run = run_timeline(runner, other, profile, costs,
                                shares_of(prediction.traffic, profile, costs), step_budget);
  note_misses(prediction.run.sm);
  prediction.traffic = predict_traffic(profile, device, basis);
  const double wait_share = finds_in_l2 ? prediction.traffic.dram_wait_share : 1;
  prediction.lone_block_s = std::lerp(lone_cycles[0], lone_cycles[1], wait_share) / costs.clock_hz;
  return prediction;
}

}  // namespace perfmodel
