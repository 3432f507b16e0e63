#include "profiling/clock_sampler.hpp"

#include <gtest/gtest.h>

#include <latch>

namespace perfmodel::profiling {
namespace {

ClockReading reading_of(double sm_clock_hz, std::uint64_t bits = 0) {
  ClockReading reading;
  reading.sm_clock_hz = sm_clock_hz;
  reading.throttle_bits = bits;
  return reading;
}

/// Plays readings back; the last one stays.
class FakeSource final : public ClockSource {
 public:
  explicit FakeSource(std::vector<ClockReading> readings) : readings_(std::move(readings)) {}
  ClockReading read() override {
    const std::size_t at = std::min(next_++, readings_.size() - 1);
    return readings_[at];
  }

 private:
  std::vector<ClockReading> readings_;
  std::size_t next_ = 0;
};

TEST(ClockSummary, NothingFromNothing) { EXPECT_EQ(summarize_clocks({}), ClockConditions{}); }

TEST(ClockSummary, MedianExtremesMeanAndHighest) {
  std::vector<ClockReading> readings = {reading_of(1.8e9), reading_of(2.0e9), reading_of(1.9e9)};
  readings[0].power_w = 300.0;
  readings[1].power_w = 500.0;
  readings[0].temperature_c = 55.0;
  readings[2].temperature_c = 60.0;
  const ClockConditions clocks = summarize_clocks(readings);
  EXPECT_EQ(clocks.readings, 3U);
  EXPECT_EQ(clocks.sm_clock_hz, 1.9e9);
  EXPECT_EQ(clocks.min_sm_clock_hz, 1.8e9);
  EXPECT_EQ(clocks.max_sm_clock_hz, 2.0e9);
  EXPECT_EQ(clocks.power_w, 400.0);
  EXPECT_EQ(clocks.temperature_c, 60.0);
  EXPECT_FALSE(clocks.memory_clock_hz);
  EXPECT_EQ(clocks.throttled, false);
}

TEST(ClockSummary, IdleReadingsAreLeftOutUnlessThereAreNoOthers) {
  const ClockReading idle = reading_of(0.3e9, throttle::gpu_idle);
  EXPECT_EQ(summarize_clocks(std::vector{idle, reading_of(1.9e9), idle}).sm_clock_hz, 1.9e9);
  const ClockConditions only_idle = summarize_clocks(std::vector{idle});
  EXPECT_EQ(only_idle.sm_clock_hz, 0.3e9);
  EXPECT_EQ(only_idle.throttled, false);
}

TEST(ClockSummary, ReasonsAreUnitedAndNamed) {
  const ClockConditions clocks = summarize_clocks(
      std::vector{reading_of(1e9, throttle::software_power_cap),
                  reading_of(1e9, throttle::hardware_thermal | throttle::application_clocks)});
  EXPECT_EQ(clocks.throttled, true);
  EXPECT_EQ(clocks.throttle_reasons,
            (std::vector<std::string>{"power cap", "thermal slowdown (hardware)"}));
}

TEST(ClockSummary, ChosenClocksAreNoThrottlingAndUnknownReasonsAre) {
  EXPECT_TRUE(throttle_reasons(throttle::harmless).empty());
  EXPECT_EQ(throttle_reasons(0x400), std::vector<std::string>{"unknown reason 0x400"});
}

TEST(ClockSummary, WithoutReasonsThereIsNoVerdict) {
  ClockReading reading;
  reading.sm_clock_hz = 1e9;
  EXPECT_FALSE(summarize_clocks(std::vector{reading}).throttled);
}

TEST(ClockSampler, ReadsOncePerIntervalUntilStopped) {
  FakeSource source({reading_of(1e9), reading_of(2e9), reading_of(3e9)});
  std::latch waited(1);
  int intervals = 0;
  ClockSampler sampler(source, std::chrono::milliseconds(50),
                       [&](const std::stop_token&, std::chrono::milliseconds interval) {
                         EXPECT_EQ(interval.count(), 50);
                         if (intervals++ < 3) {
                           return true;
                         }
                         waited.count_down();
                         return false;
                       });
  waited.wait();
  const ClockConditions clocks = sampler.stop();
  EXPECT_EQ(clocks.readings, 3U);
  EXPECT_EQ(clocks.sm_clock_hz, 2e9);
  EXPECT_EQ(sampler.stop(), clocks) << "stopping twice is harmless";
}

TEST(ClockSampler, ShortMeasurementsGetOneReading) {
  FakeSource source({reading_of(1e9)});
  ClockSampler sampler(source, std::chrono::hours(1));
  EXPECT_EQ(sampler.stop().readings, 1U);
}

TEST(ClockSampler, IsDroppedWithoutWaiting) {
  FakeSource source({reading_of(1e9)});
  const ClockSampler sampler(source, std::chrono::hours(1));
}

}  // namespace
}  // namespace perfmodel::profiling
