#include "profiling/counter_campaign.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "kernels/catalog.hpp"
#include "profiling/recording_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

/// Launches nothing, but hands out the launch.
class FakeRunner final : public Runner {
 public:
  [[nodiscard]] kernels::DeviceLimits limits() const override { return {}; }
  RunOutcome run(const kernels::Kernel& /*kernel*/,
                 const std::shared_ptr<kernels::Problem>& /*problem*/,
                 const RunOptions& /*options*/) override {
    ADD_FAILURE() << "counters time nothing";
    return {};
  }
  void observe(const kernels::Kernel& kernel, const std::shared_ptr<kernels::Problem>& /*problem*/,
               CacheMode /*cache_mode*/,
               const std::function<void(const ObservedLaunch&)>& observer) override {
    observed.emplace_back(kernel.name);
    observer({[] {}, [] {}});
  }
  std::vector<std::string> observed;
};

class FakeCollector final : public CounterCollector {
 public:
  std::map<std::string, double, std::less<>> collect(const ObservedLaunch& launch) override {
    launch.prepare();
    launch.launch();
    if (refuses) {
      throw CounterRefused(refusal_of_cupti(35, "cuptiRangeProfilerEnable", false));
    }
    return values;
  }
  std::vector<double> kernel_durations_s(const ObservedLaunch& launch, std::size_t count) override {
    launch.launch();
    if (no_durations) {
      throw CounterRefused(refusal_of_cupti(39, "cuptiActivityEnable", false));
    }
    return std::vector<double>(count, 1.5e-3);
  }
  [[nodiscard]] std::vector<std::string> not_known() const override { return {"xx__gone.sum"}; }

  bool refuses = false;
  bool no_durations = false;
  std::map<std::string, double, std::less<>> values = {
      {"xx__one.sum", 7}, {"xx__ratio.ratio", std::numeric_limits<double>::quiet_NaN()}};
};

class CounterCampaign : public ::testing::Test {
 protected:
  static std::vector<ProblemTasks> tasks(const std::vector<const char*>& names) {
    ProblemTasks task;
    for (const char* name : names) {
      task.kernels.push_back(&kernels::find_kernel(name));
    }
    const Shape shape({{"m", 64}, {"n", 64}, {"k", 64}});
    task.problem = kernels::make_problem(*task.kernels.front(), shape);
    task.label = shape.to_string();
    return {task};
  }

  static Recording recording() {
    Recording one;
    one.name = one.device = "gpu";
    one.source_kind = SourceKind::measured;
    one.source = "test";
    one.clock_basis = "device-reported";
    one.clock_hz = 1e9;
    one.device_attributes.emplace().name = "GPU";
    one.device_attributes->clock_rate_hz = 1e9;
    one.environment.emplace();
    one.settings.emplace();
    Measurement entry;
    entry.kernel = "K2";
    entry.shape = Shape({{"m", 64}, {"n", 64}, {"k", 64}});
    entry.samples_s = {1e-3, 2e-3, 3e-3};
    entry.median_s = 2e-3;
    one.entries.push_back(entry);
    return one;
  }

  FakeRunner runner_;
  FakeCollector collector_;
};

TEST_F(CounterCampaign, AddsCountersAndLeavesTimesAlone) {
  Recording one = recording();
  const std::vector<double> samples_s = one.entries[0].samples_s;
  const CounterCampaignResult result =
      collect_counters(runner_, tasks({"K2", "K3"}), one, &collector_, {}, {});
  EXPECT_EQ(result.counted, 1U);
  EXPECT_TRUE(result.refusals.empty());
  EXPECT_EQ(result.not_known, std::vector<std::string>{"xx__gone.sum"});
  ASSERT_EQ(one.entries.size(), 1U);
  const Measurement& entry = one.entries[0];
  EXPECT_EQ(entry.samples_s, samples_s);
  EXPECT_EQ(entry.median_s, 2e-3);
  EXPECT_EQ(entry.kernel_durations_s, std::vector<double>(5, 1.5e-3));
  // What is no number is left out.
  EXPECT_EQ(entry.counters, (Counters{"cupti-range", "", {{"xx__one.sum", 7}}}));
  // K3 was not measured, so nothing was counted of it.
  EXPECT_EQ(runner_.observed, std::vector<std::string>{"K2"});
}

TEST_F(CounterCampaign, ARefusalIsRecordedAndGoesOn) {
  collector_.refuses = true;
  Recording one = recording();
  const CounterCampaignResult result =
      collect_counters(runner_, tasks({"K2"}), one, &collector_, {}, {});
  EXPECT_EQ(result.counted, 0U);
  ASSERT_EQ(result.refusals.size(), 1U);
  EXPECT_EQ(result.refusals[0].kind, RefusalKind::insufficient_privileges);
  ASSERT_TRUE(one.entries[0].counters);
  EXPECT_EQ(one.entries[0].counters->refused, result.refusals[0].paragraph());
  // Durations need no permission.
  EXPECT_FALSE(one.entries[0].kernel_durations_s.empty());
}

TEST_F(CounterCampaign, ARefusalOfDurationsLeavesCounters) {
  collector_.no_durations = true;
  Recording one = recording();
  const CounterCampaignResult result =
      collect_counters(runner_, tasks({"K2"}), one, &collector_, {}, {});
  EXPECT_EQ(result.counted, 1U);
  ASSERT_EQ(result.refusals.size(), 1U);
  EXPECT_EQ(result.refusals[0].kind, RefusalKind::other_profiler);
}

TEST_F(CounterCampaign, WithoutALibraryEveryEntrySaysWhy) {
  Recording one = recording();
  const Refusal missing = refusal_without_code(RefusalKind::no_library, "None.");
  const CounterCampaignResult result =
      collect_counters(runner_, tasks({"K2"}), one, nullptr, {missing}, {});
  EXPECT_EQ(result.refusals, std::vector<Refusal>{missing});
  EXPECT_EQ(one.entries[0].counters.value().refused, missing.paragraph());
  EXPECT_TRUE(runner_.observed.empty());
}

TEST_F(CounterCampaign, CountersOnlyMakesEntriesOfTheKernelsOwnTimes) {
  Recording one = recording();
  CounterCampaignOptions options;
  options.add_entries = true;
  options.traced_launches = 3;
  collect_counters(runner_, tasks({"K3"}), one, &collector_, {}, options);
  ASSERT_EQ(one.entries.size(), 2U);
  EXPECT_EQ(one.entries[1].kernel, "K3");
  EXPECT_EQ(one.entries[1].samples_s, std::vector<double>(3, 1.5e-3));
  EXPECT_EQ(one.entries[1].median_s, 1.5e-3);
  EXPECT_EQ(one.entries[1].verification.value().status, VerificationStatus::skipped);
}

TEST_F(CounterCampaign, CountersOnlyTakesTheTimeThatTheyTell) {
  collector_.values["gpu__time_duration.sum"] = 3e-3;
  Recording one = recording();
  CounterCampaignOptions options;
  options.add_entries = true;
  collect_counters(runner_, tasks({"K3"}), one, &collector_, {}, options);
  ASSERT_EQ(one.entries.size(), 2U);
  EXPECT_EQ(one.entries[1].median_s, 3e-3);
  EXPECT_TRUE(one.entries[1].kernel_durations_s.empty());
}

TEST_F(CounterCampaign, GoesOnWithWhatAnInterruptedRunLeft) {
  const testing::TemporaryFolder folder;
  CounterCampaignOptions options;
  options.file = folder.path() / "one.json";
  Recording one = recording();
  collect_counters(runner_, tasks({"K2"}), one, &collector_, {}, options);
  Recording again = read_recording(options.file);
  EXPECT_EQ(again.entries, one.entries);
  collect_counters(runner_, tasks({"K2"}), again, &collector_, {}, options);
  EXPECT_EQ(runner_.observed.size(), 1U);
}

TEST_F(CounterCampaign, NothingOfTheSetsOnTheChipIsSaid) {
  collector_.values.clear();
  Recording one = recording();
  collect_counters(runner_, tasks({"K2"}), one, &collector_, {}, {});
  EXPECT_EQ(one.entries[0].counters.value().refused,
            "none of the metrics asked for exists on this chip");
}

}  // namespace
}  // namespace perfmodel::profiling
