#include "model/expression.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

const std::vector<std::string> dimensions = {"m", "n", "k"};
const Shape shape({{"m", 33}, {"n", 4}, {"k", 5}});

Rational value(const std::string& text) {
  return Expression::parse(text, dimensions).evaluate(shape);
}

std::string parse_error(const std::string& text) {
  return error_of([&] { Expression::parse(text, dimensions); });
}

TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(value("m + n * k"), 53);
  EXPECT_EQ(value("(m + n) * k"), 185);
  EXPECT_EQ(value("m - n - k"), 24);
  EXPECT_EQ(value("100 / n / k"), 5);
}

// A leading zero is no sign of octal digits (found by fuzzing).
TEST(Expression, ReadsDecimalNumbers) { EXPECT_EQ(value("008 + 010"), 18); }

TEST(Expression, DividesExactly) { EXPECT_EQ(value("m / n"), Rational(33, 4)); }

TEST(Expression, HasTheRoundingFunctionsOfTiles) {
  EXPECT_EQ(value("ceil_div(m, 32)"), 2);
  EXPECT_EQ(value("ceil_div(32, 32)"), 1);
  EXPECT_EQ(value("round_up(m, 32)"), 64);
  EXPECT_EQ(value("min(m, n)"), 4);
  EXPECT_EQ(value("max(m, n + m)"), 37);
}

TEST(Expression, StaysExactBeyond64Bits) {
  const Shape large({{"m", INT64_MAX}, {"n", INT64_MAX}, {"k", 2}});
  EXPECT_EQ(Expression::parse("m * n / n / k", dimensions).evaluate(large),
            Rational(INT64_MAX) / 2);
}

TEST(Expression, NamesTheColumnOfAnError) {
  EXPECT_EQ(parse_error("m * "), "expression 'm * ', column 5: unexpected end");
  EXPECT_EQ(parse_error("m * (n"), "expression 'm * (n', column 7: expected ')'");
  EXPECT_EQ(parse_error("m n"), "expression 'm n', column 3: unexpected 'n'");
  EXPECT_EQ(parse_error("m * $"), "expression 'm * $', column 5: unexpected '$'");
  EXPECT_EQ(parse_error("2m"), "expression '2m', column 1: '2m' is not a whole number");
  EXPECT_EQ(parse_error("1.5"), "expression '1.5', column 2: unexpected '.'");
  EXPECT_EQ(parse_error("-m"), "expression '-m', column 1: unexpected '-'");
  EXPECT_EQ(parse_error("ceil(m, 2)"),
            "expression 'ceil(m, 2)', column 1: unknown function 'ceil'; there are ceil_div, "
            "round_up, min, max");
  EXPECT_EQ(parse_error("min(m)"), "expression 'min(m)', column 6: expected ','");
}

TEST(Expression, SuggestsTheNearestDimension) {
  EXPECT_EQ(parse_error("m * j"),
            "expression 'm * j', column 5: 'j' is not one of the dimensions m, n, k (did you mean "
            "'m'?)");
}

TEST(Expression, RefusesDivisionByZero) {
  const Expression zero = Expression::parse("m / (n - 4)", dimensions);
  EXPECT_EQ(error_of([&] { (void)zero.evaluate(shape); }),
            "expression 'm / (n - 4)' divides by zero at shape k=5,m=33,n=4");
}

TEST(Expression, BoundsItsLengthAndSoItsNesting) {
  EXPECT_EQ(parse_error(std::string(100'000, '(')), "expression is longer than 512 bytes");
  EXPECT_EQ(value(std::string(250, '(') + "m" + std::string(250, ')')), 33);
}

}  // namespace
}  // namespace perfmodel
