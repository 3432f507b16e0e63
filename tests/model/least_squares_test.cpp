#include "model/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

LinearSystem line_through(const std::vector<std::pair<double, double>>& points) {
  LinearSystem system;
  system.columns = {"offset", "slope"};
  for (const auto& [x, y] : points) {
    system.rows.push_back("P" + std::to_string(system.rows.size() + 1));
    system.terms.push_back({1.0, x});
    system.observed.push_back(y);
  }
  return system;
}

TEST(LeastSquares, SolvesExactlyWithAsManyRowsAsColumns) {
  const Fit fit = solve_least_squares(line_through({{1, 3}, {2, 5}}));
  EXPECT_NEAR(fit.solution[0], 1.0, 1e-12);
  EXPECT_NEAR(fit.solution[1], 2.0, 1e-12);
  EXPECT_TRUE(fit.std_errors.empty());
  EXPECT_EQ(fit.leave_one_out_errors[0], std::nullopt);
}

// The textbook regression of y on x: slope 0.6, offset 2.2, sum of squared residuals 2.4.
TEST(LeastSquares, MatchesHandComputedRegression) {
  const Fit fit = solve_least_squares(line_through({{1, 2}, {2, 4}, {3, 5}, {4, 4}, {5, 5}}));
  EXPECT_NEAR(fit.solution[0], 2.2, 1e-12);
  EXPECT_NEAR(fit.solution[1], 0.6, 1e-12);
  double squares = 0.0;
  for (const double residual : fit.residuals) {
    squares += residual * residual;
  }
  EXPECT_NEAR(squares, 2.4, 1e-12);
  // Variance 2.4 / 3; the slope's is that over 10, the offset's that times (1/5 + 9/10).
  EXPECT_NEAR(fit.std_errors[1], std::sqrt(0.8 / 10.0), 1e-12);
  EXPECT_NEAR(fit.std_errors[0], std::sqrt(0.8 * 1.1), 1e-12);
}

TEST(LeastSquares, LeaveOneOutEqualsRefittingWithoutTheRow) {
  const std::vector<std::pair<double, double>> points = {{1, 2}, {2, 4}, {3, 5}, {4, 4}, {5, 5}};
  const Fit fit = solve_least_squares(line_through(points));
  for (std::size_t out = 0; out < points.size(); ++out) {
    auto others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(out));
    const Fit refit = solve_least_squares(line_through(others));
    const double predicted = refit.solution[0] + refit.solution[1] * points[out].first;
    ASSERT_TRUE(fit.leave_one_out_errors[out]);
    EXPECT_NEAR(*fit.leave_one_out_errors[out], predicted / points[out].second - 1.0, 1e-12);
  }
}

TEST(LeastSquares, LeaveOneOutOfTheOnlyRowThatPricesAColumnIsUnknown) {
  LinearSystem system = line_through({{0, 1}, {0, 2}, {1, 3}});
  const Fit fit = solve_least_squares(system);
  EXPECT_TRUE(fit.leave_one_out_errors[0]);
  EXPECT_EQ(fit.leave_one_out_errors[2], std::nullopt);
}

TEST(LeastSquares, ConditionNumberIgnoresUnits) {
  LinearSystem system = line_through({{1, 2}, {2, 4}, {5, 5}});
  const double condition = solve_least_squares(system).condition_number;
  for (auto& row : system.terms) {
    row[1] *= 1e9;
  }
  EXPECT_NEAR(solve_least_squares(system).condition_number, condition, 1e-6);
}

TEST(LeastSquares, NeedsAsManyRowsAsColumns) {
  EXPECT_EQ(error_of([] { solve_least_squares(line_through({{1, 2}})); }),
            "1 references (P1) cannot determine 2 prices (offset, slope); give at least 2");
}

TEST(LeastSquares, NamesAnAbsentColumn) {
  EXPECT_EQ(error_of([] { solve_least_squares(line_through({{0, 2}, {0, 3}})); }),
            "references P1, P2 cannot price slope: none of them has any; add a reference that "
            "does");
}

TEST(LeastSquares, NamesCollinearColumns) {
  EXPECT_EQ(error_of([] { solve_least_squares(line_through({{3, 2}, {3, 3}})); }),
            "references P1, P2 cannot tell offset and slope apart: their columns are collinear "
            "(condition number inf, at most 1e+04 allowed); choose references in which they vary "
            "independently");
}

TEST(LeastSquares, LeavesIndependentColumnsOutOfTheComplaint) {
  LinearSystem system;
  system.columns = {"a", "b", "c"};
  system.rows = {"P1", "P2", "P3"};
  system.terms = {{1, 2, 0}, {2, 4, 0}, {0, 0, 1}};
  system.observed = {1, 2, 3};
  const std::string error = error_of([&] { solve_least_squares(system); });
  EXPECT_NE(error.find("cannot tell a and b apart"), std::string::npos) << error;
}

TEST(LeastSquares, RefusesNearlyCollinearColumns) {
  const std::string error =
      error_of([] { solve_least_squares(line_through({{1.0, 2}, {1.00001, 3}})); });
  EXPECT_NE(error.find("collinear (condition number 4e+05"), std::string::npos) << error;
}

}  // namespace
}  // namespace perfmodel
