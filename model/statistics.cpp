#include "model/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace perfmodel {

std::optional<double> median(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle]
                                : std::midpoint(sorted[middle - 1], sorted[middle]);
}

std::optional<AbsoluteSummary> summarize_absolute(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::vector<double> magnitudes;
  magnitudes.reserve(values.size());
  for (const double value : values) {
    magnitudes.push_back(std::abs(value));
  }
  const double sum = std::accumulate(magnitudes.begin(), magnitudes.end(), 0.0);
  return AbsoluteSummary{magnitudes.size(), sum / static_cast<double>(magnitudes.size()),
                         median(magnitudes).value(), *std::ranges::max_element(magnitudes)};
}

double round_to_decimals(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

}  // namespace perfmodel
