#include "model/analysis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/spec/catalog.hpp"
#include "profiling/recording_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

class AnalyzeLadder : public ::testing::Test {
 protected:
  Analysis run(const AnalysisOptions& options = {}) {
    return analyze(
        device_, recording_,
        [&](const std::string& name) -> const KernelSpec& { return catalog_.kernel(name); },
        options);
  }

  std::string error_with_references(std::vector<std::string> references) {
    AnalysisOptions options;
    options.models = {"load-count"};
    options.references = std::move(references);
    return error_of([&] { run(options); });
  }

  static const KernelAnalysis& kernel(const Analysis& analysis, const std::string& name) {
    for (const KernelAnalysis& candidate : analysis.kernels) {
      if (candidate.name == name) {
        return candidate;
      }
    }
    throw std::out_of_range(name);
  }

  static std::vector<double> prices(const ModelAnalysis& model) {
    std::vector<double> cycles;
    for (const UnitCost& cost : model.costs->costs) {
      cycles.push_back(cost.cycles);
    }
    return cycles;
  }

  spec::Catalog catalog_{testing::source_specs()};
  Device device_ = catalog_.device("rtx4090");
  Recording recording_ = profiling::read_recording(catalog_.recording_files("rtx4090").front());
};

TEST_F(AnalyzeLadder, SolvesThePublishedPricesWithoutRounding) {
  const Analysis analysis = run();
  const std::vector<double> cycles = prices(analysis.models.front());
  EXPECT_NEAR(cycles[0], 2.67929, 5e-6);
  EXPECT_NEAR(cycles[1], 0.53781, 5e-6);
  EXPECT_NEAR(cycles[2], 1.93875, 5e-6);
}

TEST_F(AnalyzeLadder, SolvesThePublishedPricesWithRounding) {
  AnalysisOptions options;
  options.rounded_to_decimals = 2;
  const std::vector<double> cycles = prices(run(options).models.front());
  EXPECT_NEAR(cycles[0], 2.69, 0.005);
  EXPECT_NEAR(cycles[1], 0.53, 0.005);
  EXPECT_NEAR(cycles[2], 1.94, 0.005);
}

TEST_F(AnalyzeLadder, TellsReferencesFromHeldOutKernels) {
  const Analysis analysis = run();
  for (const KernelAnalysis& entry : analysis.kernels) {
    if (entry.predictions.empty()) {
      continue;
    }
    const bool reference = entry.name == "K2" || entry.name == "K3" || entry.name == "K4";
    EXPECT_EQ(entry.predictions.front().role, reference ? Role::reference : Role::held_out)
        << entry.name;
  }
  EXPECT_EQ(analysis.models.front().held_out->count, 4U);
}

TEST_F(AnalyzeLadder, SummarisesHeldOutKernelsOnly) {
  const AbsoluteSummary summary = run().models.front().held_out.value();
  // |-87.8|, 6.7, |-8.9|, |-73.0| %.
  EXPECT_NEAR(summary.mean, 0.441, 5e-4);
  EXPECT_NEAR(summary.median, 0.4096, 5e-4);
  EXPECT_NEAR(summary.max, 0.8782, 5e-4);
}

TEST_F(AnalyzeLadder, ClockScalesCyclesAndPeakTogether) {
  AnalysisOptions options;
  options.clock = "measured";
  const KernelAnalysis reported = kernel(run(), "K6");
  const KernelAnalysis measured = kernel(run(options), "K6");
  EXPECT_NEAR(measured.cycles_per_warp_fma / reported.cycles_per_warp_fma, 2.64 / 2.52, 1e-12);
  EXPECT_NEAR(reported.share_of_peak / measured.share_of_peak, 2.64 / 2.52, 1e-12);
  // What does not depend on the clock stays.
  EXPECT_DOUBLE_EQ(measured.flop_per_s, reported.flop_per_s);
  EXPECT_DOUBLE_EQ(*measured.share_of_library, *reported.share_of_library);
  EXPECT_NEAR(measured.predictions.front().error, reported.predictions.front().error, 1e-12);
}

TEST_F(AnalyzeLadder, RanksWithinAShape) {
  const Analysis analysis = run();
  EXPECT_EQ(kernel(analysis, "K0").rank, 1U);
  EXPECT_EQ(kernel(analysis, "K6").rank, 2U);
  EXPECT_EQ(kernel(analysis, "K1").rank, 8U);
  EXPECT_NEAR(*kernel(analysis, "K6").share_of_library, 0.715, 5e-4);
}

TEST_F(AnalyzeLadder, ShowsTheShapeOfTheCalibrationAndNamesTheOthers) {
  const Analysis analysis = run();
  EXPECT_EQ(analysis.kernels.size(), 8U);
  EXPECT_EQ(analysis.other_shapes.size(), 3U);
}

TEST_F(AnalyzeLadder, AnotherShapeIsPredictedFromTheCalibrationShape) {
  AnalysisOptions options;
  options.shape = "4097x4097x4097";
  const Analysis analysis = run(options);
  ASSERT_EQ(analysis.kernels.size(), 1U);
  EXPECT_EQ(analysis.kernels.front().predictions.front().role, Role::held_out);
  EXPECT_EQ(analysis.models.front().costs->references.front().shape.to_string(), "4096x4096x4096");
}

TEST_F(AnalyzeLadder, AllShapes) {
  AnalysisOptions options;
  options.shape = "all";
  EXPECT_EQ(run(options).kernels.size(), 11U);
}

TEST_F(AnalyzeLadder, RefusesAShapeThatWasNotMeasured) {
  AnalysisOptions options;
  options.shape = "64x64x64";
  EXPECT_EQ(error_of([&] { run(options); }),
            "recording ladder has no measurement at shape 64x64x64; there are 4096x4096x4096, "
            "4097x4097x4097, 1x18944x3584, 32x18944x3584");
}

TEST_F(AnalyzeLadder, FiveReferencesAreLeastSquares) {
  AnalysisOptions options;
  options.models = {"load-count"};
  options.references = {"K2", "K3", "K3c", "K4", "K5"};
  const Analysis analysis = run(options);
  const CostTable& table = *analysis.models.front().costs;
  EXPECT_TRUE(table.costs.front().std_error);
  EXPECT_EQ(table.references.size(), 5U);
  EXPECT_EQ(analysis.models.front().held_out->count, 2U);
}

TEST_F(AnalyzeLadder, RefusesBadReferences) {
  EXPECT_EQ(error_with_references({"K2", "K3"}),
            "2 references (K2, K3) cannot determine 3 prices (dist, bcast, ldg); give at least 3");
  EXPECT_EQ(error_with_references({"K2", "K3", "K2"}),
            "reference K2 is given twice; each may stand once");
  EXPECT_EQ(error_with_references({"K2", "K3", "K9"}),
            "reference 'K9' has no measurement with a source ledger in recording ladder (did you "
            "mean 'K1'?); there are K1, K2, K3, K3c, K4, K5, K6");
  EXPECT_EQ(error_with_references({"K0", "K3", "K4"}),
            "reference 'K0' has no measurement with a source ledger in recording ladder (did you "
            "mean 'K1'?); there are K1, K2, K3, K3c, K4, K5, K6");
  EXPECT_EQ(error_with_references({"K1", "K2", "K3"}),
            "references K1, K2, K3 cannot tell dist and bcast apart: their columns are collinear "
            "(condition number inf, at most 1e+04 allowed); choose references in which they vary "
            "independently");
}

TEST_F(AnalyzeLadder, ReportsTheModelThatTheReferencesCannotPrice) {
  AnalysisOptions options;
  options.references = {"K2", "K3", "K4"};
  const Analysis analysis = run(options);
  EXPECT_TRUE(analysis.models[0].costs);
  EXPECT_FALSE(analysis.models[1].costs);
  EXPECT_EQ(analysis.models[1].why_not_calibrated,
            "3 references (K2, K3, K4) cannot determine 4 prices (dist, bcast, ldg, uncoalesced); "
            "give at least 4");
  options.models = {"request"};
  EXPECT_EQ(error_of([&] { run(options); }), analysis.models[1].why_not_calibrated);
}

TEST_F(AnalyzeLadder, RefusesARecordingOfAnotherDevice) {
  device_ = catalog_.device("h200");
  EXPECT_EQ(error_of([&] { run(); }), "recording ladder was made on rtx4090, not on h200");
}

TEST_F(AnalyzeLadder, UsesGivenPricesAndWarnsWhereTheyComeFromElsewhere) {
  AnalysisOptions options;
  options.costs = {*run().models.front().costs};
  EXPECT_TRUE(run(options).warnings.empty());
  EXPECT_EQ(kernel(run(options), "K2").predictions.front().role, Role::reference);

  options.costs.front().basis.device = "h200";
  options.clock = "measured";
  const Analysis analysis = run(options);
  EXPECT_EQ(kernel(analysis, "K2").predictions.front().role, Role::held_out);
  EXPECT_EQ(analysis.warnings,
            (std::vector<std::string>{
                "model load-count: its prices were calibrated on h200, not rtx4090",
                "model load-count: its prices were calibrated at 2.52 GHz (device-reported), not "
                "2.64 GHz"}));
}

TEST_F(AnalyzeLadder, WarnsAboutANegativePrice) {
  AnalysisOptions options;
  options.models = {"load-count"};
  options.references = {"K3", "K4", "K6"};
  const Analysis analysis = run(options);
  ASSERT_EQ(analysis.warnings.size(), 1U);
  EXPECT_NE(analysis.warnings.front().find("is negative"), std::string::npos)
      << analysis.warnings.front();
}

TEST_F(AnalyzeLadder, KernelWithoutSourceHasATimeButNoLedger) {
  const KernelAnalysis library = kernel(run(), "K0");
  EXPECT_FALSE(library.ledger);
  EXPECT_FALSE(library.roofline);
  EXPECT_TRUE(library.predictions.empty());
  EXPECT_NEAR(library.flop_per_s, 57242.4e9, 0.1e9);
}

TEST(Roofline, FlagsButNeverClampsMoreThanTheRoof) {
  const Roofline above = evaluate_roofline(0.25, 1000e9, 500e9);
  EXPECT_DOUBLE_EQ(above.attainment, 2.0);
  EXPECT_EQ(above.flag, AttainmentFlag::above_roof);
  EXPECT_EQ(evaluate_roofline(0.25, 1000e9, 250e9).flag, AttainmentFlag::none);
}

TEST(CyclesPerWarpFma, AtThePeakIsTheFloor) {
  // 128 SMs of 128 FMA per clock do 16384 FMAs in one cycle of 1 GHz.
  EXPECT_DOUBLE_EQ(cycles_per_warp_fma(1e-9, 16384, 128, 1e9), 0.25);
}

}  // namespace
}  // namespace perfmodel
