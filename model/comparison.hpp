#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace perfmodel {

// Times of the same work, measured twice: what changed, and how sure that is. docs/comparison.md
// has the reasoning and how often it is right.

/// What two sets of samples say about the time of one kernel, B against A.
enum class Change : std::uint8_t {
  same,    ///< the interval lies within the margin
  faster,  ///< the interval lies below 1, and not within the margin
  slower,  ///< the interval lies above 1, likewise
  unsure,  ///< the samples leave it open, or the conditions forbid to say
};

/// "SAME", "FASTER", "SLOWER", "UNSURE".
std::string_view to_string(Change change);

/// How far two runs of the same code differ, as fractions.
struct ComparisonMargins {
  /// Half-width of what the state of the machine adds to a ratio of two runs; samples of one run
  /// share that state, so that they cannot tell it.
  double between_runs{};
  /// A change that certainly stays below this is none; above `between_runs`, or nothing can be
  /// shown to be the same.
  double same{};
};

/// Two runs on one board. Source: runs of the ladder on one H200 within minutes of each other
/// differed by 0.2 %, at most 0.7 %.
inline constexpr ComparisonMargins one_board_margins{0.01, 0.03};

/// Two boards of one type, or boards that nobody told. Source: 96 % of 52 kernels measured on two
/// H200 each differed by less than 3 %, all by less than 3.7 %, at the same clock.
inline constexpr ComparisonMargins two_boards_margins{0.03, 0.06};

/// Samples of one kernel in the order in which they were taken.
struct TimeSamples {
  std::span<const double> seconds;       ///< per launch; positive
  std::int64_t launches_per_sample = 1;  ///< by which the tick of the event clock is shared
};

/// Fewest samples of either run from which an interval follows.
inline constexpr std::size_t fewest_compared_samples = 5;

/// A ratio of times, B over A, and what else it may be.
struct RatioInterval {
  double value{};
  double low{};
  double high{};

  bool operator==(const RatioInterval&) const = default;
};

/// The ratio of typical times of two runs, with its 99 % interval.
///
/// Each run becomes up to 12 batches of neighbouring samples, each its median: neighbours are
/// correlated and samples are skewed, batches are little of either. The ratio is the
/// Hodges-Lehmann shift of the batches' logarithms, its interval the one of Mann and Whitney, which
/// asks for no distribution. To that is added, as a root of squares, what samples cannot show:
/// half a tick of the event clock, and `between_runs`.
///
/// Nothing for fewer than `fewest_compared_samples` in either run.
std::optional<RatioInterval> compare_times(const TimeSamples& a, const TimeSamples& b,
                                           double between_runs);

/// The same ratio where the clock may explain a part: the interval reaches from no part of
/// `clock_ratio` (B over A) to all of it, since a kernel follows the clock by anything in between.
RatioInterval allow_for_clock(const RatioInterval& ratio, double clock_ratio);

/// See `Change`.
Change judge_change(const RatioInterval& ratio, double same_margin);

}  // namespace perfmodel
