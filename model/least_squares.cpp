#include "model/least_squares.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd to_matrix(const LinearSystem& system) {
  MatrixXd terms(static_cast<Index>(system.rows.size()), static_cast<Index>(system.columns.size()));
  for (Index row = 0; row < terms.rows(); ++row) {
    for (Index column = 0; column < terms.cols(); ++column) {
      terms(row, column) =
          system.terms[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    }
  }
  return terms;
}

void require_full_columns(const LinearSystem& system, const VectorXd& lengths) {
  std::vector<std::string> absent;
  for (Index column = 0; column < lengths.size(); ++column) {
    if (lengths(column) == 0.0) {
      absent.push_back(system.columns[static_cast<std::size_t>(column)]);
    }
  }
  if (!absent.empty()) {
    fail(
        fmt::format("references {} cannot price {}: none of them has any; add a reference that "
                    "does",
                    join(system.rows), join(absent)));
  }
}

/// Names the columns that the direction of the smallest singular value mixes.
[[noreturn]] void fail_collinear(const LinearSystem& system, const VectorXd& direction,
                                 double condition_number) {
  constexpr double share_that_counts = 0.1;
  std::vector<std::string> mixed;
  for (Index column = 0; column < direction.size(); ++column) {
    if (std::abs(direction(column)) > share_that_counts) {
      mixed.push_back(system.columns[static_cast<std::size_t>(column)]);
    }
  }
  fail(
      fmt::format("references {} cannot tell {} apart: their columns are collinear (condition "
                  "number {:.3g}, at most {:.0g} allowed); choose references in which they vary "
                  "independently",
                  join(system.rows), join(mixed, " and "), condition_number, max_condition_number));
}

}  // namespace

Fit solve_least_squares(const LinearSystem& system) {
  const std::size_t unknowns = system.columns.size();
  const std::size_t observations = system.rows.size();
  if (observations < unknowns) {
    fail(fmt::format("{} references ({}) cannot determine {} prices ({}); give at least {}",
                     observations, join(system.rows), unknowns, join(system.columns), unknowns));
  }
  const MatrixXd terms = to_matrix(system);
  const VectorXd observed =
      Eigen::Map<const VectorXd>(system.observed.data(), static_cast<Index>(observations));

  // Columns of length 1 make the condition number independent of how large the counts are.
  const VectorXd lengths = terms.colwise().norm();
  require_full_columns(system, lengths);
  const MatrixXd scaled = terms * lengths.cwiseInverse().asDiagonal();
  const Eigen::JacobiSVD<MatrixXd> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const VectorXd& singular = svd.singularValues();
  const double smallest = singular(singular.size() - 1);

  Fit fit;
  constexpr double rounding = 1e-14;  // what is left of an exact zero
  fit.condition_number = smallest > rounding * singular(0) ? singular(0) / smallest : HUGE_VAL;
  if (fit.condition_number > max_condition_number) {
    fail_collinear(system, svd.matrixV().rightCols(1), fit.condition_number);
  }

  const VectorXd solution = svd.solve(observed).cwiseQuotient(lengths);
  const VectorXd residuals = terms * solution - observed;
  fit.solution.assign(solution.begin(), solution.end());
  fit.residuals.assign(residuals.begin(), residuals.end());

  if (observations > unknowns) {
    const double variance = residuals.squaredNorm() / static_cast<double>(observations - unknowns);
    // Rows of V / singular values: the square root of the covariance of the scaled solution.
    const MatrixXd spread = svd.matrixV() * singular.cwiseInverse().asDiagonal();
    for (Index column = 0; column < spread.rows(); ++column) {
      fit.std_errors.push_back(std::sqrt(variance) * spread.row(column).norm() / lengths(column));
    }
  }

  // The prediction of row i without row i differs from its observation by r_i / (1 - h_ii).
  const VectorXd leverage = svd.matrixU().rowwise().squaredNorm();
  constexpr double no_freedom = 1e-9;
  for (Index row = 0; row < residuals.size(); ++row) {
    std::optional<double>& error = fit.leave_one_out_errors.emplace_back();
    const double freedom = 1.0 - leverage(row);
    if (freedom > no_freedom) {
      error = residuals(row) / freedom / observed(row);
    }
  }
  return fit;
}

}  // namespace perfmodel
