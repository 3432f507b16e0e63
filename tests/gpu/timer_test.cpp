#include "profiling/timer.hpp"
#include "kernels/cuda_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>

#include "model/error.hpp"
#include "model/statistics.hpp"
#include "profiling/clock_sampler.hpp"
#include "profiling/device_query.hpp"
#include "profiling/nvml.hpp"

namespace perfmodel::profiling {
namespace {

using kernels::check_cuda;

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    const Answer<LiveDevices> live = query_devices();
    if (!live) {
      GTEST_SKIP() << "skipped: no device (" << live.absence().why << ")";
    }
    device_ = live->devices.front().attributes;
  }

  DeviceAttributes device_;
};

TEST_F(GpuTest, DeviceTellsWhatTheModelNeeds) {
  const Device device = device_from_attributes(device_, "live");
  EXPECT_GT(device.sm_count.value, 0);
  EXPECT_GT(device.dram_bytes_per_s.value, 1e10);
  EXPECT_GT(device.clocks.front().clock_hz.value, 1e8);
  EXPECT_GT(device_.l2_bytes.value_or(0), 0);
  EXPECT_TRUE(device_.uuid->starts_with("GPU-"));
}

TEST_F(GpuTest, BuffersCopyAndRefuse) {
  std::vector<float> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  DeviceBuffer buffer(numbers.size() * sizeof(float));
  buffer.upload(std::span<const float>(numbers));
  std::vector<float> back(numbers.size());
  buffer.download(std::span(back));
  EXPECT_EQ(back, numbers);
  std::vector<float> longer(numbers.size() + 1);
  EXPECT_THROW(buffer.download(std::span(longer)), Error);
}

TEST_F(GpuTest, OutOfMemorySaysHowMuchWasNeededAndFree) {
  constexpr std::size_t too_much = std::size_t{1} << 46;
  try {
    const DeviceBuffer buffer(too_much);
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(std::to_string(too_much)), std::string::npos) << message;
    EXPECT_NE(message.find("are free"), std::string::npos) << message;
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the error does not stay";
}

TEST_F(GpuTest, ErrorsNameCallAndPlace) {
  try {
    check_cuda(cudaSetDevice(4711), "cudaSetDevice");
    FAIL();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("cudaSetDevice failed at timer_test.cpp:"), std::string::npos)
        << message;
    EXPECT_NE(message.find("cudaErrorInvalidDevice"), std::string::npos) << message;
  }
}

TEST_F(GpuTest, EventOverheadIsSmallAndStated) {
  const Timer timer;
  EXPECT_GT(timer.event_overhead_s(), 0.0);
  EXPECT_LT(timer.event_overhead_s(), 50e-6);
  RecordProperty("event_overhead_us", std::to_string(timer.event_overhead_s() * 1e6));
}

TEST_F(GpuTest, TimeGrowsWithTheWork) {
  Timer timer;
  constexpr std::size_t small_bytes = std::size_t{64} << 20;
  DeviceBuffer buffer(8 * small_bytes);
  const auto fill = [&](std::size_t bytes) {
    return [&buffer, bytes](cudaStream_t stream) {
      check_cuda(cudaMemsetAsync(buffer.data(), 1, bytes, stream), "cudaMemsetAsync");
    };
  };
  const double small_s = median(timer.time(fill(small_bytes), {}).samples_s).value();
  const double large_s = median(timer.time(fill(8 * small_bytes), {}).samples_s).value();
  EXPECT_GT(large_s, 4.0 * small_s);
  EXPECT_LT(large_s, 12.0 * small_s);
}

TEST_F(GpuTest, ShortLaunchesShareASampleWhenWarm) {
  Timer timer;
  DeviceBuffer buffer(1024);
  const auto fill = [&](cudaStream_t stream) { buffer.fill(1, stream); };
  TimerOptions options;
  options.cache_mode = CacheMode::warm;
  const Timing warm = timer.time(fill, options);
  EXPECT_GT(warm.plan.launches_per_sample, 1U);
  options.cache_mode = CacheMode::cold;
  EXPECT_EQ(timer.time(fill, options).plan, (LaunchPlan{1, 0}));
}

TEST_F(GpuTest, FailedLaunchIsFoundAtOnce) {
  Timer timer;
  const auto broken = [](cudaStream_t stream) {
    static_cast<void>(cudaMemsetAsync(nullptr, 0, 16, stream));
  };
  EXPECT_THROW(timer.time(broken, {}), Error);
}

TEST_F(GpuTest, NvmlKnowsTheSameDevice) {
  const Answer<Nvml> nvml = Nvml::open();
  if (!nvml) {
    GTEST_SKIP() << "skipped: " << nvml.absence().why;
  }
  const auto by_bus = nvml->device_by_pci_bus_id(*device_.pci_bus_id);
  EXPECT_TRUE(by_bus) << by_bus.absence().why;
  auto by_uuid = nvml->device_by_uuid(*device_.uuid);
  ASSERT_TRUE(by_uuid) << by_uuid.absence().why;
  ClockSampler sampler(by_uuid.value(), std::chrono::milliseconds(5));
  Timer timer;
  DeviceBuffer buffer(std::size_t{256} << 20);
  const Timing timing = timer.time([&](cudaStream_t stream) { buffer.fill(1, stream); },
                                   {.limits = {.min_samples = 500, .max_samples = 500}});
  EXPECT_EQ(timing.samples_s.size(), 500U);
  const ClockConditions clocks = sampler.stop();
  EXPECT_GT(clocks.readings, 1U);
  EXPECT_GT(clocks.sm_clock_hz.value_or(0.0), 1e8);
}

}  // namespace
}  // namespace perfmodel::profiling
