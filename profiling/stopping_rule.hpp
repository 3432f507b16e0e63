#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace perfmodel::profiling {

struct StoppingLimits {
  std::size_t min_samples = 10;   ///< before the noise is trusted; at least 2
  std::size_t max_samples = 500;  ///< at least `min_samples`
  double max_noise = 0.005;       ///< relative standard error of the mean; above zero
  double min_time_s = 0.5;        ///< wall clock before the noise is trusted; see StoppingRule
  double time_limit_s = 3.0;      ///< wall clock per kernel; above zero

  bool operator==(const StoppingLimits&) const = default;
};

enum class StopReason : std::uint8_t {
  quiet,         ///< enough samples, and their noise is within the limit
  time_limit,    ///< the time was used up first
  sample_limit,  ///< the most samples allowed were taken first
};

std::string_view to_string(StopReason reason);

/// Decides when enough samples of one kernel were taken.
///
/// Noise is the relative standard error of the mean, s / (mean sqrt(n)). The relative standard
/// deviation s / mean would not do: it is a property of the machine that more samples do not
/// shrink, so a kernel with 1 % of jitter would always run into the time limit, whereas what a
/// reader needs to know is how far the reported centre can be trusted. The standard error takes
/// the samples as independent, so a drift is not seen by it: the raw samples are kept and the clock
/// is sampled for that. Samples close together in time share the state of the machine (power,
/// temperature, what else ran), so a few milliseconds of them agree with each other and not with
/// the next run: medians of ten 2.7 ms launches were 1.2 % apart between two runs on one H200.
/// Hence the least time.
///
/// The time limit is kept even before `min_samples`, but never with fewer than `fewest_samples`: a
/// kernel that runs for seconds would otherwise take ten times as long as was asked for.
class StoppingRule {
 public:
  static constexpr std::size_t fewest_samples = 3;

  /// Throws Error for limits out of their range.
  explicit StoppingRule(const StoppingLimits& limits);

  /// Takes one sample (seconds per launch) and the wall clock since sampling began.
  void add(double sample_s, double elapsed_s);

  /// Nothing while more samples are wanted.
  [[nodiscard]] std::optional<StopReason> stop_reason() const { return reason_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Nothing for fewer than two samples or a mean of zero.
  [[nodiscard]] std::optional<double> noise() const;
  /// The noise is unknown or above the limit.
  [[nodiscard]] bool noisy() const;

 private:
  StoppingLimits limits_;
  std::size_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;  ///< sum of squared deviations from the mean (Welford)
  std::optional<StopReason> reason_;
};

}  // namespace perfmodel::profiling
