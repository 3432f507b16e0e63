#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sass/instruction.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/sass/trace.hpp"

namespace perfmodel::sass::testing {

/// What the steps of a trace at one instruction come to; named as in InstructionCounts.
struct StepSums {
  double executions = 0;
  double idle = 0;
  double requests = 0;
  double wavefronts = 0;       ///< where everything is in L1
  double miss_wavefronts = 0;  ///< if every load missed
  double second_wavefronts = 0;
  double sectors = 0;
  double lines = 0;
};

/// By position. Every access and barrier of a warp has to belong to one of its steps.
inline std::vector<StepSums> sums_of(const BlockTrace& trace, const LaunchTracer& tracer) {
  std::vector<StepSums> sums(tracer.code().instructions.size());
  for (const WarpTrace& warp : trace.warps) {
    std::size_t access = 0;
    std::size_t barrier = 0;
    for (const TracedStep step : warp.steps) {
      StepSums& sum = sums.at(step.position());
      sum.executions += 1;
      sum.idle += step.is_idle() ? 1 : 0;
      sum.requests += step.accesses() != 0 ? 1 : 0;
      barrier += step.is_barrier() ? 1 : 0;
      for (std::uint32_t i = 0; i < step.accesses(); ++i) {
        const TracedAccess& traced = warp.accesses.at(access++);
        const TracedPattern& pattern = tracer.patterns().at(traced.pattern);
        if (pattern.asynchronous && i == 1) {
          sum.second_wavefronts += pattern.wavefronts;
          continue;
        }
        sum.wavefronts += pattern.wavefronts;
        sum.miss_wavefronts += traced.miss_wavefronts;
        sum.sectors += static_cast<double>(pattern.sectors.size());
        sum.lines += pattern.space == MemorySpace::shared ? 0 : pattern.lines;
      }
    }
    EXPECT_EQ(access, warp.accesses.size());
    EXPECT_EQ(barrier, warp.barriers.size());
  }
  return sums;
}

inline void add(std::vector<StepSums>& sums, const std::vector<StepSums>& more) {
  ASSERT_EQ(sums.size(), more.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i].executions += more[i].executions;
    sums[i].idle += more[i].idle;
    sums[i].requests += more[i].requests;
    sums[i].wavefronts += more[i].wavefronts;
    sums[i].miss_wavefronts += more[i].miss_wavefronts;
    sums[i].second_wavefronts += more[i].second_wavefronts;
    sums[i].sectors += more[i].sectors;
    sums[i].lines += more[i].lines;
  }
}

/// `ledger` is that of the traced blocks.
inline void expect_same(const std::vector<StepSums>& sums, const MachineLedger& ledger) {
  ASSERT_EQ(sums.size(), ledger.lines.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    SCOPED_TRACE(ledger.lines[i].text);
    const InstructionCounts& counts = ledger.lines[i].counts;
    EXPECT_EQ(sums[i].executions, counts.executions);
    EXPECT_EQ(sums[i].requests, counts.requests);
    EXPECT_EQ(sums[i].sectors, counts.sectors);
    EXPECT_EQ(sums[i].lines, counts.lines);
    EXPECT_EQ(sums[i].second_wavefronts, counts.second_wavefronts);
    EXPECT_LE(sums[i].wavefronts, counts.wavefronts) << "some may have missed L1";
    EXPECT_GE(sums[i].miss_wavefronts, counts.wavefronts);
  }
}

}  // namespace perfmodel::sass::testing
