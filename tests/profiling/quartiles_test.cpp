#include <gtest/gtest.h>

#include <vector>

#include "model/statistics.hpp"

namespace perfmodel {
namespace {

TEST(Quartiles, NoSamplesHaveNone) {
  const std::vector<double> none;
  EXPECT_FALSE(quartiles(none));
  EXPECT_FALSE(minimum(none));
  EXPECT_FALSE(relative_spread(none));
}

TEST(Quartiles, OneSampleIsAllOfThem) {
  const std::vector<double> one = {3.0};
  EXPECT_EQ(quartiles(one)->lower, 3.0);
  EXPECT_EQ(quartiles(one)->median, 3.0);
  EXPECT_EQ(quartiles(one)->upper, 3.0);
  EXPECT_EQ(*minimum(one), 3.0);
  EXPECT_EQ(*relative_spread(one), 0.0);
}

TEST(Quartiles, OddCountTakesOrderStatistics) {
  const std::vector<double> odd = {5.0, 1.0, 4.0, 2.0, 3.0};
  EXPECT_EQ(quartiles(odd)->lower, 2.0);
  EXPECT_EQ(quartiles(odd)->median, 3.0);
  EXPECT_EQ(quartiles(odd)->upper, 4.0);
  EXPECT_EQ(*minimum(odd), 1.0);
  EXPECT_DOUBLE_EQ(*relative_spread(odd), 2.0 / 3.0);
}

TEST(Quartiles, EvenCountInterpolates) {
  const std::vector<double> even = {4.0, 3.0, 2.0, 1.0};
  EXPECT_DOUBLE_EQ(quartiles(even)->lower, 1.75);
  EXPECT_DOUBLE_EQ(quartiles(even)->median, 2.5);
  EXPECT_DOUBLE_EQ(quartiles(even)->upper, 3.25);
  const std::vector<double> two = {1.0, 2.0};
  EXPECT_DOUBLE_EQ(quartiles(two)->lower, 1.25);
  EXPECT_DOUBLE_EQ(quartiles(two)->upper, 1.75);
}

TEST(Quartiles, SpreadOfAZeroMedianDoesNotExist) {
  EXPECT_FALSE(relative_spread(std::vector<double>{-1.0, 0.0, 1.0}));
}

}  // namespace
}  // namespace perfmodel
