#include "profiling/campaign.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/catalog.hpp"
#include "profiling/recording_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

/// Answers without a device; what it does with a kernel is decided by the kernel's name.
class FakeRunner final : public Runner {
 public:
  [[nodiscard]] kernels::DeviceLimits limits() const override { return {}; }

  RunOutcome run(const kernels::Kernel& kernel, const std::shared_ptr<kernels::Problem>& problem,
                 const RunOptions& options) override {
    ran.emplace_back(kernel.name);
    if (kernel.name == broken) {
      throw std::runtime_error("the machine went away");
    }
    RunOutcome outcome;
    outcome.measurement.kernel = kernel.name;
    outcome.measurement.shape = kernels::recorded_shape(kernel, problem->shape());
    outcome.verification =
        Verification{VerificationStatus::passed, "fake", 1, std::nullopt, std::nullopt};
    outcome.measurement.verification = outcome.verification;
    if (!options.check_only) {
      outcome.measurement.samples_s = {1e-3, 2e-3, 3e-3};
      outcome.measurement.median_s = 2e-3;
      outcome.measurement.noisy = kernel.name == "K4";
      outcome.measurement.clocks.emplace();
      outcome.measurement.clocks->readings = 1;
      outcome.measurement.clocks->sm_clock_hz = 1.5e9;
      outcome.measurement.counters =
          kernel.name == "K2" ? Counters{"fake", "no permission", {}}
                              : Counters{"fake", "", {{"smsp__inst_executed.sum", 262144.0}}};
    }
    if (kernel.name == "K3") {
      outcome.status = RunOutcome::Status::wrong;
      outcome.verification->status = VerificationStatus::failed;
      outcome.reason = "element (0, 0) is wrong";
    }
    if (kernel.name == "K6") {
      outcome.status = RunOutcome::Status::skipped;
      outcome.reason = "n must be a multiple of 4";
    }
    return outcome;
  }
  void observe(const kernels::Kernel& /*kernel*/,
               const std::shared_ptr<kernels::Problem>& /*problem*/, CacheMode /*cache_mode*/,
               const std::function<void(const ObservedLaunch&)>& /*observer*/) override {
    ADD_FAILURE() << "a campaign takes no counters";
  }

  std::vector<std::string> ran;
  std::string broken;
};

class Campaign : public ::testing::Test {
 protected:
  static std::vector<ProblemTasks> tasks(const std::vector<const char*>& names) {
    ProblemTasks task;
    for (const char* name : names) {
      task.kernels.push_back(&kernels::find_kernel(name));
    }
    task.problem =
        kernels::make_problem(*task.kernels.front(), Shape({{"m", 4}, {"n", 5}, {"k", 6}}));
    task.label = "4x5x6";
    return {task};
  }

  static Recording planned() {
    Recording recording;
    recording.name = "run";
    recording.device = "gpu";
    recording.source = "fake";
    recording.device_attributes.emplace();
    recording.device_attributes->name = "Fake GPU";
    recording.device_attributes->clock_rate_hz = 1e9;
    recording.environment.emplace();
    recording.settings.emplace();
    return recording;
  }

  testing::TemporaryFolder folder_;
  FakeRunner runner_;
  CampaignOptions options_{{MeasureSettings{}, false}, folder_.path() / "run.json", nullptr};
};

TEST_F(Campaign, WritesWhatWasMeasured) {
  run_campaign(runner_, tasks({"K1", "K2"}), planned(), options_);
  const Recording read = read_recording(options_.file);
  EXPECT_TRUE(read.complete);
  ASSERT_EQ(read.entries.size(), 2U);
  EXPECT_EQ(read.entries[0].samples_s.size(), 3U);
  EXPECT_EQ(read.clock_basis, "measured");
  EXPECT_EQ(read.clock_hz, 1.5e9);
}

TEST_F(Campaign, AnInterruptedRunLeavesAPartialRecordingThatCanBeContinued) {
  runner_.broken = "K4";
  EXPECT_THROW(run_campaign(runner_, tasks({"K1", "K2", "K4"}), planned(), options_),
               std::runtime_error);
  const Recording partial = read_recording(options_.file);
  EXPECT_FALSE(partial.complete);
  EXPECT_EQ(partial.entries.size(), 2U);
  EXPECT_EQ(quality_warnings(partial).front(), "recording run is partial: its run was interrupted");

  FakeRunner again;
  const CampaignResult result = run_campaign(again, tasks({"K1", "K2", "K4"}), planned(), options_);
  EXPECT_EQ(again.ran, (std::vector<std::string>{"K4"}));
  EXPECT_EQ(result.resumed, 2U);
  const Recording whole = read_recording(options_.file);
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.entries.size(), 3U);
  // What the first half counted, or why it did not, is still there.
  EXPECT_EQ(whole.entries.at(0).counters, partial.entries.at(0).counters);
  EXPECT_EQ(whole.entries.at(0).counters->values.at("smsp__inst_executed.sum"), 262144.0);
  EXPECT_EQ(whole.entries.at(1).counters->refused, "no permission");
  EXPECT_EQ(whole.entries.at(2).counters->values.size(), 1U);
}

TEST_F(Campaign, AnotherDeviceCannotContinueIt) {
  runner_.broken = "K2";
  EXPECT_THROW(run_campaign(runner_, tasks({"K1", "K2"}), planned(), options_), std::runtime_error);
  Recording other = planned();
  other.device = "another";
  FakeRunner again;
  EXPECT_EQ(testing::error_of([&] { run_campaign(again, tasks({"K1", "K2"}), other, options_); }),
            "recording run cannot be continued: its device is 'gpu', now it is 'another'; measure "
            "into a new file, or delete the old one");
}

TEST_F(Campaign, AWrongResultHasNoTime) {
  const CampaignResult result = run_campaign(runner_, tasks({"K2", "K3"}), planned(), options_);
  ASSERT_EQ(result.wrong.size(), 1U);
  EXPECT_EQ(result.wrong[0].kernel, "K3");
  EXPECT_EQ(result.recording.entries.size(), 1U);
  ASSERT_EQ(result.recording.skipped.size(), 1U);
  EXPECT_EQ(result.recording.skipped[0].verification->status, VerificationStatus::failed);
  // It also comes back from the file.
  EXPECT_EQ(read_recording(options_.file).skipped, result.recording.skipped);
}

TEST_F(Campaign, ASkippedKernelKeepsItsReason) {
  const CampaignResult result = run_campaign(runner_, tasks({"K6"}), planned(), options_);
  EXPECT_TRUE(result.wrong.empty());
  EXPECT_EQ(result.recording.skipped.at(0).reason, "n must be a multiple of 4");
}

TEST_F(Campaign, NoiseIsWarnedAbout) {
  const CampaignResult result = run_campaign(runner_, tasks({"K2", "K4"}), planned(), options_);
  EXPECT_EQ(quality_warnings(result.recording),
            (std::vector<std::string>{"K4 at 4x5x6 is noisy: the noise limit was not reached in "
                                      "the time allowed"}));
}

TEST_F(Campaign, CheckOnlyWritesNothing) {
  options_.run.check_only = true;
  const CampaignResult result = run_campaign(runner_, tasks({"K1", "K2"}), planned(), options_);
  EXPECT_EQ(result.checked, 2U);
  EXPECT_TRUE(result.recording.entries.empty());
  EXPECT_FALSE(std::filesystem::exists(options_.file));
}

TEST_F(Campaign, TellsItsProgress) {
  std::vector<std::string> labels;
  options_.progress = [&](std::size_t done, std::size_t total, const std::string& label) {
    labels.push_back(std::to_string(done) + "/" + std::to_string(total) + " " + label);
  };
  run_campaign(runner_, tasks({"K1", "K2"}), planned(), options_);
  EXPECT_EQ(labels, (std::vector<std::string>{"0/2 K1 at 4x5x6", "1/2 K2 at 4x5x6"}));
}

}  // namespace
}  // namespace perfmodel::profiling
