#include "model/roofline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "model/sass/matrix_product.hpp"
#include "model/timeline/sm_costs.hpp"

namespace perfmodel {
namespace {

constexpr double data_pipe_bytes = 128;  ///< of one pass of the data pipe
constexpr double flop_of_fma = 2;

/// A rate that micro-benchmarks measure, in multiply-adds.
struct RateConstant {
  std::string_view name;
  std::string_view data_type;
  double fmas;            ///< for one of the constant's unit
  std::string_view note;  ///< added to the source
};
constexpr std::array rate_constants = {
    RateConstant{"fma.rate", "fp32", 1, ""},
    RateConstant{"dfma.rate", "fp64", 1, ""},
    RateConstant{"hfma2.rate", "fp16", 2, ""},
    RateConstant{"tensor.tf32.rate", "tensor tf32", 1, ""},
    RateConstant{"tensor.bf16.rate", "tensor bf16", 1, ""},
    RateConstant{"tensor.bf16.rate", "tensor fp16", 1,
                 "; fp16 has the rate of bf16 in the A100 and H100 white papers"}};

CeilingSet published_ceilings(const Device& device, const ClockBasis& basis,
                              const HardwareConstants* constants) {
  const double clock_hz = basis.clock_hz.value;
  const SmCosts costs = sm_costs(device, nullptr, clock_hz).costs;
  const double sm_cycles_per_s = static_cast<double>(device.sm_count.value) * clock_hz;
  CeilingSet set;
  set.name = fmt::format("datasheet, {:.4g} GHz ({})", clock_hz / 1e9, basis.name);
  set.clock_hz = clock_hz;
  set.memory = {
      {MemoryLevel::l1, data_pipe_bytes * sm_cycles_per_s, "one pass of 128 bytes a cycle and SM"},
      {MemoryLevel::l2, costs.l2_bytes_per_cycle * sm_cycles_per_s,
       "published rate of the architecture or the nearest one"},
      {MemoryLevel::dram, device.dram_bytes_per_s.value, device.dram_bytes_per_s.source}};
  set.compute = {{"fp32", device.peak_flop_per_s(clock_hz), device.fma_per_clk_per_sm.source}};
  for (const RateConstant& rate : rate_constants) {
    const HardwareConstant* constant = constants == nullptr ? nullptr : constants->find(rate.name);
    if (rate.data_type != "fp32" && constant != nullptr && constant->datasheet) {
      set.compute.push_back({std::string(rate.data_type),
                             flop_of_fma * rate.fmas * constant->datasheet->value * sm_cycles_per_s,
                             fmt::format("{}{}", constant->datasheet->source, rate.note)});
    }
  }
  set.instructions_per_s = costs.sub_partitions * sm_cycles_per_s;
  set.issue_source = fmt::format("one warp instruction a cycle from each of {} sub-partitions",
                                 costs.sub_partitions);
  return set;
}

std::string measured_source(const HardwareConstant& constant) {
  return fmt::format("micro-benchmark {}", constant.name);
}

CeilingSet measured_ceilings(const Device& device, const HardwareConstants& constants) {
  const double default_clock_hz =
      constants.sm_clock_hz.value_or(device.clocks.front().clock_hz.value);
  const auto sm_cycles_per_s = [&](const HardwareConstant& constant) {
    return static_cast<double>(device.sm_count.value) *
           constant.sm_clock_hz.value_or(default_clock_hz);
  };
  CeilingSet set;
  set.name = fmt::format("measured, {:.4g} GHz", default_clock_hz / 1e9);
  set.is_measured = true;
  set.clock_hz = default_clock_hz;
  struct Bandwidth {
    std::string_view name;
    MemoryLevel level;
  };
  for (const Bandwidth& one :
       {Bandwidth{"l1.read", MemoryLevel::l1}, Bandwidth{"l2.read.small", MemoryLevel::l2},
        Bandwidth{"dram.read", MemoryLevel::dram}}) {
    if (const HardwareConstant* constant = constants.find(one.name)) {
      set.memory.push_back({one.level, constant->value, measured_source(*constant)});
    }
  }
  for (const RateConstant& rate : rate_constants) {
    if (const HardwareConstant* constant = constants.find(rate.name)) {
      set.compute.push_back({std::string(rate.data_type),
                             flop_of_fma * rate.fmas * constant->value * sm_cycles_per_s(*constant),
                             measured_source(*constant) + std::string(rate.note)});
    }
  }
  if (const HardwareConstant* issue = constants.find("issue.rate")) {
    set.instructions_per_s = issue->value * sm_cycles_per_s(*issue);
    set.issue_source = measured_source(*issue);
  }
  return set;
}

const MemoryRoof* find_roof(const CeilingSet& set, MemoryLevel level) {
  const auto found = std::ranges::find(set.memory, level, &MemoryRoof::level);
  return found == set.memory.end() ? nullptr : &*found;
}

std::optional<double> flop_roof(const CeilingSet& set, std::string_view data_type) {
  const auto found = std::ranges::find(set.compute, data_type, &ComputeRoof::data_type);
  return found == set.compute.end() ? std::nullopt : std::optional(found->flop_per_s);
}

/// `peak` (per second) and `units_per_s` (bytes or transactions) that the intensity multiplies.
RoofShare share_below(const RooflinePoint& point, const std::optional<double>& peak,
                      std::string_view peak_name, const MemoryRoof* roof, double unit_bytes) {
  RoofShare share;
  if (!peak || roof == nullptr) {
    return share;
  }
  const double slope = point.intensity * roof->bytes_per_s / unit_bytes;
  share.roof_per_s = std::min(*peak, slope);
  share.share = point.per_s / share.roof_per_s;
  share.limiter = slope < *peak ? to_string(roof->level) : peak_name;
  return share;
}

void add_flop_roofs(RooflinePoint& point, std::span<const CeilingSet> ceilings) {
  for (const CeilingSet& set : ceilings) {
    point.roofs.push_back(share_below(point, flop_roof(set, point.data_type), point.data_type,
                                      find_roof(set, point.level), 1));
  }
}

}  // namespace

std::string_view to_string(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::l1:
      return "L1/shared";
    case MemoryLevel::l2:
      return "L2";
    case MemoryLevel::dram:
      break;
  }
  return "DRAM";
}

std::vector<CeilingSet> ceiling_sets(const Device& device, const HardwareConstants* constants) {
  if (constants != nullptr && constants->device != device.name) {
    constants = nullptr;
  }
  std::vector<CeilingSet> sets;
  for (const ClockBasis& basis : device.clocks) {
    sets.push_back(published_ceilings(device, basis, constants));
  }
  if (constants != nullptr) {
    sets.push_back(measured_ceilings(device, *constants));
  }
  return sets;
}

LaunchWork launch_work(const sass::MachineTotals& totals, const Traffic& traffic) {
  LaunchWork work;
  work.warp_instructions = totals.warp_instructions;
  const auto note_flop = [&](std::string data_type, double fmas) {
    if (fmas <= 0) {
      return;
    }
    const auto known = std::ranges::find(work.flop, data_type, &FlopCount::data_type);
    if (known != work.flop.end()) {
      known->flop += flop_of_fma * fmas;
    } else {
      work.flop.push_back({std::move(data_type), flop_of_fma * fmas});
    }
  };
  note_flop("fp32", totals.fp32_fmas);
  note_flop("fp64", totals.fp64_fmas);
  note_flop("fp16", totals.fp16_fmas);
  for (const auto& [opcode, executions] : totals.by_opcode) {
    if (const std::optional<sass::MatrixProduct> product = sass::matrix_product(opcode)) {
      note_flop(fmt::format("tensor {}", product->data_type), product->fmas * executions);
    } else if (sass::is_matrix_product(opcode)) {
      work.uncounted_products.push_back(opcode);
    }
  }
  // What a kernel does most comes first, and stands for it where one type is shown.
  std::ranges::stable_sort(work.flop, std::greater(), &FlopCount::flop);
  const auto note_bytes = [&](MemoryLevel level, double bytes, FigureKind kind) {
    if (bytes > 0) {
      work.levels.push_back({level, bytes, kind});
    }
  };
  note_bytes(MemoryLevel::l1, data_pipe_bytes * totals.lsu_wavefronts, FigureKind::counted);
  note_bytes(MemoryLevel::l2, traffic.l2_bytes(), FigureKind::predicted);
  note_bytes(MemoryLevel::dram, traffic.dram_bytes(), FigureKind::predicted);
  return work;
}

std::vector<RooflinePoint> roofline_points(const LaunchWork& work, double seconds,
                                           std::span<const CeilingSet> ceilings) {
  std::vector<RooflinePoint> points;
  for (const FlopCount& count : work.flop) {
    for (const LevelBytes& level : work.levels) {
      RooflinePoint point{
          count.data_type, level.level, count.flop / level.bytes, count.flop / seconds, {}};
      add_flop_roofs(point, ceilings);
      points.push_back(std::move(point));
    }
  }
  return points;
}

std::vector<RooflinePoint> instruction_points(const LaunchWork& work, double seconds,
                                              std::span<const CeilingSet> ceilings) {
  std::vector<RooflinePoint> points;
  for (const LevelBytes& level : work.levels) {
    RooflinePoint point{"instructions",
                        level.level,
                        work.warp_instructions * transaction_bytes / level.bytes,
                        work.warp_instructions / seconds,
                        {}};
    for (const CeilingSet& set : ceilings) {
      const std::optional<double> peak =
          set.instructions_per_s > 0 ? std::optional(set.instructions_per_s) : std::nullopt;
      point.roofs.push_back(
          share_below(point, peak, "issue", find_roof(set, level.level), transaction_bytes));
    }
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<RooflinePoint> source_points(const KernelAnalysis& kernel,
                                         std::span<const CeilingSet> ceilings) {
  if (!kernel.roofline) {
    return {};
  }
  RooflinePoint point{
      "fp32", MemoryLevel::dram, kernel.roofline->arithmetic_intensity, kernel.flop_per_s, {}};
  add_flop_roofs(point, ceilings);
  return {std::move(point)};
}

}  // namespace perfmodel
