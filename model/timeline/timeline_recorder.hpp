#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/timeline/timeline_observer.hpp"

namespace perfmodel {

/// What of a timeline to keep.
struct TimelineWindow {
  double begin = 0;  ///< cycle of the SM
  double cycles = 4000;
  std::uint64_t sub_partition = 0;
  std::size_t warps = 8;      ///< the first ones of that sub-partition
  double sample_cycles = 16;  ///< between samples of the units' shares

  [[nodiscard]] double end() const { return begin + cycles; }
};

/// A stretch of one warp's time, cut off at the ends of the window.
struct WarpSlice {
  Stall reason = Stall::selected;  ///< selected: it issues
  std::uint32_t position = 0;
  std::uint64_t block = 0;
  std::uint32_t warp = 0;  ///< of the block
  double begin = 0;
  double end = 0;
};

/// Of `sample_cycles`, the share that each unit was busy.
struct UnitSample {
  double begin = 0;
  std::array<double, unit_count> shares{};
};

/// Takes down a window of a timeline for a picture of it.
class TimelineRecorder : public TimelineObserver {
 public:
  TimelineRecorder(const TimelineWindow& window, int sub_partitions);

  void issued(const ObservedWarp& warp, std::uint32_t position, double cycle) override;
  void stalled(const ObservedWarp& warp, std::uint32_t position, Stall reason, double begin,
               double end) override;
  void worked(double cycle, const std::array<double, unit_count>& busy_cycles) override;

  /// By the warp's place in the sub-partition, in order of time.
  [[nodiscard]] const std::map<std::uint64_t, std::vector<WarpSlice>>& warps() const {
    return warps_;
  }
  [[nodiscard]] const std::vector<UnitSample>& units() const { return units_; }
  [[nodiscard]] const TimelineWindow& window() const { return window_; }

 private:
  void keep(const ObservedWarp& warp, WarpSlice slice);

  TimelineWindow window_;
  std::uint64_t sub_partitions_;
  std::map<std::uint64_t, std::vector<WarpSlice>> warps_;
  std::vector<UnitSample> units_;
  double sampled_until_ = 0;
  std::array<double, unit_count> asked_{};    ///< of each unit, so far
  std::array<double, unit_count> backlog_{};  ///< of that, what it has not yet done
};

}  // namespace perfmodel
