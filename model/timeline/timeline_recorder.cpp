#include "model/timeline/timeline_recorder.hpp"

#include <algorithm>

namespace perfmodel {

TimelineRecorder::TimelineRecorder(const TimelineWindow& window, int sub_partitions)
    : window_(window), sub_partitions_(static_cast<std::uint64_t>(sub_partitions)) {}

void TimelineRecorder::keep(const ObservedWarp& warp, WarpSlice slice) {
  slice.begin = std::max(slice.begin, window_.begin);
  slice.end = std::min(slice.end, window_.end());
  const std::uint64_t place = warp.place / sub_partitions_;
  if (slice.end <= slice.begin || warp.place % sub_partitions_ != window_.sub_partition ||
      place >= window_.warps) {
    return;
  }
  slice.block = warp.block;
  slice.warp = warp.warp;
  warps_[place].push_back(slice);
}

void TimelineRecorder::issued(const ObservedWarp& warp, std::uint32_t position, double cycle) {
  keep(warp, {.position = position, .begin = cycle, .end = cycle + 1});
}

void TimelineRecorder::stalled(const ObservedWarp& warp, std::uint32_t position, Stall reason,
                               double begin, double end) {
  keep(warp, {.reason = reason, .position = position, .begin = begin, .end = end});
}

void TimelineRecorder::worked(double cycle, const std::array<double, unit_count>& busy_cycles) {
  while (sampled_until_ + window_.sample_cycles <= cycle && sampled_until_ < window_.end()) {
    UnitSample sample{.begin = sampled_until_};
    for (std::size_t i = 0; i < unit_count; ++i) {
      // A unit does one thing after another: what it cannot do now, it does next.
      const double most = window_.sample_cycles * (is_in_each_sub_partition(static_cast<Unit>(i))
                                                       ? static_cast<double>(sub_partitions_)
                                                       : 1);
      backlog_[i] += busy_cycles[i] - asked_[i];
      const double done = std::min(backlog_[i], most);
      backlog_[i] -= done;
      sample.shares[i] = done / most;
    }
    asked_ = busy_cycles;
    sampled_until_ += window_.sample_cycles;
    if (sampled_until_ > window_.begin) {
      units_.push_back(sample);
    }
  }
}

}  // namespace perfmodel
