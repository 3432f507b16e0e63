#include "model/timeline/sm_costs.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/occupancy.hpp"

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

SmCostSources sm_costs(const Device& device, const HardwareConstants* constants, double clock_hz) {
  SmCostSources sources;
  SmCosts& costs = sources.costs;
  costs.clock_hz = clock_hz;
  costs.sm_count = static_cast<int>(device.sm_count.value);
  const auto sms = static_cast<double>(device.sm_count.value);
  const auto take = [&](std::string_view name, double& value, auto convert) {
    const HardwareConstant* const constant = constants == nullptr ? nullptr : constants->find(name);
    if (constant != nullptr) {
      value = convert(constant->value);
    }
  };
  const auto same = [](double value) { return value; };
  const auto interval = [&](double lanes_per_clk) {
    return warp_lanes * costs.sub_partitions / lanes_per_clk;
  };
  const auto share_of_sm = [&](double per_s) { return per_s / sms / clock_hz; };
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
  costs.l1_bytes = 256 * 1024;
  costs.l2_spread.points = {{{0, .77},
                             {.05, .80},
                             {.25, .825},
                             {.5, .91},
                             {.75, .97},
                             {.85, 1.2},
                             {.9, 1.43},
                             {.99, 1.52},
                             {1, 1.55}}};
  costs.dram_spread.points = {{{0, .72},
                               {.05, .77},
                               {.25, .82},
                               {.5, 1.02},
                               {.75, 1.105},
                               {.85, 1.16},
                               {.9, 1.18},
                               {.95, 1.2},
                               {1, 1.22}}};
  return sources;
}

}  // namespace perfmodel
