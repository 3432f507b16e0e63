#include "model/statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace perfmodel {
namespace {

using Values = std::vector<double>;

TEST(Median, OfNoneOneEvenAndOdd) {
  EXPECT_EQ(median(Values{}), std::nullopt);
  EXPECT_EQ(median(Values{3.0}), 3.0);
  EXPECT_EQ(median(Values{4.0, 1.0}), 2.5);
  EXPECT_EQ(median(Values{9.0, 1.0, 4.0}), 4.0);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_EQ(quantile(Values{}, 0.5), std::nullopt);
  EXPECT_EQ(quantile(Values{3.0}, 0.9), 3.0);
  const Values values = {40.0, 10.0, 30.0, 20.0, 50.0};
  EXPECT_EQ(quantile(values, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.1).value(), 14.0);
  EXPECT_EQ(quantile(values, 0.75), 40.0);
  EXPECT_DOUBLE_EQ(quantile(values, 0.99).value(), 49.6);
  EXPECT_EQ(quantile(values, 1.0), 50.0);
}

TEST(SummarizeAbsolute, IgnoresSigns) {
  EXPECT_EQ(summarize_absolute(Values{}), std::nullopt);
  const auto summary = summarize_absolute(Values{-0.5, 0.1, 0.3});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, 3U);
  EXPECT_DOUBLE_EQ(summary->mean, 0.3);
  EXPECT_DOUBLE_EQ(summary->median, 0.3);
  EXPECT_DOUBLE_EQ(summary->max, 0.5);
}

TEST(RoundToDecimals, RoundsHalfAwayFromZero) {
  EXPECT_DOUBLE_EQ(round_to_decimals(0.598, 2), 0.60);
  EXPECT_DOUBLE_EQ(round_to_decimals(2.5, 0), 3.0);
  EXPECT_DOUBLE_EQ(round_to_decimals(-2.5, 0), -3.0);
}

}  // namespace
}  // namespace perfmodel
