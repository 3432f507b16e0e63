#include "model/rational.hpp"

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

TEST(Rational, ConvertsToTheNearestDouble) {
  EXPECT_EQ(to_double(Rational(1, 10)), 0.1);
  EXPECT_EQ(to_double(Rational(2, 3)), 2.0 / 3.0);
  EXPECT_EQ(to_double(Rational(-5, 128)), -0.0390625);
}

TEST(Rational, ConvertsHugeFractions) {
  const Rational huge(mpz_class("1000000000000000000000000000000"));
  EXPECT_DOUBLE_EQ(to_double(huge), 1e30);
  EXPECT_DOUBLE_EQ(to_double(Rational(huge / (huge + 1))), 1.0);
}

TEST(Rational, RoundsToIntegers) {
  EXPECT_EQ(ceil(Rational(7, 2)), 4);
  EXPECT_EQ(floor(Rational(7, 2)), 3);
  EXPECT_EQ(ceil(Rational(-7, 2)), -3);
  EXPECT_EQ(floor(Rational(-7, 2)), -4);
  EXPECT_EQ(ceil(Rational(4)), 4);
}

TEST(Rational, KnowsWhatAProgramCanIndex) {
  EXPECT_TRUE(fits_int64(Rational(mpz_class("9223372036854775807"))));
  EXPECT_FALSE(fits_int64(Rational(mpz_class("9223372036854775808"))));
  EXPECT_FALSE(fits_int64(Rational(1, 2)));
}

TEST(Rational, PrintsFractions) {
  EXPECT_EQ(to_fraction(Rational(5, 128)), "5/128");
  EXPECT_EQ(to_fraction(Rational(3)), "3");
}

}  // namespace
}  // namespace perfmodel
