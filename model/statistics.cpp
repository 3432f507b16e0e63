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

std::optional<double> quantile(std::span<const double> values, double share) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double position = std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

std::optional<Quartiles> quartiles(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  // Quarters of whole numbers are exact: so is the position for every count.
  return Quartiles{quantile(values, 0.25).value(), median(values).value(),
                   quantile(values, 0.75).value()};
}

std::optional<double> minimum(std::span<const double> values) {
  return values.empty() ? std::nullopt : std::optional(*std::ranges::min_element(values));
}

std::optional<double> relative_spread(std::span<const double> values) {
  const std::optional<Quartiles> parts = quartiles(values);
  if (!parts || parts->median == 0.0) {
    return std::nullopt;
  }
  return (parts->upper - parts->lower) / std::abs(parts->median);
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
