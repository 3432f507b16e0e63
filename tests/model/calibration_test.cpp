#include "model/calibration.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

Observation observation(const std::string& kernel, Rational dist, Rational bcast, Rational ldg,
                        double cycles) {
  Observation result;
  result.kernel = kernel;
  result.shape = Shape({{"m", 1}});
  result.ledger.dist = std::move(dist);
  result.ledger.bcast = std::move(bcast);
  result.ledger.ldg = std::move(ldg);
  result.cycles_per_warp_fma = cycles;
  return result;
}

// Prices 2, 1/2 and 3 made these cycles.
const std::vector<Observation> exact = {observation("A", 0, 0, 2, 6.0),
                                        observation("B", 1, 1, 0, 2.5),
                                        observation("C", {1, 2}, 1, 1, 4.5)};

TEST(Calibrate, RecoversThePricesThatMadeTheData) {
  const CostTable table = calibrate(load_count_model(), exact, {});
  ASSERT_EQ(table.costs.size(), 3U);
  EXPECT_EQ(table.costs[0].name, "dist");
  EXPECT_NEAR(table.costs[0].cycles, 2.0, 1e-12);
  EXPECT_NEAR(table.costs[1].cycles, 0.5, 1e-12);
  EXPECT_NEAR(table.costs[2].cycles, 3.0, 1e-12);
  EXPECT_EQ(table.costs[0].std_error, std::nullopt);
}

TEST(Calibrate, MoreReferencesGiveErrorsAndResiduals) {
  std::vector<Observation> references = exact;
  references.push_back(observation("D", 2, 0, 0, 4.4));
  const CostTable table = calibrate(load_count_model(), references, {});
  EXPECT_TRUE(table.costs[0].std_error);
  EXPECT_GT(*table.costs[0].std_error, 0.0);
  ASSERT_TRUE(table.references[3].leave_one_out_error);
  // The other three price dist at 2 exactly, so D is predicted at 4.0.
  EXPECT_NEAR(*table.references[3].leave_one_out_error, 4.0 / 4.4 - 1.0, 1e-12);
}

TEST(Calibrate, PredictsBySharesOfTheTable) {
  const CostTable table = calibrate(load_count_model(), exact, {});
  const auto shares = predict(table, observation("X", 1, 4, {1, 3}, 0.0).ledger);
  EXPECT_NEAR(shares[0].cycles, 2.0, 1e-12);
  EXPECT_NEAR(shares[1].cycles, 2.0, 1e-12);
  EXPECT_NEAR(shares[2].cycles, 1.0, 1e-12);
}

TEST(Calibrate, RefusesAReferenceTwice) {
  std::vector<Observation> references = exact;
  references.push_back(exact[0]);
  EXPECT_EQ(error_of([&] { calibrate(load_count_model(), references, {}); }),
            "reference A is given twice; each may stand once");
}

TEST(CostModels, RequestModelPricesWhatCoalescingWouldSave) {
  SourceLedger ledger;
  ledger.requests_per_fma = 33;
  ledger.coalesced_requests_per_fma = 2;
  const CostModel& model = find_cost_model("request");
  EXPECT_EQ(model.columns.back().name, "uncoalesced");
  EXPECT_EQ(model.columns.back().count(ledger), 31);
}

TEST(CostModels, SuggestTheNearestName) {
  EXPECT_EQ(error_of([] { find_cost_model("load-cout"); }),
            "there is no model 'load-cout' (did you mean 'load-count'?); there are load-count, "
            "request");
}

}  // namespace
}  // namespace perfmodel
