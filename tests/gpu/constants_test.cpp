// The micro-benchmarks on a device: nothing surpasses what the hardware can do, and the ceilings
// are reached.

#include <gtest/gtest.h>

#include <cmath>

#include "model/spec/catalog.hpp"
#include "profiling/measure_constants.hpp"

namespace perfmodel::profiling {
namespace {

/// All constants of the first device, measured once.
class ConstantsOnDevice : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Answer<LiveDevices> live = query_devices();
    if (!live) {
      return;
    }
    const LiveDevice& device = live->devices.front();
    const Device model = device_from_attributes(device.attributes, "live");
    std::vector<const kernels::Microbenchmark*> all;
    for (const kernels::Microbenchmark& one : kernels::microbenchmarks()) {
      all.push_back(&one);
    }
    HardwareConstants planned;
    planned.device = model.name;
    planned.attributes = device.attributes;
    const auto runner = open_microbench_runner(device, model);
    constants_ = measure_constants(*runner, all, model, planned, {});
  }

  void SetUp() override {
    if (!constants_) {
      GTEST_SKIP() << "skipped: no device (" << query_devices().absence().why << ")";
    }
  }

  static double value(std::string_view name) { return constants_->value(name); }

  static inline std::optional<HardwareConstants> constants_;
};

TEST_F(ConstantsOnDevice, AreFiniteAndWithinTheirLimits) {
  for (const HardwareConstant& one : constants_->constants) {
    EXPECT_TRUE(std::isfinite(one.value)) << one.name;
    EXPECT_GT(one.value, 0) << one.name;
  }
  for (const std::string& violation : limit_violations(*constants_)) {
    ADD_FAILURE() << violation;
  }
  for (const SkippedConstant& one : constants_->skipped) {
    // A queue may be deeper than what one warp can ask for.
    const bool may_be_missing =
        constants_->attributes.compute_capability == "7.5" || one.name.starts_with("queue.");
    EXPECT_TRUE(may_be_missing) << one.name << ": " << one.reason;
  }
}

TEST_F(ConstantsOnDevice, MultiplyAddsReachThePeak) {
  EXPECT_GE(constants_->find("fma.rate")->limit_share().value(), 0.97);
}

TEST_F(ConstantsOnDevice, FartherMemoryTakesLonger) {
  EXPECT_LT(value("fma.latency"), value("shared.latency"));
  EXPECT_LT(value("shared.latency"), value("l1.latency"));
  EXPECT_LT(value("l1.latency"), value("l2.latency"));
  EXPECT_LT(value("l2.latency"), value("dram.latency"));
}

TEST_F(ConstantsOnDevice, SingleLoadsSpread) {
  for (const std::string memory : {"l2.latency", "dram.latency"}) {
    double before = 0;
    for (const char* percent : {".p10", ".p25", ".p50", ".p75", ".p90", ".p99"}) {
      EXPECT_GE(value(memory + percent), before) << memory << percent;
      before = value(memory + percent);
    }
    EXPECT_LT(value(memory + ".p10"), 1.05 * value(memory));
  }
  EXPECT_GT(value("dram.latency.p99"), value("dram.latency"));
  // Its quantiles are of lines that the SM itself has read, its mean of lines that another SM
  // wrote.
  EXPECT_LT(value("l2.latency.p50"), value("l2.latency"));
  EXPECT_LT(value("l2.latency.p50"), value("dram.latency.p50"));
}

TEST_F(ConstantsOnDevice, ConflictsCostAtLeastAPassEach) {
  double before = value("shared.load.32");
  for (const char* name :
       {"shared.load.conflict-2", "shared.load.conflict-4", "shared.load.conflict-8",
        "shared.load.conflict-16", "shared.load.conflict-32"}) {
    EXPECT_GT(value(name), 1.5 * before) << name;
    before = value(name);
  }
}

TEST_F(ConstantsOnDevice, AnH200ReachesPublicFigures) {
  if (constants_->attributes.name.find("H200") == std::string::npos) {
    GTEST_SKIP() << "skipped: the figures are an H200's, this is an "
                 << constants_->attributes.name;
  }
  // What public benchmarks reached on one: docs/h200.md.
  EXPECT_GE(value("dram.read"), 0.97 * 4.62e12);
  EXPECT_GE(value("dram.write"), 0.97 * 4.59e12);
  EXPECT_GE(value("dram.triad"), 0.97 * 3.98e12);
  EXPECT_GE(value("l2.read.small"), 0.9 * 10.4e12);
  EXPECT_GE(value("l1.read"), 0.9 * 28e12);
}

}  // namespace
}  // namespace perfmodel::profiling
