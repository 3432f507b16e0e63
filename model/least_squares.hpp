#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace perfmodel {

/// A linear system with names, one row per observation.
struct LinearSystem {
  std::vector<std::string> columns;        ///< unknowns
  std::vector<std::string> rows;           ///< observations
  std::vector<std::vector<double>> terms;  ///< [row][column]
  std::vector<double> observed;            ///< [row]
};

/// Ordinary least squares: exact for as many rows as columns.
struct Fit {
  std::vector<double> solution;  ///< [column]
  /// [column]; empty for an exact solution, which leaves no residual to estimate them from.
  std::vector<double> std_errors;
  std::vector<double> residuals;  ///< [row], predicted minus observed
  /// [row], relative error of predicting the row from all others; nothing where the others do not
  /// determine the solution.
  std::vector<std::optional<double>> leave_one_out_errors;
  double condition_number{};  ///< of the terms, columns scaled to length 1
};

/// Beyond this condition number a relative error of 1e-4 in a time (the last digit of a published
/// one) can change a price by its own size.
inline constexpr double max_condition_number = 1e4;

/// Throws Error with the names of the collinear columns when the rows do not determine the
/// solution, or determine it worse than `max_condition_number` allows; and when there are fewer
/// rows than columns.
Fit solve_least_squares(const LinearSystem& system);

}  // namespace perfmodel
