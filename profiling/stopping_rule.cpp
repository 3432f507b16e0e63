#include "profiling/stopping_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"

namespace perfmodel::profiling {

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::quiet:
      return "quiet";
    case StopReason::time_limit:
      return "time limit";
    case StopReason::sample_limit:
      return "sample limit";
  }
  return "";
}

StoppingRule::StoppingRule(const StoppingLimits& limits) : limits_(limits) {
  if (limits.min_samples < 2 || limits.max_samples < limits.min_samples) {
    fail(
        fmt::format("samples: the minimum ({}) must be at least 2 and the maximum ({}) not below "
                    "it",
                    limits.min_samples, limits.max_samples));
  }
  if (!(limits.max_noise > 0.0) || !std::isfinite(limits.max_noise)) {
    fail(fmt::format("noise limit {} must be a fraction above zero, such as 0.005",
                     limits.max_noise));
  }
  if (!(limits.min_time_s >= 0.0)) {
    fail(fmt::format("least time {} s must not be negative", limits.min_time_s));
  }
  if (!(limits.time_limit_s > 0.0) || !std::isfinite(limits.time_limit_s)) {
    fail(fmt::format("time limit {} s must be above zero", limits.time_limit_s));
  }
}

void StoppingRule::add(double sample_s, double elapsed_s) {
  ++count_;
  const double before = sample_s - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (sample_s - mean_);

  const bool enough = count_ >= limits_.min_samples && elapsed_s >= limits_.min_time_s;
  if (enough && !noisy()) {
    reason_ = StopReason::quiet;
  } else if (count_ >= limits_.max_samples) {
    reason_ = StopReason::sample_limit;
  } else if (elapsed_s >= limits_.time_limit_s &&
             count_ >= std::min(fewest_samples, limits_.min_samples)) {
    reason_ = StopReason::time_limit;
  }
}

std::optional<double> StoppingRule::noise() const {
  if (count_ < 2 || mean_ == 0.0) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(count_);
  return std::sqrt(squares_ / (n - 1.0) / n) / std::abs(mean_);
}

bool StoppingRule::noisy() const {
  const std::optional<double> now = noise();
  return !now || *now > limits_.max_noise;
}

}  // namespace perfmodel::profiling
