#include "profiling/stopping_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/error.hpp"

namespace perfmodel::profiling {
namespace {

TEST(StoppingRule, QuietSamplesStopAtTheMinimum) {
  StoppingRule rule({.min_time_s = 0.0});
  for (int i = 0; i < 9; ++i) {
    rule.add(1e-3, 0.0);
    EXPECT_FALSE(rule.stop_reason());
  }
  rule.add(1e-3, 0.0);
  EXPECT_EQ(rule.stop_reason(), StopReason::quiet);
  EXPECT_FALSE(rule.noisy());
  EXPECT_EQ(rule.noise(), 0.0);
}

TEST(StoppingRule, QuietSamplesGoOnForTheLeastTime) {
  StoppingRule rule({.min_time_s = 0.5});
  for (int i = 0; i < 49; ++i) {
    rule.add(1e-3, 0.01 * (i + 1));
    EXPECT_FALSE(rule.stop_reason());
  }
  rule.add(1e-3, 0.5);
  EXPECT_EQ(rule.stop_reason(), StopReason::quiet);
}

TEST(StoppingRule, NoiseIsTheRelativeStandardErrorOfTheMean) {
  StoppingRule rule({});
  EXPECT_FALSE(rule.noise());
  EXPECT_TRUE(rule.noisy());
  rule.add(1.0, 0.0);
  EXPECT_FALSE(rule.noise());
  rule.add(2.0, 0.0);
  rule.add(3.0, 0.0);
  EXPECT_NEAR(rule.noise().value(), 1.0 / std::sqrt(3.0) / 2.0, 1e-15);
}

TEST(StoppingRule, MoreSamplesOvercomeJitter) {
  // 3 % of jitter: the standard error falls to 0.5 % after about 36 samples.
  StoppingRule rule({.min_time_s = 0.0});
  int count = 0;
  while (!rule.stop_reason()) {
    rule.add(count % 2 == 0 ? 0.97 : 1.03, 0.0);
    ++count;
  }
  EXPECT_EQ(rule.stop_reason(), StopReason::quiet);
  EXPECT_NEAR(count, 37, 2);
}

TEST(StoppingRule, TimeLimitStopsNoisySamplesAndSaysSo) {
  StoppingRule rule({.time_limit_s = 1.0});
  for (int i = 0; i < 12; ++i) {
    rule.add(i % 2 == 0 ? 1.0 : 2.0, 0.05 * i);
    EXPECT_FALSE(rule.stop_reason());
  }
  rule.add(1.0, 1.0);
  EXPECT_EQ(rule.stop_reason(), StopReason::time_limit);
  EXPECT_TRUE(rule.noisy());
}

TEST(StoppingRule, TimeLimitComesBeforeTheMinimumButNotBeforeThreeSamples) {
  StoppingRule rule({.time_limit_s = 1.0});
  rule.add(2.0, 2.0);
  EXPECT_FALSE(rule.stop_reason());
  rule.add(2.0, 4.0);
  EXPECT_FALSE(rule.stop_reason());
  rule.add(2.0, 6.0);
  EXPECT_EQ(rule.stop_reason(), StopReason::time_limit);
  EXPECT_FALSE(rule.noisy());
}

TEST(StoppingRule, SampleLimit) {
  StoppingRule rule({.min_samples = 2, .max_samples = 4});
  for (int i = 0; i < 3; ++i) {
    rule.add(i % 2 == 0 ? 1.0 : 2.0, 0.0);
    EXPECT_FALSE(rule.stop_reason());
  }
  rule.add(2.0, 0.0);
  EXPECT_EQ(rule.stop_reason(), StopReason::sample_limit);
  EXPECT_TRUE(rule.noisy());
}

TEST(StoppingRule, SurvivesTinyAndZeroSamples) {
  StoppingRule rule({.min_samples = 2, .max_samples = 3});
  for (int i = 0; i < 3; ++i) {
    rule.add(0.0, 0.0);
  }
  EXPECT_EQ(rule.stop_reason(), StopReason::sample_limit);
  EXPECT_FALSE(rule.noise());
  EXPECT_TRUE(rule.noisy());
}

TEST(StoppingRule, RefusesLimitsOutOfRange) {
  EXPECT_THROW(StoppingRule({.min_samples = 1}), Error);
  EXPECT_THROW(StoppingRule({.min_samples = 10, .max_samples = 9}), Error);
  EXPECT_THROW(StoppingRule({.max_noise = 0.0}), Error);
  EXPECT_THROW(StoppingRule({.max_noise = std::nan("")}), Error);
  EXPECT_THROW(StoppingRule({.min_time_s = -0.1}), Error);
  EXPECT_THROW(StoppingRule({.time_limit_s = 0.0}), Error);
  EXPECT_THROW(StoppingRule({.time_limit_s = std::numeric_limits<double>::infinity()}), Error);
}

}  // namespace
}  // namespace perfmodel::profiling
