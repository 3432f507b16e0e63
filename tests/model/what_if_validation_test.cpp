#include "model/what_if_validation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace perfmodel {
namespace {

ValidationCase one(const std::string& label, double measured_s, double predicted_s,
                   Role role = Role::held_out) {
  ValidationCase result;
  result.group = "ladder";
  result.label = label;
  result.model = "combined";
  result.role = role;
  result.measured_s = measured_s;
  result.predicted_s = predicted_s;
  return result;
}

TEST(RatioErrors, OfPairsThatShareKernelOrShape) {
  const std::vector<ValidationCase> cases = {one("K1 at 8", 2, 2), one("K2 at 8", 1, 1.1),
                                             one("K2 at 9", 4, 4.4), one("K3 at 7", 1, 9),
                                             one("K4 at 8", 1, 9, Role::reference)};
  const std::vector<RatioErrors> errors = ratio_errors(cases);
  ASSERT_EQ(errors.size(), 2U);
  // K1 and K2 are 2 apart, predicted 2 / 1.1; K2 at the two shapes 4 apart, predicted right.
  EXPECT_EQ(errors[0].from_ratio, 1.5);
  EXPECT_EQ(errors[0].pairs, 1U);
  EXPECT_NEAR(errors[0].p90, std::log(1.1), 1e-12);
  EXPECT_EQ(errors[1].from_ratio, 3);
  EXPECT_NEAR(errors[1].median, 0, 1e-12);
}

TEST(RatioErrors, OneModelOfOneRecording) {
  std::vector<ValidationCase> cases = {one("K1 at 8", 1, 1), one("K2 at 8", 1, 1)};
  EXPECT_EQ(ratio_errors(cases).size(), 1U);
  cases[1].group = "sweep";
  EXPECT_TRUE(ratio_errors(cases).empty());
  cases[1].group = "ladder";
  cases[1].model = "timeline";
  EXPECT_TRUE(ratio_errors(cases).empty());
}

}  // namespace
}  // namespace perfmodel
