#include "model/hot_loop.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace perfmodel {
namespace {

using StallCycles = std::array<double, stall_count>;

double sum_of(const StallCycles& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), 0.0);
}

bool is_inside_loop(std::uint32_t address, const sass::LoopCounts& loop) {
  return address >= loop.first_address && address <= loop.branch_address;
}

bool is_innermost(const sass::LoopCounts& loop, const std::vector<sass::LoopCounts>& loops) {
  return std::ranges::none_of(loops, [&](const sass::LoopCounts& other) {
    return &other != &loop && is_inside_loop(other.first_address, loop) &&
           is_inside_loop(other.branch_address, loop) &&
           (other.first_address != loop.first_address ||
            other.branch_address != loop.branch_address);
  });
}

HotLine hot_line(const sass::LedgerLine& line, const StallCycles& cycles, double all_cycles) {
  HotLine hot;
  hot.address = line.address;
  hot.text = line.text;
  hot.executions = line.counts.executions;
  hot.wavefronts = line.counts.wavefronts + line.counts.second_wavefronts;
  hot.ideal_wavefronts = line.counts.ideal_wavefronts;
  hot.sectors = line.counts.sectors;
  hot.share = sum_of(cycles) / all_cycles;
  for (std::size_t i = 0; i < stall_count; ++i) {
    if (cycles[i] > 0) {
      hot.stalls.push_back({static_cast<Stall>(i), cycles[i] / all_cycles});
    }
  }
  std::ranges::stable_sort(hot.stalls, std::ranges::greater(), &LineStall::share);
  return hot;
}

}  // namespace

std::optional<HotLoop> hottest_loop(const sass::MachineLedger& ledger, const SmTimelineResult& sm) {
  const std::size_t count = std::min(ledger.lines.size(), sm.stalls.size());
  double all_cycles = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all_cycles += sum_of(sm.stalls[i]);
  }
  if (all_cycles <= 0) {
    return std::nullopt;
  }
  const auto cycles_of = [&](const sass::LoopCounts& loop) {
    double cycles = 0;
    for (std::size_t i = 0; i < count; ++i) {
      cycles += is_inside_loop(ledger.lines[i].address, loop) ? sum_of(sm.stalls[i]) : 0;
    }
    return cycles;
  };
  const sass::LoopCounts* hottest = nullptr;
  double most_cycles = 0;
  for (const sass::LoopCounts& loop : ledger.loops) {
    const double cycles = cycles_of(loop);
    if (cycles > most_cycles && is_innermost(loop, ledger.loops)) {
      hottest = &loop;
      most_cycles = cycles;
    }
  }
  HotLoop hot;
  hot.is_loop = hottest != nullptr;
  hot.trip_count = hot.is_loop ? hottest->trip_count() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const sass::LedgerLine& line = ledger.lines[i];
    if (hot.is_loop && !is_inside_loop(line.address, *hottest)) {
      continue;
    }
    hot.share += sum_of(sm.stalls[i]) / all_cycles;
    if (hot.lines.size() < most_hot_lines) {
      hot.lines.push_back(hot_line(line, sm.stalls[i], all_cycles));
    } else {
      ++hot.left_out;
    }
  }
  return hot;
}

}  // namespace perfmodel
