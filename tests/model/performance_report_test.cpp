#include "model/performance_report.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "model/time_split.hpp"
#include "tests/support/machine_ledgers.hpp"

namespace perfmodel {
namespace {

std::array<double, stall_count> cycles(Stall reason, double count) {
  std::array<double, stall_count> all{};
  all[static_cast<std::size_t>(reason)] = count;
  return all;
}

LaunchAudit audit_taking(double seconds) {
  LaunchAudit audit;
  audit.predictions = {{"combined", seconds, 0.9 * seconds, 1.1 * seconds}};
  audit.launch_s = 0.1 * seconds;
  audit.timeline.sm.stalls = {cycles(Stall::long_scoreboard, 60), cycles(Stall::selected, 20),
                              cycles(Stall::lg_throttle, 20)};
  return audit;
}

TEST(TimeSplit, AddsUpToOne) {
  const std::vector<LimitShare> split = time_split(audit_taking(1e-3));
  const double sum =
      std::accumulate(split.begin(), split.end(), 0.0,
                      [](double before, const LimitShare& part) { return before + part.share; });
  EXPECT_DOUBLE_EQ(sum, 1);
  EXPECT_EQ(split[0].resource, "launching");
  EXPECT_DOUBLE_EQ(split[0].share, 0.1);
  EXPECT_EQ(split[1].resource, "issuing");
  EXPECT_DOUBLE_EQ(split[1].share, 0.9 * 0.2);
  EXPECT_EQ(split[6].resource, "global memory");
  EXPECT_DOUBLE_EQ(split[6].share, 0.9 * 0.8);
}

TEST(HotLoop, IsTheInnermostLoopWithMostCycles) {
  sass::MachineLedger ledger = testing::small_k3();
  ledger.loops = {{0, 96, 32, 32}, {16, 48, 32, 320}, {64, 80, 32, 32}};
  SmTimelineResult sm;
  sm.stalls.resize(ledger.lines.size());
  sm.stalls[0] = cycles(Stall::long_scoreboard, 100);  // in the outer loop only
  sm.stalls[2] = cycles(Stall::short_scoreboard, 50);
  sm.stalls[3] = cycles(Stall::selected, 30);
  sm.stalls[4] = cycles(Stall::wait, 20);
  const std::optional<HotLoop> hot = hottest_loop(ledger, sm);
  ASSERT_TRUE(hot);
  EXPECT_TRUE(hot->is_loop);
  EXPECT_DOUBLE_EQ(hot->trip_count, 10);
  EXPECT_DOUBLE_EQ(hot->share, 0.4);
  ASSERT_EQ(hot->lines.size(), 3U);
  EXPECT_EQ(hot->lines[1].address, 32U);
  EXPECT_DOUBLE_EQ(hot->lines[1].share, 0.25);
  ASSERT_EQ(hot->lines[1].stalls.size(), 1U);
  EXPECT_EQ(hot->lines[1].stalls[0].reason, Stall::short_scoreboard);
}

TEST(HotLoop, IsTheWholeKernelWithoutLoops) {
  sass::MachineLedger ledger = testing::small_k3();
  ledger.loops.clear();
  SmTimelineResult sm;
  EXPECT_FALSE(hottest_loop(ledger, sm));
  sm.stalls.resize(ledger.lines.size(), cycles(Stall::wait, 1));
  const std::optional<HotLoop> hot = hottest_loop(ledger, sm);
  ASSERT_TRUE(hot);
  EXPECT_FALSE(hot->is_loop);
  EXPECT_EQ(hot->lines.size(), ledger.lines.size());
  EXPECT_DOUBLE_EQ(hot->share, 1);
}

KernelAnalysis kernel_named(const std::string& name, double seconds, int distinct_reads) {
  KernelAnalysis kernel;
  kernel.name = name;
  kernel.family = "sgemm";
  kernel.shape = Shape({{"m", 8}, {"n", 8}, {"k", 8}});
  kernel.median_s = seconds;
  kernel.ledger = SourceLedger{};
  kernel.ledger->dist = distinct_reads;
  kernel.ledger->ldg = 2;
  return kernel;
}

TEST(Ladder, AStepListsWhatChangedAndWhatItBought) {
  const KernelAnalysis first = kernel_named("A", 8e-3, 4);
  KernelAnalysis library = kernel_named("L", 1e-3, 1);
  library.ledger.reset();
  const KernelAnalysis second = kernel_named("B", 2e-3, 1);
  KernelAnalysis elsewhere = kernel_named("C", 1e-3, 1);
  elsewhere.shape = Shape({{"m", 9}, {"n", 9}, {"k", 9}});
  const LaunchAudit audit = audit_taking(6e-3);
  const std::vector<LadderRung> rungs = {
      {&first, &audit}, {&library, nullptr}, {&elsewhere, nullptr}, {&second, nullptr}};
  const std::vector<LadderStep> steps = ladder_steps(rungs);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].from, "A");
  EXPECT_EQ(steps[0].to, "B");
  EXPECT_DOUBLE_EQ(steps[0].speedup(), 4);
  EXPECT_FALSE(steps[0].predicted_speedup());
  ASSERT_EQ(steps[0].changes.size(), 1U);
  EXPECT_EQ(steps[0].changes[0].entry, "distinct shared reads per FMA");
  EXPECT_DOUBLE_EQ(steps[0].changes[0].before, 4);
  EXPECT_DOUBLE_EQ(steps[0].changes[0].after, 1);
}

TEST(PerformanceReport, KernelsOfTheCalibrationAreReferences) {
  PerformanceReport report;
  report.device.name = "h200";
  KernelFigures kernel;
  kernel.name = "K3";
  kernel.shape = "8x8x8";
  kernel.audit = audit_taking(1e-3);
  report.kernels = {kernel, kernel};
  report.kernels[1].name = "K5";
  ThroughputCoefficients coefficients;
  coefficients.device = "h200";
  coefficients.references = {"K3 at 8x8x8"};
  complete(report, coefficients);
  EXPECT_EQ(report.kernels[0].role, Role::reference);
  EXPECT_EQ(report.kernels[1].role, Role::held_out);
  coefficients.device = "rtx4090";
  complete(report, coefficients);
  EXPECT_EQ(report.kernels[0].role, Role::held_out);
}

TEST(PerformanceReport, AForeignKernelHasItsTimeAlone) {
  Measurement entry;
  entry.foreign = ForeignKernel{"copy", std::nullopt, std::nullopt, {{"Elements", "16"}}};
  entry.median_s = 2e-3;
  const KernelFigures figures = foreign_figures(entry);
  EXPECT_EQ(figures.name, entry.label());
  EXPECT_EQ(figures.measured_s(), 2e-3);
  EXPECT_FALSE(figures.audit);
}

TEST(LaunchAudit, ErrorAndIntervalAgainstTheMeasuredTime) {
  LaunchAudit audit = audit_taking(1e-3);
  EXPECT_FALSE(audit.prediction_error());
  audit.measured_s = 1.05e-3;
  EXPECT_NEAR(*audit.prediction_error(), -0.0476, 1e-4);
  EXPECT_TRUE(audit.is_inside());
  audit.measured_s = 2e-3;
  EXPECT_FALSE(audit.is_inside());
}

}  // namespace
}  // namespace perfmodel
