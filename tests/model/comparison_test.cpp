#include "model/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <vector>

namespace perfmodel {
namespace {

using Values = std::vector<double>;

RatioInterval compared(const Values& a, const Values& b, double between_runs = 0.0) {
  return compare_times({a}, {b}, between_runs).value();
}

/// Five values without a visible tick.
const Values five = {1.0, 1.01, 1.02, 1.03, 1.04};

Values scaled(Values values, double factor) {
  for (double& value : values) {
    value *= factor;
  }
  return values;
}

TEST(CompareTimes, NeedsFiveSamplesOfEach) {
  const Values four = {1.0, 1.01, 1.02, 1.03};
  EXPECT_EQ(compare_times({Values{}}, {five}, 0.0), std::nullopt);
  EXPECT_EQ(compare_times({four}, {five}, 0.0), std::nullopt);
  EXPECT_EQ(compare_times({five}, {four}, 0.0), std::nullopt);
  EXPECT_TRUE(compare_times({five}, {five}, 0.0).has_value());
}

TEST(CompareTimes, FiveOfEachGiveTheRangeOfAllRatios) {
  // Of 252 orders of five and five, only one at each end may be cut at 1 %: none of the 25 ratios.
  const RatioInterval ratio = compared(five, scaled(five, 2.0));
  EXPECT_NEAR(ratio.value, 2.0, 1e-12);
  EXPECT_NEAR(ratio.low, 2.0 / 1.04, 1e-5);
  EXPECT_NEAR(ratio.high, 2.0 * 1.04, 1e-5);
}

TEST(CompareTimes, SwappingTheRunsInvertsTheRatio) {
  const Values other = {1.2, 1.1, 1.3, 1.25, 1.11, 1.17, 1.21};
  const RatioInterval there = compared(five, other, 0.01);
  const RatioInterval back = compared(other, five, 0.01);
  EXPECT_NEAR(there.value * back.value, 1.0, 1e-12);
  EXPECT_NEAR(there.low * back.high, 1.0, 1e-12);
  EXPECT_NEAR(there.high * back.low, 1.0, 1e-12);
}

TEST(CompareTimes, WhatRunsDifferByIsNeverBelowTheInterval) {
  Values many;
  for (int i = 0; i < 500; ++i) {
    many.push_back(1.0 + 1e-5 * (i % 7));
  }
  const RatioInterval ratio = compared(many, many, 0.02);
  EXPECT_NEAR(ratio.low, 1.0 / 1.02, 1e-3);
  EXPECT_NEAR(ratio.high, 1.02, 1e-3);
}

TEST(CompareTimes, AClockThatHidesTheScatterWidensTheInterval) {
  // All alike: the clock's tick may be 1 us, of 10 us a twentieth up or down, in both runs.
  const Values alike(30, 10e-6);
  const RatioInterval ratio = compared(alike, alike);
  EXPECT_NEAR(ratio.high, std::exp(0.05 * std::sqrt(2.0)), 1e-9);
  EXPECT_NEAR(ratio.low * ratio.high, 1.0, 1e-12);
  const RatioInterval shared = compare_times({alike, 100}, {alike, 100}, 0.0).value();
  EXPECT_NEAR(shared.high, std::exp(0.0005 * std::sqrt(2.0)), 1e-9);
}

TEST(CompareTimes, AFewOutliersDoNotMoveTheRatio) {
  Values disturbed;
  Values quiet;
  for (int i = 0; i < 100; ++i) {
    quiet.push_back(1e-3 + 1e-7 * (i % 5));
    disturbed.push_back(i % 20 == 0 ? 5e-3 : quiet.back());
  }
  EXPECT_NEAR(compared(quiet, disturbed).value, 1.0, 1e-4);
}

TEST(AllowForClock, ReachesFromNoneToAllOfTheClocksRatio) {
  const RatioInterval slower = {1.10, 1.08, 1.12};
  const RatioInterval explained = allow_for_clock(slower, 0.9);
  EXPECT_DOUBLE_EQ(explained.value, 1.10);
  EXPECT_DOUBLE_EQ(explained.low, 1.08 * 0.9);
  EXPECT_DOUBLE_EQ(explained.high, 1.12);
  // A higher clock explains no slowness.
  EXPECT_DOUBLE_EQ(allow_for_clock(slower, 1.1).low, 1.08);
}

TEST(JudgeChange, ByTheIntervalAndTheMargin) {
  EXPECT_EQ(judge_change({1.0, 0.98, 1.02}, 0.03), Change::same);
  EXPECT_EQ(judge_change({1.02, 1.01, 1.029}, 0.03), Change::same);
  EXPECT_EQ(judge_change({1.03, 1.01, 1.05}, 0.03), Change::slower);
  EXPECT_EQ(judge_change({0.95, 0.93, 0.97}, 0.03), Change::faster);
  EXPECT_EQ(judge_change({1.01, 0.98, 1.04}, 0.03), Change::unsure);
  EXPECT_EQ(judge_change({1.0, 0.5, 2.0}, 0.03), Change::unsure);
}

/// A machine that measures as GPUs were seen to: neighbouring samples are correlated, some are
/// disturbed and late, the run drifts, the event clock ticks, and each run has a state of its own.
class Machine {
 public:
  struct Noise {
    double run = 0.0035;       ///< standard deviation of a run's state
    double sample = 0.01;      ///< of a sample around it
    double correlation = 0.5;  ///< of neighbours
    double disturbed = 0.03;   ///< share of samples that something delays
    double delay_s = 10e-6;    ///< mean of that delay: of the host, whatever the kernel takes
    double drift = 0.002;      ///< standard deviation of the change from first to last sample
    double tick_s = 0.5e-6;
  };

  explicit Machine(std::uint64_t seed) : generator_(seed) {}

  Values run(double seconds, std::size_t count, const Noise& noise) {
    std::normal_distribution<double> normal;
    std::exponential_distribution<double> late(1.0 / noise.delay_s);
    std::uniform_real_distribution<double> uniform;
    const double state = noise.run * normal(generator_);
    const double drift = noise.drift * normal(generator_);
    const double fresh = std::sqrt(1.0 - noise.correlation * noise.correlation);
    Values samples;
    double deviation = normal(generator_);
    for (std::size_t i = 0; i < count; ++i) {
      deviation = noise.correlation * deviation + fresh * normal(generator_);
      const double place = static_cast<double>(i) / static_cast<double>(count);
      const double delay = uniform(generator_) < noise.disturbed ? late(generator_) : 0.0;
      const double time =
          seconds * std::exp(state + drift * place + noise.sample * deviation) + delay;
      samples.push_back(std::max(1.0, std::round(time / noise.tick_s)) * noise.tick_s);
    }
    return samples;
  }

  /// Verdicts of `trials` pairs of runs, the second of code that takes `factor` times as long.
  std::map<Change, int> verdicts(int trials, double factor, double seconds, std::size_t count,
                                 const Noise& noise, const ComparisonMargins& margins) {
    std::map<Change, int> found;
    for (int i = 0; i < trials; ++i) {
      const Values a = run(seconds, count, noise);
      const Values b = run(factor * seconds, count, noise);
      ++found[judge_change(compared(a, b, margins.between_runs), margins.same)];
    }
    return found;
  }

 private:
  std::mt19937_64 generator_;
};

constexpr int trials = 500;
constexpr int almost_all = trials * 95 / 100;
constexpr int hardly_any = trials / 100;

struct Case {
  double seconds;
  std::size_t samples;
  double sample_noise;  ///< a kernel with fewer samples is a long one, and quieter
};

const std::vector<Case> cases = {{40e-6, 500, 0.01}, {200e-6, 500, 0.02}, {1e-3, 100, 0.005},
                                 {5e-3, 30, 0.003},  {50e-3, 10, 0.001},  {0.5, 5, 0.0005}};

TEST(SimulatedRuns, SameCodeIsTheSameOnOneBoard) {
  Machine machine(1);
  for (const Case& one : cases) {
    Machine::Noise noise;
    noise.sample = one.sample_noise;
    auto found = machine.verdicts(trials, 1.0, one.seconds, one.samples, noise, one_board_margins);
    EXPECT_GE(found[Change::same], almost_all) << one.seconds;
    EXPECT_LE(found[Change::slower] + found[Change::faster], hardly_any) << one.seconds;
  }
}

TEST(SimulatedRuns, SameCodeIsTheSameOnTwoBoards) {
  Machine machine(2);
  for (const Case& one : cases) {
    Machine::Noise noise;
    noise.run = 0.009;  // 1.3 % between two: what two H200 differ by
    noise.sample = one.sample_noise;
    auto found = machine.verdicts(trials, 1.0, one.seconds, one.samples, noise, two_boards_margins);
    EXPECT_GE(found[Change::same], almost_all) << one.seconds;
  }
}

TEST(SimulatedRuns, FivePercentAreFoundOnOneBoard) {
  Machine machine(3);
  for (const Case& one : cases) {
    Machine::Noise noise;
    noise.sample = one.sample_noise;
    auto slower =
        machine.verdicts(trials, 1.05, one.seconds, one.samples, noise, one_board_margins);
    EXPECT_GE(slower[Change::slower], almost_all) << one.seconds;
    auto faster =
        machine.verdicts(trials, 1.0 / 1.05, one.seconds, one.samples, noise, one_board_margins);
    EXPECT_GE(faster[Change::faster], almost_all) << one.seconds;
  }
}

TEST(SimulatedRuns, TenPercentAreFoundOnTwoBoards) {
  Machine machine(4);
  for (const Case& one : cases) {
    Machine::Noise noise;
    noise.run = 0.009;
    noise.sample = one.sample_noise;
    auto found = machine.verdicts(trials, 1.1, one.seconds, one.samples, noise, two_boards_margins);
    EXPECT_GE(found[Change::slower], almost_all) << one.seconds;
  }
}

TEST(SimulatedRuns, WhatScattersTooMuchIsUnsureRatherThanWrong) {
  Machine machine(5);
  Machine::Noise noise;
  noise.sample = 0.2;
  auto found = machine.verdicts(trials, 1.0, 1e-3, 10, noise, one_board_margins);
  EXPECT_GE(found[Change::unsure], almost_all);
  EXPECT_LE(found[Change::slower] + found[Change::faster], trials - almost_all);
}

}  // namespace
}  // namespace perfmodel
