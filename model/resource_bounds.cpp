#include "model/resource_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "model/sass/prepare.hpp"
#include "model/timeline/instruction_cost.hpp"

namespace perfmodel {
namespace {

/// Cycles that the units of a sub-partition are busy with all of the launch.
struct SubPartitionWork {
  double issue = 0;
  double fma = 0;        ///< of both halves
  double fma_heavy = 0;  ///< of the half that multiplies integers
  double alu = 0;
  double xu = 0;
  double fp64 = 0;
  double tensor = 0;
  double uniform = 0;
  double transfer = 0;
  std::array<double, 2> banks{};
};

void add(SubPartitionWork& work, const InstructionCost& cost, double executions) {
  work.issue += executions;
  for (std::size_t bank = 0; bank < work.banks.size(); ++bank) {
    work.banks[bank] += executions * cost.bank_reads[bank];
  }
  const double busy = executions * cost.interval;
  switch (cost.path) {
    case Path::fma:
      work.fma += busy;
      break;
    case Path::fma_heavy:
      work.fma += busy;
      work.fma_heavy += busy;
      break;
    case Path::alu:
      work.alu += busy;
      break;
    case Path::xu:
      work.xu += busy;
      break;
    case Path::fp64:
      work.fp64 += busy;
      break;
    case Path::tensor:
      work.tensor += busy;
      break;
    case Path::uniform:
      work.uniform += busy;
      break;
    case Path::memory:
    case Path::exchange:
      work.transfer += executions * cost.transfer;
      break;
    default:
      break;
  }
}

}  // namespace

std::vector<ResourceBound> resource_bounds(const LaunchProfile& profile, const Traffic& traffic,
                                           const SmCosts& costs) {
  sass::Code code = sass::decode(*profile.function, profile.module->sm, {true});
  if (profile.changes != nullptr) {
    sass::merge_accesses(code, profile.changes->runs);
  }
  const std::vector<InstructionCost> instructions =
      instruction_costs(code, *profile.function, costs);
  SubPartitionWork work;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    add(work, instructions[i], profile.ledger.lines[i].counts.executions);
  }
  const double sms = costs.sm_count;
  const double most_blocks = std::ceil(profile.blocks() / sms);
  const double busiest_share = most_blocks / profile.blocks();
  const double sub_partition_s = busiest_share / costs.sub_partitions / costs.clock_hz;
  const double sm_s = busiest_share / costs.clock_hz;
  const double device_s = 1 / (sms * costs.clock_hz);
  std::vector<ResourceBound> bounds;
  const auto note = [&](const char* resource, double seconds) {
    if (seconds > 0) {
      bounds.push_back({resource, seconds});
    }
  };
  note("issue", work.issue * sub_partition_s);
  note("FMA", std::max(work.fma / costs.fma_halves, work.fma_heavy) * sub_partition_s);
  note("ALU", work.alu * sub_partition_s);
  note("XU", work.xu * sub_partition_s);
  note("FP64", work.fp64 * sub_partition_s);
  note("tensor", work.tensor * sub_partition_s);
  note("uniform", work.uniform * sub_partition_s);
  note("register banks", std::max(work.banks[0], work.banks[1]) * sub_partition_s);
  note("MIO", work.transfer * sub_partition_s);
  const sass::MachineTotals& totals = profile.ledger.totals;
  double data_pipe = 0;
  for (const sass::LedgerLine& line : profile.ledger.lines) {
    const bool shared = line.space == sass::MemorySpace::shared;
    const double wavefronts =
        line.counts.wavefronts * (shared ? costs.shared_wavefront : costs.global_wavefront) +
        line.counts.second_wavefronts * costs.shared_wavefront;
    data_pipe += std::max(wavefronts, line.counts.requests * costs.least_access_cycles);
  }
  note("LSU data pipe", data_pipe * sm_s);
  note("L1 tags",
       (totals.global_load_lines + totals.global_store_lines) * costs.line_lookup * sm_s);
  note("L2", (traffic.l2_load_bytes / costs.l2_bytes_per_cycle +
              std::max(traffic.l2_store_bytes / costs.l2_write_bytes_per_cycle,
                       totals.global_store_lines / costs.l2_write_lines_per_cycle)) *
                 device_s);
  note("DRAM", traffic.dram_bytes() /
                   costs.dram_rate(traffic.dram_load_bytes, traffic.dram_store_bytes) * device_s);
  note("block launch", profile.blocks() / costs.blocks_per_cycle / costs.clock_hz);
  std::ranges::sort(bounds, std::ranges::greater(), &ResourceBound::seconds);
  return bounds;
}

}  // namespace perfmodel
