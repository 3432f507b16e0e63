#pragma once

#include <optional>
#include <span>

namespace perfmodel {

/// Nothing for no values; the mean of the middle two for an even count.
std::optional<double> median(std::span<const double> values);

/// The value below which `share` (0 to 1) of a distribution lies, by linear interpolation between
/// order statistics (definition 7 of Hyndman and Fan): the p-quantile of n sorted values stands at
/// position p (n - 1), counted from 0. Nothing for no values.
std::optional<double> quantile(std::span<const double> values, double share);

/// The values below which a quarter, half and three quarters of a distribution lie.
struct Quartiles {
  double lower{};
  double median{};
  double upper{};
};

/// Quartiles as `quantile` defines them. The median is that of `median`, and the quartiles of one
/// value are that value. Nothing for no values.
std::optional<Quartiles> quartiles(std::span<const double> values);

/// Nothing for no values.
std::optional<double> minimum(std::span<const double> values);

/// The interquartile range over the median: a spread that a few outliers leave alone. Nothing for
/// no values or a median of zero.
std::optional<double> relative_spread(std::span<const double> values);

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
