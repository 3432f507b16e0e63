#include "model/timeline/block_schedule.hpp"

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

TEST(BlockSchedule, BlocksThatKeepInStepTakeWaves) {
  const BlockRates rates = {{0.1, 0.2, 0.3}, {1, 1, 1}};
  EXPECT_DOUBLE_EQ(schedule_cycles(1, rates), 10);
  EXPECT_DOUBLE_EQ(schedule_cycles(3, rates), 10);
  EXPECT_DOUBLE_EQ(schedule_cycles(6, rates), 20);
  EXPECT_DOUBLE_EQ(schedule_cycles(7, rates), 30);
}

TEST(BlockSchedule, ABusyUnitTakesAsLongWhoeverIsServed) {
  EXPECT_NEAR(schedule_cycles(7, {{0.3, 0.3, 0.3}, {1, 1, 1}}), 7 / 0.3, 1e-6);
  EXPECT_NEAR(schedule_cycles(7, {{0.3, 0.3, 0.3}, {1, 0.5, 0.1}}), 7 / 0.3, 1e-6);
}

TEST(BlockSchedule, TheNextBlockStartsWhereTheOldestEnds) {
  // The first ends at 10, when the second is half done; that one at 15, when the third has a
  // quarter behind it, and goes on alone.
  EXPECT_NEAR(schedule_cycles(3, {{0.1, 0.15}, {1, 0.5}}), 22.5, 1e-6);
}

TEST(BlockSchedule, LongLaunchesGoOnAsTheyBegan) {
  const BlockRates rates = {{0.1, 0.15, 0.17}, {1, 0.6, 0.3}};
  const double more = schedule_cycles(3'000'000'001, rates) - schedule_cycles(3001, rates);
  EXPECT_NEAR(more, 3e9 / 0.17, 3e9 / 0.17 * 1e-3);
}

}  // namespace
}  // namespace perfmodel
