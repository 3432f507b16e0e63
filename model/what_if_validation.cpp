#include "model/what_if_validation.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "model/statistics.hpp"

namespace perfmodel {
namespace {

/// Kernel and shape of "K3 at 4096x4096x4096".
std::pair<std::string, std::string> parts_of(const std::string& label) {
  const std::size_t at = label.find(" at ");
  return at == std::string::npos ? std::pair(label, std::string())
                                 : std::pair(label.substr(0, at), label.substr(at));
}

bool are_related(const ValidationCase& left, const ValidationCase& right) {
  if (left.group != right.group || left.label == right.label) {
    return false;
  }
  const auto [left_kernel, left_shape] = parts_of(left.label);
  const auto [right_kernel, right_shape] = parts_of(right.label);
  return left_kernel == right_kernel || left_shape == right_shape;
}

struct Pair {
  double distance = 0;  ///< logarithm of the measured ratio, without its sign
  double error = 0;
};

Pair pair_of(const ValidationCase& left, const ValidationCase& right) {
  const double measured = std::log(left.measured_s / right.measured_s);
  const double predicted = std::log(left.predicted_s / right.predicted_s);
  return {std::abs(measured), std::abs(predicted - measured)};
}

}  // namespace

std::vector<RatioErrors> ratio_errors(std::span<const ValidationCase> cases) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t j = i + 1; j < cases.size(); ++j) {
      const bool held_out = cases[i].role == Role::held_out && cases[j].role == Role::held_out;
      if (held_out && cases[i].model == cases.front().model &&
          cases[j].model == cases.front().model && are_related(cases[i], cases[j])) {
        pairs.push_back(pair_of(cases[i], cases[j]));
      }
    }
  }
  constexpr std::array limits = {
      1.0, 1.05, 1.25, 1.5, 3.0, 10.0, std::numeric_limits<double>::infinity()};
  std::vector<RatioErrors> all;
  for (std::size_t i = 0; i + 1 < limits.size(); ++i) {
    std::vector<double> errors;
    for (const Pair& pair : pairs) {
      if (pair.distance >= std::log(limits[i]) && pair.distance < std::log(limits[i + 1])) {
        errors.push_back(pair.error);
      }
    }
    if (!errors.empty()) {
      all.push_back(
          {limits[i], limits[i + 1], errors.size(), *median(errors), *quantile(errors, 0.9)});
    }
  }
  return all;
}

}  // namespace perfmodel
