#include "kernels/validate.hpp"

#include <cmath>
#include <limits>

#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

Validation compare(const std::vector<float>& actual, const std::vector<double>& reference,
                   Tolerance tolerance, std::int64_t columns = 1) {
  return validate(actual, reference, columns, tolerance);
}

TEST(Validate, AllowsAbsolutePlusRelative) {
  // allowed = 0.5 + 0.25 * 2 = 1
  const Validation at_the_limit = compare({3}, {2}, {0.5, 0.25});
  EXPECT_TRUE(at_the_limit.passed());
  EXPECT_EQ(at_the_limit.max_scaled_error, 1);
  EXPECT_EQ(at_the_limit.max_abs_error, 1);
  EXPECT_FALSE(compare({3.25}, {2}, {0.5, 0.25}).passed());
}

TEST(Validate, ZeroToleranceAcceptsOnlyEquality) {
  EXPECT_EQ(compare({1}, {1}, {}).max_scaled_error, 0);
  const Validation wrong = compare({1}, {2}, {});
  EXPECT_FALSE(wrong.passed());
  EXPECT_TRUE(std::isinf(wrong.max_scaled_error));
}

TEST(Validate, ANonFiniteResultAlwaysFails) {
  for (const float value : {nan, infinity, -infinity}) {
    const Validation result = compare({value}, {1}, {1e300, 1});
    EXPECT_EQ(result.failed, 1);
    EXPECT_TRUE(std::isinf(result.max_abs_error));
  }
  EXPECT_FALSE(compare({infinity}, {double{infinity}}, {1, 1}).passed());
}

TEST(Validate, ScansEverythingAndKeepsTheFirst) {
  const Validation result = compare({0, 0, 0, 5, 0, 9}, {0, 0, 0, 4, 0, 1}, {0.5, 0}, 3);
  EXPECT_EQ(result.checked, 6);
  EXPECT_EQ(result.failed, 2);
  EXPECT_EQ(result.max_abs_error, 8);
  EXPECT_EQ(result.max_scaled_error, 16);
  ASSERT_TRUE(result.first.has_value());
  EXPECT_EQ(result.first->row, 1);
  EXPECT_EQ(result.first->column, 0);
  EXPECT_EQ(result.first->expected, 4);
  EXPECT_EQ(result.first->actual, 5);
}

TEST(Validate, NothingToCompareIsFine) {
  const Validation result = compare({}, {}, {}, 0);
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.checked, 0);
}

TEST(Validate, RefusesNonsense) {
  EXPECT_EQ(error_of([] { compare({1}, {1, 2}, {}); }),
            "cannot compare 1 results with 2 reference values");
  EXPECT_EQ(error_of([] { compare({1, 2, 3}, {1, 2, 3}, {}, 2); }),
            "3 results do not make rows of 2");
  EXPECT_EQ(error_of([] { compare({1}, {1}, {-1, 0}); }),
            "a tolerance must be finite and not negative, not -1");
}

}  // namespace
}  // namespace perfmodel::kernels
