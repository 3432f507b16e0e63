#include "model/timeline/sm_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace perfmodel {
namespace {

/// 128 bytes in a line of global memory.
sass::TracedPattern line() {
  sass::TracedPattern pattern;
  pattern.space = sass::MemorySpace::global;
  pattern.wavefronts = 1;
  pattern.register_rows = 1;
  pattern.lines = 1;
  pattern.sectors = {0, 1, 2, 3};
  return pattern;
}

/// One latency for all lines.
SmCosts even_costs() {
  SmCosts costs;
  costs.l2_spread.points.fill({1, 1});
  costs.l2_spread.points.front() = {0, 1};
  costs.dram_spread = costs.l2_spread;
  return costs;
}

/// Cycles from sending a load until its data reaches L1, on average over 2000 loads from DRAM that
/// are sent one every `interval` cycles.
double latency_at(double interval, const MemoryShares& shares, const SmCosts& costs) {
  SmMemory memory(costs, shares, 128 << 10, 1, false);
  double sum = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double sent = interval * static_cast<double>(i);
    double warp_free = 0;
    const SmMemory::Service service = memory.load(0, line(), {0, 1, i * 4}, sent, warp_free);
    EXPECT_TRUE(service.under_way);
    sum += service.data_at - sent;
  }
  return sum / 2000;
}

TEST(SmMemory, ABusyDramTakesLonger) {
  MemoryShares shares;
  shares.dram_share_of_loads = 1;
  shares.dram_wait_share = 1;
  shares.dram_bytes_per_cycle = 16;  // a line every eight cycles
  shares.dram_queue_cycles = 100;
  const SmCosts costs = even_costs();
  const double idle = latency_at(800, shares, costs);
  EXPECT_LT(idle, costs.dram_latency + 10);
  EXPECT_NEAR(latency_at(16, shares, costs) - idle, 100, 12) << "half of its rate";
  EXPECT_NEAR(latency_at(10.0, shares, costs) - idle, 400, 100) << "four fifths, after a while";
  EXPECT_GT(latency_at(4, shares, costs), idle + 3000) << "twice its rate: the queue only grows";
}

TEST(SmMemory, HitsPassLoadsThatWait) {
  const SmCosts costs = even_costs();
  SmMemory memory(costs, {}, 128 << 10, 1, false);
  double warp_free = 0;
  const SmMemory::Service first = memory.load(0, line(), {0, 1, 0}, 0, warp_free);
  ASSERT_TRUE(first.under_way);
  const double there = memory.deliver(first.arrival, first.data_at);
  EXPECT_TRUE(memory.load(0, line(), {0, 1, 400}, there, warp_free).under_way);
  const SmMemory::Service hit = memory.load(0, line(), {0, 1, 0}, there + 1, warp_free);
  EXPECT_FALSE(hit.under_way);
  EXPECT_LT(hit.done, there + 1 + costs.l1_latency);
}

/// As measured on an H200, a line that comes while twelve warps keep the data pipe busy with 32-way
/// conflicts is not there behind all of them (100 to 200 cycles later than alone; here two).
TEST(SmMemory, FetchedDataAndHitsTakeTurns) {
  const SmCosts costs = even_costs();
  SmMemory memory(costs, {}, 128 << 10, 1, false);
  double first_free = 0;
  const SmMemory::Service first = memory.load(0, line(), {0, 1, 0}, 0, first_free);
  SmMemory::Arrival fetched = first.arrival;
  const double there = memory.deliver(fetched, first.data_at);
  sass::TracedPattern conflicting = line();
  conflicting.wavefronts = 32;
  std::vector<double> hits;
  for (int i = 0; i < 10; ++i) {
    double own_free = 0;
    hits.push_back(memory.load(0, conflicting, {0, 32, 0}, there, own_free).done);
  }
  EXPECT_NEAR(hits.back(), hits.front() + 9 * 32, 0.5);
  const double one = memory.deliver(fetched, there);
  EXPECT_NEAR(one, there + 2 + fetched.behind, 0.5) << "behind a wavefront";
  EXPECT_EQ(memory.delivers_from(fetched), one - fetched.behind);
  fetched.wavefronts = 32;
  const double all = memory.deliver(fetched, memory.delivers_from(fetched));
  EXPECT_NEAR(all, one + 2 * 32, 0.5) << "with half of the data pipe";
  double own_free = 0;
  (void)memory.load(0, conflicting, {0, 32, 0}, there, own_free);
  double other_free = 0;
  EXPECT_NEAR(memory.load(0, conflicting, {0, 32, 0}, there, other_free).done,
              hits.back() + 33 + 2 * 32, 0.5)
      << "later hits wait for both";
}

TEST(SmMemory, ABlockThatFollowsWaitsForDramWithTheOneAhead) {
  MemoryShares shares;
  shares.follow_sectors = 100;
  shares.dram_wait_share_of_leader = 1;
  const SmCosts costs = even_costs();
  SmMemory memory(costs, shares, 128 << 10, 2, false);
  double warp_free = 0;
  const SmMemory::Service leads = memory.load(0, line(), {0, 1, 0}, 0, warp_free);
  EXPECT_GT(leads.data_at, 0.9 * costs.dram_latency);
  const SmMemory::Service follows = memory.load(1, line(), {0, 1, 4000}, 300, warp_free);
  EXPECT_NEAR(follows.data_at, leads.data_at, 2) << "the same data, which is not there yet";
  const double later = leads.data_at + 100;
  (void)memory.load(0, line(), {0, 1, 100}, 301, warp_free);
  EXPECT_LT(memory.load(1, line(), {0, 1, 4100}, later + 1000, warp_free).data_at,
            later + 1000 + costs.l2_latency)
      << "it is";
  memory.restart(0);
  EXPECT_LT(memory.load(0, line(), {0, 1, 8000}, 1e6, warp_free).data_at, 1e6 + costs.l2_latency)
      << "now it follows";
}

TEST(SmMemory, WhatNoOtherBlockLoadsIsWaitedForByAll) {
  MemoryShares shares;
  shares.follow_sectors = 1000;
  shares.dram_wait_share_of_leader = 1;
  shares.dram_wait_share_of_follower = 0.5;
  const SmCosts costs = even_costs();
  SmMemory memory(costs, shares, 128 << 10, 2, false);
  double warp_free = 0;
  (void)memory.load(0, line(), {0, 1, 0}, 0, warp_free);
  int waited = 0;
  for (std::uint64_t i = 0; i < 20; ++i) {
    const double time = 1e5 * static_cast<double>(i + 1);
    (void)memory.load(0, line(), {0, 1, 4 * (i + 1)}, time, warp_free);
    const SmMemory::Service follows =
        memory.load(1, line(), {0, 1, 4000 + 4 * i}, time + 5e4, warp_free);
    waited += follows.data_at > time + 5e4 + costs.l2_latency ? 1 : 0;
  }
  EXPECT_EQ(waited, 10);
}

TEST(SmMemory, AMissTakesTheWayInLonger) {
  SmCosts costs = even_costs();
  costs.absent_look_up = 0.5;
  sass::TracedPattern word;
  word.space = sass::MemorySpace::shared;
  word.wavefronts = 1;
  word.register_rows = 1;
  SmMemory memory(costs, {}, 128 << 10, 1, false);
  double done = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    double loads_free = 0;
    double words_free = 0;
    EXPECT_TRUE(memory.load(0, line(), {0, 1, 4 * i}, 0, loads_free).under_way);
    done = memory.shared(word, 0, words_free).done;
  }
  EXPECT_EQ(memory.counts().lsu_data_cycles, 100) << "of the words; no loaded data has come yet";
  EXPECT_NEAR(done, 250 + costs.shared_latency, 5) << "1.5 cycles for each load, 1 for each word";
}

TEST(SmMemory, LinesOfTheOtherHalfAreFarOnce) {
  SmCosts costs = even_costs();
  costs.l2_near_latency = 280;
  costs.l2_latency = 330;
  const auto mean = [&](double first_in_half_share) {
    MemoryShares shares;
    shares.first_in_half_share = first_in_half_share;
    return latency_at(100, shares, costs);
  };
  EXPECT_NEAR(mean(1) - mean(0), 50, 5);
  EXPECT_NEAR(mean(0.5) - mean(0), 25, 5);
}

TEST(SmMemory, AConflictLeavesRoomForOtherWarps) {
  const SmCosts costs = even_costs();
  SmMemory memory(costs, {}, 128 << 10, 1, false);
  sass::TracedPattern conflict;
  conflict.space = sass::MemorySpace::shared;
  conflict.wavefronts = 32;
  conflict.register_rows = 1;
  double warp_free = 0;
  double other_free = 0;
  const SmMemory::Service first = memory.shared(conflict, 0, warp_free);
  EXPECT_FALSE(first.under_way);
  const SmMemory::Service second = memory.shared(conflict, 0, warp_free);
  EXPECT_TRUE(second.under_way) << "behind the one before";
  EXPECT_NEAR(second.data_at, 64, 1);
  const SmMemory::Service other = memory.shared(conflict, 0, other_free);
  EXPECT_FALSE(other.under_way);
  EXPECT_NEAR(other.done, first.done + 32, 2);
}

}  // namespace
}  // namespace perfmodel
