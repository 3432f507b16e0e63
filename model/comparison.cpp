#include "model/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "model/statistics.hpp"

namespace perfmodel {
namespace {

constexpr double significance = 0.01;
constexpr std::size_t fewest_batches = fewest_compared_samples;
constexpr std::size_t most_batches = 12;
constexpr std::size_t samples_per_batch = 3;

/// The coarsest tick that event clocks are known for.
constexpr double longest_tick_s = 1e-6;
/// Samples closer than this are the same reading: their texts were rounded.
constexpr double same_reading = 1e-6;

/// Logarithms of the batches' medians, in the order of time.
std::vector<double> log_batches(std::span<const double> samples) {
  const std::size_t count =
      std::clamp(samples.size() / samples_per_batch, fewest_batches, most_batches);
  std::vector<double> batches;
  batches.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * samples.size() / count;
    const std::size_t end = (i + 1) * samples.size() / count;
    batches.push_back(std::log(median(samples.subspan(begin, end - begin)).value()));
  }
  return batches;
}

/// How many of the sorted differences between `m` and `n` values are cut off at each end for an
/// interval that misses the shift with probability `significance` at most: Mann and Whitney's U
/// exactly, its distribution by the recurrence of Gaussian binomial coefficients. At least 1 for
/// batches.
std::size_t differences_cut(std::size_t m, std::size_t n) {
  std::vector<double> ways(m * n + 1, 0.0);
  ways[0] = 1.0;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t u = m * n; u >= n + i; --u) {
      ways[u] -= ways[u - n - i];
    }
    for (std::size_t u = i; u <= m * n; ++u) {
      ways[u] += ways[u - i];
    }
  }
  const double allowed = significance / 2.0 * std::accumulate(ways.begin(), ways.end(), 0.0);
  std::size_t cut = 0;
  double tail = ways[0];
  while (tail <= allowed) {
    ++cut;
    tail += ways[cut];
  }
  return cut;
}

/// Half of the clock's tick over the time: by so much a median may be off. The tick shows as the
/// smallest step between samples; those that are all alike may hide the coarsest.
double half_tick(const TimeSamples& samples) {
  std::vector<double> sorted(samples.seconds.begin(), samples.seconds.end());
  std::ranges::sort(sorted);
  double tick_s = longest_tick_s / static_cast<double>(samples.launches_per_sample);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double step = sorted[i] - sorted[i - 1];
    if (step > same_reading * sorted[i]) {
      tick_s = std::min(tick_s, step);
    }
  }
  return tick_s / 2.0 / sorted[sorted.size() / 2];
}

}  // namespace

std::string_view to_string(Change change) {
  switch (change) {
    case Change::same:
      return "SAME";
    case Change::faster:
      return "FASTER";
    case Change::slower:
      return "SLOWER";
    case Change::unsure:
      return "UNSURE";
  }
  return "";
}

std::optional<RatioInterval> compare_times(const TimeSamples& a, const TimeSamples& b,
                                           double between_runs) {
  if (std::min(a.seconds.size(), b.seconds.size()) < fewest_compared_samples) {
    return std::nullopt;
  }
  const std::vector<double> batches_a = log_batches(a.seconds);
  const std::vector<double> batches_b = log_batches(b.seconds);
  std::vector<double> differences;
  differences.reserve(batches_a.size() * batches_b.size());
  for (const double of_a : batches_a) {
    for (const double of_b : batches_b) {
      differences.push_back(of_b - of_a);
    }
  }
  std::ranges::sort(differences);
  const std::size_t cut = differences_cut(batches_a.size(), batches_b.size());
  const double shift = median(differences).value();
  const double unseen =
      std::hypot(std::log1p(between_runs), std::hypot(half_tick(a), half_tick(b)));
  const double below = std::hypot(shift - differences[cut - 1], unseen);
  const double above = std::hypot(differences[differences.size() - cut] - shift, unseen);
  return RatioInterval{std::exp(shift), std::exp(shift - below), std::exp(shift + above)};
}

RatioInterval allow_for_clock(const RatioInterval& ratio, double clock_ratio) {
  return {ratio.value, ratio.low * std::min(1.0, clock_ratio),
          ratio.high * std::max(1.0, clock_ratio)};
}

Change judge_change(const RatioInterval& ratio, double same_margin) {
  if (ratio.low >= 1.0 / (1.0 + same_margin) && ratio.high <= 1.0 + same_margin) {
    return Change::same;
  }
  if (ratio.low > 1.0) {
    return Change::slower;
  }
  return ratio.high < 1.0 ? Change::faster : Change::unsure;
}

}  // namespace perfmodel
