#include "model/timeline/sm_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "model/occupancy.hpp"
#include "model/text.hpp"

namespace perfmodel {

double LatencySpread::factor(double share) const {
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (share <= points[i].share) {
      const Point& low = points[i - 1];
      const Point& high = points[i];
      return low.factor + (high.factor - low.factor) * (share - low.share) /
                              std::max(1e-9, high.share - low.share);
    }
  }
  return points.back().factor;
}

double SmCosts::dram_rate(double load_bytes, double store_bytes) const {
  const double all = load_bytes + store_bytes;
  if (all <= 0) {
    return dram_bytes_per_cycle;
  }
  const double pure =
      all / (load_bytes / dram_bytes_per_cycle + store_bytes / dram_write_bytes_per_cycle);
  const double mixed = 2 * std::min(load_bytes, store_bytes) / all;
  return pure + (std::min(pure, dram_mixed_bytes_per_cycle) - pure) * mixed;
}

double SmCosts::dram_queue_cycles(double load_bytes, double store_bytes) const {
  const double all = load_bytes + store_bytes;
  const double mixed = all > 0 ? 2 * std::min(load_bytes, store_bytes) / all : 0;
  return std::lerp(dram_queue_s, dram_mixed_queue_s, mixed) * clock_hz;
}

namespace {

/// Published figures of an architecture, for devices without constants of their own.
struct PublishedCosts {
  int capability;   ///< from this compute capability on
  double l1_bytes;  ///< with shared memory
  double fp64_lanes;
  double least_access_cycles;
  double shared_latency;
  double l1_latency;
  double l2_latency;
  double dram_latency;
  double l2_bytes_per_cycle;  ///< of the device
};

/// Cache sizes and FP64 lanes: CUDA C++ Programming Guide, technical specifications and arithmetic
/// throughput. Latencies and L2 rates: arXiv 2402.13499, tables IV and V (A100, RTX 4090, H800);
/// the nearest of them stands in for the others. Two cycles for an access of 4 bytes a lane: L1 of
/// GA10x and AD10x delivers 64 bytes a cycle to such loads (same source).
constexpr std::array published_costs = {
    PublishedCosts{70, 128 * 1024.0, 32, 1, 29, 37.9, 261.5, 466, 2008},
    PublishedCosts{75, 96 * 1024.0, 2, 1, 29, 37.9, 261.5, 466, 1708},
    PublishedCosts{80, 192 * 1024.0, 32, 1, 29, 37.9, 261.5, 466, 2008},
    PublishedCosts{86, 128 * 1024.0, 2, 2, 30.1, 43.4, 273, 541.5, 1708},
    PublishedCosts{90, 256 * 1024.0, 64, 1, 29, 40.7, 263, 479, 3942},
    PublishedCosts{120, 128 * 1024.0, 2, 2, 30.1, 43.4, 273, 541.5, 1708}};

/// What published figures leave open where they replace measured ones.
constexpr double published_uncertainty = 0.12;
/// Of the theoretical bandwidth, what copies and reads reach: from the same sources, 87 to 98 %.
constexpr double dram_read_share = 0.93;
constexpr double dram_mixed_share = 0.83;

const PublishedCosts& published_for(const Device& device) {
  const int capability = compute_capability(device.architecture);
  const PublishedCosts* best = published_costs.data();
  for (const PublishedCosts& one : published_costs) {
    if (one.capability <= capability) {
      best = &one;
    }
  }
  return *best;
}

/// Quantiles of a latency as measured, relative to its mean, which is returned; 0: not measured.
double take_spread(const HardwareConstants& constants, std::string_view name,
                   LatencySpread& spread) {
  constexpr std::array quantiles = {std::pair{0.10, "p10"}, std::pair{0.25, "p25"},
                                    std::pair{0.50, "p50"}, std::pair{0.75, "p75"},
                                    std::pair{0.90, "p90"}};
  std::array<double, quantiles.size()> values{};
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const HardwareConstant* const one =
        constants.find(std::string(name) + "." + quantiles[i].second);
    if (one == nullptr) {
      return 0;
    }
    values[i] = one->value;
  }
  // Each quantile stands for the lines nearest to it. Beyond the last one are interruptions of DRAM
  // such as refreshing, which hold up all lines at once and are in the mean bandwidth.
  constexpr std::array weights = {0.175, 0.20, 0.25, 0.20, 0.175};
  double mean = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean += weights[i] * values[i];
  }
  std::size_t point = 0;
  spread.points[point++] = {0, values.front() / mean};
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    spread.points[point++] = {quantiles[i].first, values[i] / mean};
  }
  for (; point < spread.points.size(); ++point) {
    spread.points[point] = {1, values.back() / mean};
  }
  return mean;
}

}  // namespace

SmCostSources sm_costs(const Device& device, const HardwareConstants* constants, double clock_hz) {
  SmCostSources sources;
  SmCosts& costs = sources.costs;
  costs.clock_hz = clock_hz;
  costs.sm_count = static_cast<int>(device.sm_count.value);
  const auto sms = static_cast<double>(device.sm_count.value);
  const PublishedCosts& published = published_for(device);
  const double per_cycle = 1 / sms / clock_hz;
  costs.fma_halves = device.fma_per_clk_per_sm.value >= 128 ? 2 : 1;
  costs.l1_bytes = published.l1_bytes;
  costs.least_access_cycles = published.least_access_cycles;
  costs.fp64_interval = warp_lanes * costs.sub_partitions / published.fp64_lanes;
  costs.shared_latency = published.shared_latency;
  costs.l1_latency = published.l1_latency;
  costs.l2_latency = published.l2_latency;
  costs.l2_near_latency = published.l2_latency;
  costs.dram_latency = published.dram_latency;
  costs.l2_bytes_per_cycle = published.l2_bytes_per_cycle / sms;
  costs.l2_write_bytes_per_cycle = costs.l2_bytes_per_cycle / 2;
  const double dram = device.dram_bytes_per_s.value * per_cycle;
  costs.dram_bytes_per_cycle = dram_read_share * dram;
  costs.dram_write_bytes_per_cycle = dram_read_share * dram;
  costs.dram_mixed_bytes_per_cycle = dram_mixed_share * dram;
  if (constants == nullptr) {
    sources.relative_uncertainty = published_uncertainty;
    sources.fallbacks.push_back(fmt::format(
        "no constants were measured on {}: latencies, cache and DRAM rates are published figures "
        "of "
        "its architecture or a near one, which adds {:.0f} % to the uncertainty; 'perfmodel "
        "calibrate --device auto' measures them",
        device.name, 100 * published_uncertainty));
    return sources;
  }

  std::vector<std::string> missing;
  const auto take = [&](std::string_view name, double& value, auto convert) {
    if (const HardwareConstant* const constant = constants->find(name)) {
      value = convert(constant->value);
    } else {
      missing.emplace_back(name);
    }
  };
  const auto same = [](double value) { return value; };
  const auto interval = [&](double lanes_per_clk) {
    return warp_lanes * costs.sub_partitions / lanes_per_clk;
  };
  const auto share_of_sm = [&](double per_s) { return per_s * per_cycle; };
  take("lop3.rate", costs.alu_interval, interval);
  take("imad.rate", costs.fma_interval, interval);
  take("mufu.rate", costs.xu_interval, interval);
  take("dfma.rate", costs.fp64_interval, interval);
  take("tensor.bf16.rate", costs.tensor_fmas_per_cycle, same);
  take("tensor.tf32.rate", costs.tensor_tf32_fmas_per_cycle, same);
  take("mufu.latency", costs.xu_latency, same);
  take("dfma.latency", costs.fp64_latency, same);
  take("tensor.bf16.latency", costs.tensor_latency, same);
  take("constant.latency", costs.constant_latency, same);
  take("branch.loop", costs.branch_cycles, same);
  take("shared.load.32", costs.shared_wavefront, same);
  take("l1.load.32", costs.global_wavefront, same);
  take("l1.load.spread", costs.line_lookup, [](double cycles) { return cycles / warp_lanes; });
  take("l2.write.scattered", costs.l2_write_lines_per_cycle, share_of_sm);
  take("shared.latency", costs.shared_latency, same);
  take("shuffle.latency", costs.shuffle_latency, same);
  take("l1.latency", costs.l1_latency, same);
  take("atomic.shared.latency", costs.shared_atomic_latency, same);
  take("l2.latency", costs.l2_latency, same);
  take("dram.latency", costs.dram_latency, same);
  take("l2.read.full", costs.l2_bytes_per_cycle, share_of_sm);
  take("l2.write", costs.l2_write_bytes_per_cycle, share_of_sm);
  take("dram.read", costs.dram_bytes_per_cycle, share_of_sm);
  take("dram.write", costs.dram_write_bytes_per_cycle, share_of_sm);
  take("dram.copy", costs.dram_mixed_bytes_per_cycle, share_of_sm);
  take("block.launch.32", costs.blocks_per_cycle, [&](double per_s) { return per_s / clock_hz; });
  take("block.launch.1024", costs.warp_launch_interval, [&](double per_s) {
    constexpr double warps = 1024.0 / warp_lanes;
    return sms * clock_hz / per_s / warps;
  });
  take("atomic.global.latency", costs.atomic_latency, same);
  take("atomic.global.distinct", costs.atomics_per_cycle, share_of_sm);
  take("launch.pair", costs.launch_s, same);
  // Timed in a ring that another SM wrote; its quantiles in one that the SM itself has read before.
  const double near = take_spread(*constants, "l2.latency", costs.l2_spread);
  costs.l2_near_latency = near > 0 ? std::min(near, costs.l2_latency) : costs.l2_latency;
  take_spread(*constants, "dram.latency", costs.dram_spread);
  if (!missing.empty()) {
    constexpr double each = 0.02;
    sources.relative_uncertainty =
        std::min(published_uncertainty, each * static_cast<double>(missing.size()));
    sources.fallbacks.push_back(fmt::format(
        "the constants lack {}: published or usual figures stand in, which adds {:.0f} % to the "
        "uncertainty",
        join(missing), 100 * sources.relative_uncertainty));
  }
  return sources;
}

SmCosts at_clock(const SmCosts& costs, double clock_hz) {
  SmCosts changed = costs;
  changed.clock_hz = clock_hz;
  const double cycles = clock_hz / costs.clock_hz;  // of the new clock for one of the old
  for (double* const rate : {&changed.l2_bytes_per_cycle, &changed.l2_write_bytes_per_cycle,
                             &changed.l2_write_lines_per_cycle, &changed.dram_bytes_per_cycle,
                             &changed.dram_write_bytes_per_cycle,
                             &changed.dram_mixed_bytes_per_cycle, &changed.atomics_per_cycle}) {
    *rate /= cycles;
  }
  for (double* const latency : {&changed.l2_latency, &changed.l2_near_latency,
                                &changed.dram_latency, &changed.atomic_latency}) {
    *latency = costs.l1_latency + (*latency - costs.l1_latency) * cycles;
  }
  return changed;
}

}  // namespace perfmodel
