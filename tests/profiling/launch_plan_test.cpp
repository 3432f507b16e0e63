#include "profiling/launch_plan.hpp"

#include <gtest/gtest.h>

namespace perfmodel::profiling {
namespace {

TEST(LaunchPlan, ColdIsAlwaysOneLaunch) {
  EXPECT_EQ(plan_launches(1e-6, CacheMode::cold), (LaunchPlan{1, 0}));
  EXPECT_EQ(plan_launches(1.0, CacheMode::cold), (LaunchPlan{1, 0}));
}

TEST(LaunchPlan, ShortWarmLaunchesShareOneSample) {
  EXPECT_EQ(plan_launches(3e-6, CacheMode::warm), (LaunchPlan{7, 7}));
  EXPECT_EQ(plan_launches(19.9e-6, CacheMode::warm), (LaunchPlan{2, 2}));
}

TEST(LaunchPlan, LongWarmLaunchesStandAlone) {
  EXPECT_EQ(plan_launches(20e-6, CacheMode::warm), (LaunchPlan{1, 1}));
  EXPECT_EQ(plan_launches(0.5e-3, CacheMode::warm), (LaunchPlan{1, 1}));
  EXPECT_EQ(plan_launches(2.0, CacheMode::warm), (LaunchPlan{1, 0}));
}

TEST(LaunchPlan, ImpossibleDurationsAreBounded) {
  EXPECT_EQ(plan_launches(0.0, CacheMode::warm).launches_per_sample, most_launches_per_sample);
  EXPECT_EQ(plan_launches(1e-12, CacheMode::warm).launches_per_sample, most_launches_per_sample);
}

}  // namespace
}  // namespace perfmodel::profiling
