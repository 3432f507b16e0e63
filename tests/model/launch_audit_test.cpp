#include "model/launch_audit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/launch_reader.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

constexpr double clock_hz = 1.98e9;

/// An audit of a launch of tests/applications on an H200, by published figures.
LaunchAudit audit_of(const std::string& name, AuditOptions options = {}) {
  const std::filesystem::path folder = PERFMODEL_APPLICATIONS;
  const spec::LaunchDescription description =
      spec::read_launch(folder / "launches" / (name + ".yaml"));
  sass::LoadOptions load;
  load.kernel = description.kernel;
  const std::vector<sass::Module> modules = sass::load_modules(folder / "sm_90.json.gz", load);
  const sass::Function& function = sass::find_function(modules.at(0), description.kernel);
  const Device device = spec::Catalog(testing::source_specs()).device("h200");
  options.emulation.find_defects = false;
  options.work_budget = 200'000;
  const LaunchProfile profile =
      profile_launch(modules.at(0), function, description.launch, device, options.emulation);
  return audit_launch(profile, device, nullptr, {}, clock_hz, options);
}

TEST(LaunchAudit, AStreamIsBoundByDram) {
  const LaunchAudit audit = audit_of("saxpy-large");
  EXPECT_EQ(audit.verdict.limit_class, LimitClass::bandwidth_bound) << audit.verdict.reason;
  EXPECT_EQ(audit.verdict.limiting.resource, "DRAM");
  EXPECT_TRUE(
      std::ranges::is_sorted(audit.bounds, std::ranges::greater(), &ResourceBound::seconds));
  EXPECT_GE(audit.traffic.dram_load_bytes, 2 * 200'000'012.0 * 0.99);
  for (const TimePrediction& prediction : audit.predictions) {
    EXPECT_LE(prediction.low_s, prediction.seconds);
    EXPECT_GE(prediction.high_s, prediction.seconds);
    EXPECT_GE(prediction.low_s, audit.bounds.front().seconds);
  }
}

TEST(LaunchAudit, HashingIsBoundByTheAlu) {
  const LaunchAudit audit = audit_of("hash_rounds");
  EXPECT_EQ(audit.verdict.limit_class, LimitClass::instruction_bound) << audit.verdict.reason;
  EXPECT_EQ(audit.verdict.limiting.resource, "ALU");
}

TEST(LaunchAudit, AChainIsBoundByLatency) {
  const LaunchAudit audit = audit_of("fma_chain");
  EXPECT_EQ(audit.verdict.limit_class, LimitClass::latency_bound) << audit.verdict.reason;
  EXPECT_EQ(audit.verdict.limiting.resource, "dependences");
}

TEST(LaunchAudit, ManySmallBlocksAreBoundByTheirLaunch) {
  const LaunchAudit audit = audit_of("stencil_1d3");
  EXPECT_EQ(audit.verdict.limit_class, LimitClass::launch_bound) << audit.verdict.reason;
}

TEST(LaunchAudit, ATimeBelowABoundIsAnotherLaunchs) {
  AuditOptions options;
  options.measured_s = 1e-5;
  const LaunchAudit audit = audit_of("hash_rounds", options);
  EXPECT_EQ(audit.verdict.limit_class, LimitClass::inconclusive);
  ASSERT_EQ(audit.warnings.size(), 1U);
  EXPECT_NE(audit.warnings[0].find("are less than the"), std::string::npos) << audit.warnings[0];
}

TEST(LaunchAudit, CountersMapToUnits) {
  Counters counters;
  counters.values = {{"dram__throughput.avg.pct_of_peak_sustained_elapsed", 30},
                     {"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed", 90},
                     {"smsp__inst_executed.sum", 1e6}};
  const MeasuredUnits units = measured_units(counters);
  ASSERT_EQ(units.utilisation.size(), 2U);
  EXPECT_EQ(units.utilisation[0].resource, "ALU");
  EXPECT_DOUBLE_EQ(units.utilisation[0].share, 0.9);
  EXPECT_EQ(units.utilisation[1].resource, "DRAM");
  EXPECT_TRUE(measured_units({}).utilisation.empty());
}

TEST(LaunchAudit, ClassesOfResources) {
  EXPECT_EQ(class_of_resource("DRAM"), LimitClass::bandwidth_bound);
  EXPECT_EQ(class_of_resource("L2"), LimitClass::bandwidth_bound);
  EXPECT_EQ(class_of_resource("LSU data pipe"), LimitClass::instruction_bound);
  EXPECT_EQ(to_string(LimitClass::tail_bound), "tail-bound");
}

}  // namespace
}  // namespace perfmodel
