#include "model/throughput_model.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/error.hpp"

namespace perfmodel {

ThroughputCoefficients calibrate_throughput(std::span<const ThroughputObservation> references,
                                            std::string device) {
  if (references.empty()) {
    fail("the throughput model has no reference kernel to calibrate on");
  }
  // seconds = larger + share * smaller, each row divided by its seconds.
  const auto rows = static_cast<Eigen::Index>(references.size());
  Eigen::VectorXd smaller(rows);
  Eigen::VectorXd excess(rows);
  ThroughputCoefficients coefficients;
  for (Eigen::Index row = 0; row < rows; ++row) {
    const ThroughputObservation& one = references[static_cast<std::size_t>(row)];
    const auto [low, high] = std::minmax(one.terms.bound_s, one.terms.latency_s);
    smaller(row) = low / one.seconds;
    excess(row) = 1 - high / one.seconds;
    coefficients.references.push_back(one.label);
  }
  // With one unknown, the constrained optimum is the free one moved to the nearest bound.
  const double free = smaller.dot(excess) / std::max(1e-12, smaller.squaredNorm());
  coefficients.exposed_share = std::clamp(free, 0.0, 1.0);
  if (rows > 1) {
    const Eigen::VectorXd residual = smaller * coefficients.exposed_share - excess;
    coefficients.std_error = std::sqrt(residual.squaredNorm() / static_cast<double>(rows - 1) /
                                       std::max(1e-12, smaller.squaredNorm()));
  }
  coefficients.device = std::move(device);
  return coefficients;
}

double predict_throughput(const ThroughputTerms& terms,
                          const ThroughputCoefficients& coefficients) {
  const auto [low, high] = std::minmax(terms.bound_s, terms.latency_s);
  return high + coefficients.exposed_share * low;
}

}  // namespace perfmodel
