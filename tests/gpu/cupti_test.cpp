#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/ledger_audit.hpp"
#include "model/sass/load.hpp"
#include "model/statistics.hpp"
#include "profiling/counters/counters.hpp"
#include "profiling/counters/refusal.hpp"
#include "profiling/device_query.hpp"
#include "profiling/runner.hpp"

namespace perfmodel::gpu_tests {
namespace {

using profiling::CounterCollector;
using profiling::ObservedLaunch;
using profiling::ReplayMode;

class CuptiOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const profiling::Answer<profiling::LiveDevices> live = profiling::query_devices();
    if (!live) {
      GTEST_SKIP() << "skipped: no device (" << live.absence().why << ")";
    }
    device_ = live->devices.front();
    runner_ = profiling::open_runner(device_, profiling::Nvml::open());
    problem_ = kernels::make_problem(kernel_, Shape({{"m", 1024}, {"n", 1024}, {"k", 1024}}));
  }

  static std::vector<MetricChoice> audited_metrics() {
    std::vector<MetricChoice> metrics;
    for (const sass::AuditedCount& count : sass::audited_counts()) {
      metrics.push_back({count.metric, "", ""});
    }
    return metrics;
  }

  /// Counters of the kernel; the test is skipped where they are refused.
  std::map<std::string, double, std::less<>> collect(ReplayMode mode) {
    std::map<std::string, double, std::less<>> values;
    const auto collector = profiling::open_collector(device_.ordinal, audited_metrics(), mode);
    runner_->observe(kernel_, problem_, CacheMode::cold,
                     [&](const ObservedLaunch& launch) { values = collector->collect(launch); });
    return values;
  }

  sass::MachineLedger ledger() {
    sass::LoadOptions options;
    std::string capability = device_.attributes.compute_capability.value_or("");
    std::erase(capability, '.');
    options.arch = "sm_" + capability;
    options.kernel = kernels::machine_function(kernel_, problem_->shape());
    modules_ = sass::load_modules(std::filesystem::read_symlink("/proc/self/exe"), options);
    return sass::count_launch(
        modules_.front(), sass::find_function(modules_.front(), *options.kernel),
        kernels::machine_launches(kernel_, *problem_, kernels::Contents::indices).front());
  }

  const kernels::Kernel& kernel_ = kernels::find_kernel("K3");
  profiling::LiveDevice device_;
  std::unique_ptr<profiling::Runner> runner_;
  std::shared_ptr<kernels::Problem> problem_;
  std::vector<sass::Module> modules_;
};

TEST_F(CuptiOnDevice, CountersAgreeWithTheLedger) {
  try {
    const auto values = collect(ReplayMode::user);
    const auto figures = sass::audit_ledger(ledger().totals, nullptr, values);
    std::size_t judged = 0;
    for (const sass::AuditFigure& figure : figures) {
      judged += figure.passed() ? 1U : 0U;
      EXPECT_TRUE(figure.passed().value_or(true))
          << figure.name << ": " << figure.counted << " against " << figure.measured.value_or(-1);
    }
    EXPECT_GE(judged, 10U);
  } catch (const profiling::CounterRefused& refused) {
    GTEST_SKIP() << "skipped: " << refused.what();
  }
}

TEST_F(CuptiOnDevice, BothReplayModesCountTheSame) {
  try {
    const auto user = collect(ReplayMode::user);
    const auto kernel = collect(ReplayMode::kernel);
    for (const char* metric :
         {"smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}) {
      EXPECT_EQ(user.at(metric), kernel.at(metric)) << metric;
    }
  } catch (const profiling::CounterRefused& refused) {
    GTEST_SKIP() << "skipped: " << refused.what();
  }
}

TEST_F(CuptiOnDevice, KernelDurationsAreBelowEventTimes) {
  const auto collector =
      profiling::open_collector(device_.ordinal, audited_metrics(), ReplayMode::user);
  std::vector<double> durations_s;
  runner_->observe(kernel_, problem_, CacheMode::cold, [&](const ObservedLaunch& launch) {
    durations_s = collector->kernel_durations_s(launch, 7);
  });
  profiling::RunOptions options;
  options.settings.min_time_s = 0.05;
  const profiling::RunOutcome timed = runner_->run(kernel_, problem_, options);
  ASSERT_EQ(timed.status, profiling::RunOutcome::Status::measured) << timed.reason;
  const double kernel_s = median(durations_s).value();
  EXPECT_GT(kernel_s, 0.5 * timed.measurement.median_s);
  EXPECT_LT(kernel_s, 1.1 * timed.measurement.median_s);
}

/// CUPTI takes one configuration in the life of a process, so this is the only test of it.
TEST_F(CuptiOnDevice, InstructionsAreCountedOneByOne) {
  try {
    const std::vector<std::string> metrics = {
        "smsp__sass_inst_executed", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
        "smsp__sass_sectors_mem_global", "smsp__sass_no_such"};
    const auto collector = profiling::open_instruction_collector(device_.ordinal, metrics);
    EXPECT_EQ(collector->not_known(), std::vector<std::string>{"smsp__sass_no_such"});
    std::vector<profiling::InstructionSample> samples;
    runner_->observe(kernel_, problem_, CacheMode::cold,
                     [&](const ObservedLaunch& launch) { samples = collector->count(launch); });
    const sass::MachineLedger counted = ledger();
    std::size_t compared = 0;
    for (const sass::LedgerLine& line : counted.lines) {
      const auto sample = std::ranges::find_if(samples, [&](const auto& one) {
        return one.address == line.address && one.function == counted.kernel;
      });
      if (sample == samples.end()) {
        EXPECT_EQ(line.counts.executions, 0) << line.text;
        continue;
      }
      ++compared;
      EXPECT_EQ(sample->values.at(metrics[0]), line.counts.executions) << line.text;
      if (line.space == sass::MemorySpace::shared) {
        EXPECT_NEAR(sample->values.at(metrics[1]), line.counts.wavefronts,
                    sass::wavefront_tolerance * line.counts.wavefronts)
            << line.text;
      }
      if (line.space == sass::MemorySpace::global) {
        EXPECT_EQ(sample->values.at(metrics[2]), line.counts.sectors) << line.text;
      }
    }
    EXPECT_GT(compared, 50U);
  } catch (const profiling::CounterRefused& refused) {
    GTEST_SKIP() << "skipped: " << refused.what();
  }
}

}  // namespace
}  // namespace perfmodel::gpu_tests
