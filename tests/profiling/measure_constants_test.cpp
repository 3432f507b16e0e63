#include "profiling/measure_constants.hpp"

#include <gtest/gtest.h>

#include <map>

namespace perfmodel::profiling {
namespace {

/// Gives what was scripted, run by run; the last outcome of a name again and again.
class ScriptedRunner final : public MicrobenchRunner {
 public:
  MicrobenchOutcome run(const kernels::Microbenchmark& benchmark) override {
    ++runs[benchmark.name];
    std::vector<MicrobenchOutcome>& left = outcomes.at(benchmark.name);
    MicrobenchOutcome outcome = left.front();
    if (left.size() > 1) {
      left.erase(left.begin());
    }
    return outcome;
  }

  std::map<std::string, std::vector<MicrobenchOutcome>> outcomes;
  std::map<std::string, int> runs;
};

MicrobenchOutcome at_clock(double clock_hz, const std::vector<double>& values) {
  MicrobenchOutcome outcome;
  for (const double value : values) {
    outcome.samples.push_back({value, clock_hz});
  }
  return outcome;
}

class MeasureConstants : public ::testing::Test {
 protected:
  MeasureConstants() {
    device_.name = "mine";
    device_.architecture = "sm_75";
    device_.sm_count.value = 40;
    device_.fma_per_clk_per_sm.value = 64;
    device_.clocks = {{"measured", {1.5e9, Origin::measured, ""}}};
  }

  HardwareConstants measure(std::initializer_list<const char*> names) {
    std::vector<const kernels::Microbenchmark*> benchmarks;
    for (const char* name : names) {
      benchmarks.push_back(kernels::matching_microbenchmarks(name).front());
    }
    return measure_constants(
        runner_, benchmarks, device_, {},
        [&](std::size_t done, std::size_t total, const std::string& name) {
          progress_.push_back(std::to_string(done) + "/" + std::to_string(total) + " " + name);
        });
  }

  Device device_;
  ScriptedRunner runner_;
  std::vector<std::string> progress_;
};

TEST_F(MeasureConstants, TakesMedianSpreadAndClock) {
  runner_.outcomes["fma.rate"] = {at_clock(1.5e9, {60, 64, 62, 61, 63})};
  const HardwareConstants constants = measure({"fma.rate"});
  const HardwareConstant& one = *constants.find("fma.rate");
  EXPECT_EQ(one.value, 62);
  EXPECT_EQ(one.uncertainty, 1);
  EXPECT_EQ(one.samples.size(), 5U);
  EXPECT_EQ(one.sm_clock_hz, 1.5e9);
  EXPECT_EQ(one.limit->value, 64);
  EXPECT_FALSE(one.is_beyond_limit());
  EXPECT_EQ(constants.sm_clock_hz, 1.5e9);
  EXPECT_EQ(progress_, std::vector<std::string>{"0/1 fma.rate"});
}

TEST_F(MeasureConstants, RepeatsAtALowClockAndFlagsWhatStaysThere) {
  runner_.outcomes["fma.rate"] = {at_clock(1.4e9, {60}), at_clock(1.49e9, {61})};
  runner_.outcomes["fadd.rate"] = {at_clock(1.4e9, {60})};
  runner_.outcomes["fmul.rate"] = {at_clock(1.5e9, {60})};
  runner_.outcomes["lop3.rate"] = {at_clock(1.471e9, {60})};
  const HardwareConstants constants = measure({"fma.rate", "fadd.rate", "fmul.rate", "lop3.rate"});
  EXPECT_EQ(constants.find("fma.rate")->value, 61);
  EXPECT_FALSE(constants.find("fma.rate")->throttled);
  EXPECT_TRUE(constants.find("fadd.rate")->throttled);
  EXPECT_EQ(runner_.runs["fadd.rate"], 2);
  EXPECT_EQ(runner_.runs["fmul.rate"], 1);
  EXPECT_EQ(runner_.runs["lop3.rate"], 1) << "within 2 %";
  EXPECT_EQ(constants.max_sm_clock_hz, 1.5e9);
  EXPECT_EQ(throttling_warnings(constants),
            std::vector<std::string>{"fadd.rate was measured at 1400 MHz, others at up to 1500: "
                                     "the clock was held down"});
}

TEST_F(MeasureConstants, SkipsWithTheReason) {
  MicrobenchOutcome none;
  none.skip_reason = "6 bytes of device memory are needed, 5 are free";
  runner_.outcomes["fma.rate"] = {none};
  const HardwareConstants constants = measure({"fma.rate", "tensor.bf16.rate"});
  EXPECT_TRUE(constants.constants.empty());
  EXPECT_EQ(constants.skipped,
            (std::vector<SkippedConstant>{{"fma.rate", none.skip_reason},
                                          {"tensor.bf16.rate", "sm_75 has no such instruction"}}));
  EXPECT_EQ(constants.max_sm_clock_hz, std::nullopt);
}

}  // namespace
}  // namespace perfmodel::profiling
