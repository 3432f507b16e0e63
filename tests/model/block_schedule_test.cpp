#include "model/timeline/block_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace perfmodel {
namespace {

/// From the beginning of so many blocks.
double cycles_of(std::int64_t blocks, const BlockRates& rates) {
  const auto resident = std::min(blocks, std::ssize(rates.by_resident));
  return schedule_cycles(std::vector<double>(static_cast<std::size_t>(resident), 1.0),
                         blocks - resident, rates);
}

TEST(BlockSchedule, BlocksThatKeepInStepTakeWaves) {
  const BlockRates rates = {{0.1, 0.2, 0.3}, {1, 1, 1}};
  EXPECT_DOUBLE_EQ(cycles_of(1, rates), 10);
  EXPECT_DOUBLE_EQ(cycles_of(3, rates), 10);
  EXPECT_DOUBLE_EQ(cycles_of(6, rates), 20);
  EXPECT_DOUBLE_EQ(cycles_of(7, rates), 30);
}

TEST(BlockSchedule, ABusyUnitTakesAsLongWhoeverIsServed) {
  EXPECT_NEAR(cycles_of(7, {{0.3, 0.3, 0.3}, {1, 1, 1}}), 7 / 0.3, 1e-6);
  EXPECT_NEAR(cycles_of(7, {{0.3, 0.3, 0.3}, {1, 0.5, 0.1}}), 7 / 0.3, 1e-6);
}

TEST(BlockSchedule, TheNextBlockStartsWhereTheOldestEnds) {
  // The first ends at 10, when the second is half done; that one at 15, when the third has a
  // quarter behind it, and goes on alone.
  EXPECT_NEAR(cycles_of(3, {{0.1, 0.15}, {1, 0.5}}), 22.5, 1e-6);
}

TEST(BlockSchedule, GoesOnFromWhereTheBlocksAre) {
  const BlockRates rates = {{0.1, 0.2}, {1, 1}};
  EXPECT_NEAR(schedule_cycles({0.5, 1}, 0, rates), 10, 1e-6);
  EXPECT_NEAR(schedule_cycles({0.5, 1}, 1, rates), 15, 1e-6);
  EXPECT_NEAR(schedule_cycles({0, 0}, 2, rates), 10, 1e-6);
}

TEST(BlockSchedule, LongLaunchesGoOnAsTheyBegan) {
  const BlockRates rates = {{0.1, 0.15, 0.17}, {1, 0.6, 0.3}};
  const double more = cycles_of(3'000'000'001, rates) - cycles_of(3001, rates);
  EXPECT_NEAR(more, 3e9 / 0.17, 3e9 / 0.17 * 1e-3);
}

}  // namespace
}  // namespace perfmodel
