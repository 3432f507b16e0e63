#include "model/timeline/stall_profile.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "model/sass/control_flow.hpp"
#include "model/sass/instruction.hpp"

namespace perfmodel {
namespace {

double sum_of(const StallCycles& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), 0.0);
}

void add(StallCycles& sum, const StallCycles& cycles) {
  std::ranges::transform(sum, cycles, sum.begin(), std::plus());
}

std::vector<UnitShare> utilisation_of(const TimelineRun& run) {
  std::vector<UnitShare> shares;
  for (std::size_t i = 0; i < unit_count; ++i) {
    const auto unit = static_cast<Unit>(i);
    const double most =
        run.sm.cycles * (is_in_each_sub_partition(unit) ? run.costs.sub_partitions : 1);
    shares.push_back({unit, most > 0 ? run.sm.busy_cycles[i] / most : 0});
  }
  return shares;
}

/// The innermost loop of each instruction, by position.
std::vector<std::optional<std::size_t>> innermost(std::span<const sass::Loop> loops,
                                                  std::size_t instructions) {
  std::vector<std::optional<std::size_t>> loop_of(instructions);
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    for (const std::uint32_t position : loops[loop].body) {
      std::optional<std::size_t>& known = loop_of[position];
      if (!known || loops[loop].body.size() < loops[*known].body.size()) {
        known = loop;
      }
    }
  }
  return loop_of;
}

}  // namespace

StallProfile profile_stalls(const TimelineRun& run, const sass::Function& function, int sm) {
  StallProfile profile;
  profile.utilisation = utilisation_of(run);
  for (const StallCycles& cycles : run.sm.stalls) {
    add(profile.totals, cycles);
  }
  profile.warp_cycles = sum_of(profile.totals);
  const double whole = std::max(1.0, profile.warp_cycles);

  std::vector<sass::Loop> loops =
      sass::find_loops(sass::decode(function, sm, {.count_unknown = true}));
  std::erase_if(loops, [&](const sass::Loop& loop) { return run.sm.executions[loop.first] == 0; });
  for (const sass::Loop& loop : loops) {
    profile.loops.push_back({.first = loop.first,
                             .last = loop.last,
                             .depth = loop.depth,
                             .trips = run.sm.executions[loop.first]});
  }
  const std::vector<std::optional<std::size_t>> loop_of =
      innermost(loops, run.sm.executions.size());
  for (std::uint32_t i = 0; i < run.sm.executions.size(); ++i) {
    const StallCycles& cycles = run.sm.stalls[i];
    const double own = sum_of(cycles);
    if (own == 0) {
      continue;
    }
    profile.instructions.push_back({i, loop_of[i], run.sm.executions[i], cycles, own / whole});
    add(loop_of[i] ? profile.loops[*loop_of[i]].cycles : profile.outside_loops, cycles);
  }
  for (LoopStalls& loop : profile.loops) {
    loop.share = sum_of(loop.cycles) / whole;
  }
  std::ranges::stable_sort(profile.instructions, std::ranges::greater(), &InstructionStalls::share);
  return profile;
}

std::vector<StallShare> ranked(const StallCycles& cycles) {
  const double whole = sum_of(cycles);
  std::vector<StallShare> shares;
  for (std::size_t i = 0; i < stall_count; ++i) {
    if (cycles[i] > 0) {
      shares.push_back({static_cast<Stall>(i), cycles[i] / whole});
    }
  }
  std::ranges::stable_sort(shares, std::ranges::greater(), &StallShare::share);
  return shares;
}

}  // namespace perfmodel
