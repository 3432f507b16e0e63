#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernels/microbench/microbenchmark.hpp"
#include "kernels/microbench/stamps.hpp"
#include "model/spec/catalog.hpp"
#include "model/text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::kernels {
namespace {

using perfmodel::testing::error_of;

std::vector<Device> shipped_devices() {
  const spec::Catalog catalog(PERFMODEL_SPECS);
  std::vector<Device> devices;
  for (const std::string& name : catalog.device_names()) {
    devices.push_back(catalog.device(name));
  }
  return devices;
}

const Microbenchmark& named(const std::string& name) {
  return *matching_microbenchmarks(name).front();
}

Microbenchmark with(MicrobenchMethod method, double work) {
  Microbenchmark one;
  one.name = "one";
  one.method = method;
  one.work = work;
  return one;
}

TEST(Microbenchmarks, HaveNamesOfTheirOwnAndSayWhatTheyAre) {
  std::set<std::string> names;
  for (const Microbenchmark& one : microbenchmarks()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_TRUE(is_plain_name(one.name)) << one.name;
    EXPECT_FALSE(one.unit.empty()) << one.name;
    EXPECT_FALSE(one.proves.empty()) << one.name;
    EXPECT_FALSE(one.function.empty()) << one.name;
  }
  EXPECT_GE(names.size(), 80U);
}

TEST(Microbenchmarks, FitEveryDevice) {
  for (const Device& device : shipped_devices()) {
    for (const Microbenchmark& one : microbenchmarks()) {
      SCOPED_TRACE(one.name + " on " + device.name);
      const std::vector<MicrobenchLaunch> launches = one.launches(device);
      ASSERT_FALSE(launches.empty());
      for (const MicrobenchLaunch& launch : launches) {
        EXPECT_GE(launch.grid, 1U);
        EXPECT_GE(launch.block, 32U);
        EXPECT_LE(launch.block, 1024U);
        EXPECT_EQ(launch.block % 32, 0U);
        EXPECT_LE(launch.data_bytes, std::size_t{8} << 30U);
        EXPECT_LE(launch.stamp_count() * sizeof(WarpStamp), std::size_t{64} << 20U);
        if (launch.ring) {
          EXPECT_EQ(launch.ring->nodes & (launch.ring->nodes - 1), 0U);
          EXPECT_EQ(launch.ring->step % 2, 1U);
          EXPECT_GE(launch.data_bytes, std::size_t{launch.ring->nodes} * launch.ring->node_bytes);
        }
      }
      if (const auto limit = one.limit(device)) {
        EXPECT_GT(limit->value, 0);
        EXPECT_FALSE(limit->reason.empty());
        if (const auto datasheet = one.datasheet(device)) {
          EXPECT_LE(datasheet->value, limit->value);
        }
      }
    }
  }
}

/// Streams reach their last byte and no further.
TEST(Microbenchmarks, StreamsFillTheirData) {
  for (const Device& device : shipped_devices()) {
    for (const char* name : {"dram.read", "dram.write", "dram.copy", "dram.triad"}) {
      const Microbenchmark& one = named(name);
      for (const MicrobenchLaunch& launch : one.launches(device)) {
        EXPECT_EQ(static_cast<double>(launch.data_bytes),
                  one.work * launch.repeats * static_cast<double>(launch.warps()))
            << name << " on " << device.name;
      }
    }
  }
}

/// As many blocks as there is data for, each with a few rows of it, and no stamp.
TEST(Microbenchmarks, DramIsStreamedInTheOrderOfAddresses) {
  for (const Device& device : shipped_devices()) {
    for (const auto& [name, arrays] : std::map<std::string, std::size_t>{
             {"dram.read", 1}, {"dram.write", 1}, {"dram.copy", 2}, {"dram.triad", 3}}) {
      SCOPED_TRACE(device.name + " " + name);
      for (const MicrobenchLaunch& launch : named(name).launches(device)) {
        EXPECT_EQ(launch.stamp_count(), 0U);
        EXPECT_LE(launch.repeats, 2U);
        EXPECT_GE(launch.data_bytes / arrays, (std::size_t{256} << 20U) - launch.block * 128U);
        EXPECT_LE(launch.data_bytes / arrays, std::size_t{2} << 30U);
      }
    }
  }
}

TEST(Microbenchmarks, TheL2HoldsWhatIsReadFromIt) {
  const spec::Catalog catalog(PERFMODEL_SPECS);
  const Device device = catalog.device("h200");
  EXPECT_EQ(named("l2.read.small").launches(device).front().extent, 240U);
  for (const char* name : {"l2.read.half", "l2.read.full", "l2.write"}) {
    EXPECT_LT(named(name).launches(device).front().data_bytes, 62914560U) << name;
  }
}

/// Loads that are timed one by one: those of DRAM go on over all launches and never meet a line
/// again, those of the L2 read all lines of their ring before.
TEST(Microbenchmarks, SingleLoadsFindTheirLinesWhereTheySay) {
  for (const Device& device : shipped_devices()) {
    for (const char* name : {"l2.latency.p10", "l2.latency.p50", "dram.latency.p99"}) {
      SCOPED_TRACE(std::string(name) + " on " + device.name);
      const MicrobenchLaunch launch = named(name).launches(device).front();
      ASSERT_TRUE(launch.ring);
      EXPECT_GE(launch.phases, 4096U);
      EXPECT_EQ(launch.repeats * chase_unroll, launch.phases);
      if (launch.ring->goes_on) {
        constexpr std::uint32_t launches = 20;
        EXPECT_GE(launch.ring->nodes, launches * (launch.phases + chase_unroll));
        EXPECT_GE(launch.data_bytes, std::size_t{256} << 20U);
        EXPECT_EQ(launch.stride, 0U);
      } else {
        if (device.l2_bytes) {
          EXPECT_LE(launch.data_bytes, static_cast<std::size_t>(device.l2_bytes->value) / 8);
        }
        EXPECT_EQ(launch.stride, launch.ring->nodes);
      }
    }
  }
}

TEST(Microbenchmarks, LimitsFollowFromTheDevice) {
  const spec::Catalog catalog(PERFMODEL_SPECS);
  const Device device = catalog.device("h200");
  EXPECT_EQ(named("fma.rate").limit(device)->value, 128);
  EXPECT_EQ(named("dram.read").limit(device)->value, 4814.304e9);
  EXPECT_DOUBLE_EQ(named("l1.read").limit(device)->value, 128 * 132 * 1.98e9);
  EXPECT_EQ(named("shared.load.128").limit(device)->value, 4);
  EXPECT_TRUE(named("shared.load.128").limit(device)->is_least);
  EXPECT_EQ(named("dfma.rate").datasheet(device)->value, 64);
  EXPECT_EQ(named("dram.latency").datasheet(device), std::nullopt);
}

TEST(MicrobenchValue, FollowsFromCyclesAndSeconds) {
  MicrobenchReading reading;
  reading.repeats = 10;
  reading.warps = 264;
  reading.sm_warps = 32;
  reading.sm_cycles = 1280;
  reading.seconds = 2e-3;
  reading.clock_hz = 2e9;
  EXPECT_EQ(microbench_value(with(MicrobenchMethod::per_clock, 512), reading), 128);
  EXPECT_EQ(microbench_value(with(MicrobenchMethod::cycles_per_work, 4), reading), 1);
  EXPECT_EQ(microbench_value(with(MicrobenchMethod::latency, 64), reading), 2);
  EXPECT_EQ(microbench_value(with(MicrobenchMethod::per_second, 100), reading), 132e6);
  EXPECT_DOUBLE_EQ(microbench_value(with(MicrobenchMethod::per_device_clock, 100), reading), 0.066);
  reading.clock_hz = 0;
  EXPECT_EQ(
      error_of([&] { microbench_value(with(MicrobenchMethod::per_device_clock, 100), reading); }),
      "one: the run was too short to tell the clock");
  EXPECT_EQ(microbench_value(with(MicrobenchMethod::seconds_per_launch, 1), reading), 2e-3);
  EXPECT_EQ(microbench_value(with(MicrobenchMethod::seconds_per_pair, 1), reading), 2e-3);
}

TEST(MicrobenchValue, BranchesAreWhatIsLeftOfTheirPhases) {
  MicrobenchReading reading;
  reading.repeats = 2;
  // A side of 16 instructions takes 64 cycles, closing a loop 10, a branch 6, parting 20 more.
  reading.phase_cycles = {2 * 138, 2 * 74, 2 * 80, 2 * 80, 2 * (64 + 80 + 20)};
  EXPECT_EQ(microbench_value(with(MicrobenchMethod::loop_branch, 0), reading), 10);
  EXPECT_EQ(microbench_value(with(MicrobenchMethod::divergent_branch, 0), reading), 20);
}

TEST(MicrobenchValue, AQuantileIsOneOfThePhases) {
  Microbenchmark one = with(MicrobenchMethod::phase_quantile, 1);
  MicrobenchReading reading;
  for (int cycles = 300; cycles >= 200; --cycles) {
    reading.phase_cycles.push_back(cycles);
  }
  for (const double share : {0.1, 0.5, 0.99}) {
    one.quantile = share;
    EXPECT_DOUBLE_EQ(microbench_value(one, reading), 200 + 100 * share);
  }
  reading.phase_cycles.clear();
  EXPECT_EQ(error_of([&] { microbench_value(one, reading); }), "one has no phases");
}

/// `depth` loads go in two cycles each, every further one waits for 32.
MicrobenchReading queue_of(std::size_t depth) {
  MicrobenchReading reading;
  double cycles = 10;
  for (std::size_t i = 1; i <= queue_phases; ++i) {
    cycles += i <= depth ? 2 : 32;
    reading.phase_cycles.push_back(cycles);
  }
  return reading;
}

TEST(MicrobenchValue, AQueueEndsWhereLoadsWait) {
  const Microbenchmark queue = with(MicrobenchMethod::queue_depth, 1);
  for (const std::size_t depth : {3U, 8U, 17U}) {
    EXPECT_EQ(microbench_value(queue, queue_of(depth)), depth);
  }
  MicrobenchReading four = queue_of(5);
  four.participants = 4;
  EXPECT_EQ(microbench_value(queue, four), 20);
  EXPECT_EQ(error_of([&] { microbench_value(queue, queue_of(queue_phases)); }),
            "one: " + std::to_string(queue_phases) + " loads were issued and none waited");
}

TEST(MatchingMicrobenchmarks, TakesWholeNames) {
  EXPECT_EQ(matching_microbenchmarks("fma.rate").size(), 1U);
  EXPECT_EQ(matching_microbenchmarks("dram\\..*").size(), 11U);
  EXPECT_EQ(error_of([] { matching_microbenchmarks("fma.rat"); }),
            "no micro-benchmark matches 'fma.rat' (did you mean 'fma.rate'?); 'perfmodel calibrate "
            "--list' shows all " +
                std::to_string(microbenchmarks().size()));
  EXPECT_TRUE(error_of([] {
                matching_microbenchmarks("fma[");
              }).starts_with("--only 'fma[' is not a regular expression: "));
}

TEST(ComputeCapability, IsTheNumberOfTheArchitecture) {
  Device device;
  device.name = "mine";
  device.architecture = "sm_120";
  EXPECT_EQ(compute_capability(device), 120);
  device.architecture = "gfx90a";
  EXPECT_EQ(error_of([&] { compute_capability(device); }),
            "architecture 'gfx90a' of mine is not like sm_90");
}

}  // namespace
}  // namespace perfmodel::kernels
