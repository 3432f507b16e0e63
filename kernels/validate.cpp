#include "kernels/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/error.hpp"

namespace perfmodel::kernels {

Validation validate(std::span<const float> actual, std::span<const double> reference,
                    std::int64_t columns, Tolerance tolerance) {
  if (actual.size() != reference.size()) {
    fail(fmt::format("cannot compare {} results with {} reference values", actual.size(),
                     reference.size()));
  }
  const auto count = static_cast<std::int64_t>(actual.size());
  if (count > 0 && (columns < 1 || count % columns != 0)) {
    fail(fmt::format("{} results do not make rows of {}", count, columns));
  }
  for (const double part : {tolerance.atol, tolerance.rtol}) {
    if (!std::isfinite(part) || part < 0) {
      fail(fmt::format("a tolerance must be finite and not negative, not {}", part));
    }
  }

  constexpr double infinity = std::numeric_limits<double>::infinity();
  Validation result;
  result.checked = count;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double value = actual[i];
    const double expected = reference[i];
    double error = std::abs(value - expected);
    const double allowed = tolerance.atol + tolerance.rtol * std::abs(expected);
    double scaled = infinity;
    if (!std::isfinite(value) || !std::isfinite(error)) {
      error = infinity;
    } else if (error == 0) {
      scaled = 0;
    } else if (allowed > 0) {
      scaled = error / allowed;
    }
    result.max_abs_error = std::max(result.max_abs_error, error);
    result.max_scaled_error = std::max(result.max_scaled_error, scaled);
    if (!(scaled <= 1)) {
      ++result.failed;
      if (!result.first) {
        const auto index = static_cast<std::int64_t>(i);
        result.first = Mismatch{index / columns, index % columns, expected, value};
      }
    }
  }
  return result;
}

}  // namespace perfmodel::kernels
