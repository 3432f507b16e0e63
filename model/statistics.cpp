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

std::optional<Quartiles> quartiles(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto quantile = [&](std::size_t quarters) {
    // Whole-number arithmetic: the position is exact for every count.
    const std::size_t quarter_steps = quarters * (sorted.size() - 1);
    const std::size_t below = quarter_steps / 4;
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], static_cast<double>(quarter_steps % 4) / 4.0);
  };
  return Quartiles{quantile(1), median(sorted).value(), quantile(3)};
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
