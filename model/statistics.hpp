#pragma once

#include <optional>
#include <span>

namespace perfmodel {

/// Nothing for no values; the mean of the middle two for an even count.
std::optional<double> median(std::span<const double> values);

/// Mean, median and maximum of absolute values.
struct AbsoluteSummary {
  std::size_t count{};
  double mean{};
  double median{};
  double max{};

  bool operator==(const AbsoluteSummary&) const = default;
};

/// Nothing for no values.
std::optional<AbsoluteSummary> summarize_absolute(std::span<const double> values);

/// `value` rounded half away from zero to `decimals` places.
double round_to_decimals(double value, int decimals);

}  // namespace perfmodel
