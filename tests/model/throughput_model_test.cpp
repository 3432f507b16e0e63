#include "model/throughput_model.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

ThroughputObservation observation(double bound_s, double latency_s, double seconds) {
  return {"one", {bound_s, latency_s}, seconds};
}

TEST(ThroughputModel, FindsTheShareThatObservationsWereMadeWith) {
  const std::vector<ThroughputObservation> references = {
      observation(4, 2, 4.5), observation(1, 8, 8.25), observation(10, 10, 12.5)};
  const ThroughputCoefficients found = calibrate_throughput(references, "h200");
  EXPECT_NEAR(found.exposed_share, 0.25, 1e-12);
  EXPECT_NEAR(found.std_error, 0, 1e-9);
  EXPECT_EQ(found.device, "h200");
  EXPECT_EQ(found.references.size(), 3U);
  for (const ThroughputObservation& one : references) {
    EXPECT_NEAR(predict_throughput(one.terms, found), one.seconds, 1e-9);
  }
}

TEST(ThroughputModel, ShareStaysBetweenPerfectOverlapAndNone) {
  const std::vector<ThroughputObservation> faster = {observation(4, 2, 3), observation(4, 3, 3)};
  EXPECT_EQ(calibrate_throughput(faster, "").exposed_share, 0);
  const std::vector<ThroughputObservation> slower = {observation(4, 2, 9), observation(4, 3, 20)};
  EXPECT_EQ(calibrate_throughput(slower, "").exposed_share, 1);
}

TEST(ThroughputModel, OneReferenceIsEnoughButTellsNoError) {
  const std::vector<ThroughputObservation> one = {observation(4, 2, 5)};
  const ThroughputCoefficients found = calibrate_throughput(one, "");
  EXPECT_NEAR(found.exposed_share, 0.5, 1e-12);
  EXPECT_EQ(found.std_error, 0);
}

TEST(ThroughputModel, NoReferenceIsAnError) {
  EXPECT_EQ(testing::error_of([] { (void)calibrate_throughput({}, ""); }),
            "the throughput model has no reference kernel to calibrate on");
}

TEST(ThroughputModel, IsNeverFasterThanEitherTerm) {
  ThroughputCoefficients none;
  EXPECT_EQ(predict_throughput({3, 5}, none), 5);
  EXPECT_EQ(predict_throughput({5, 3}, none), 5);
  none.exposed_share = 1;
  EXPECT_EQ(predict_throughput({5, 3}, none), 8);
}

}  // namespace
}  // namespace perfmodel
