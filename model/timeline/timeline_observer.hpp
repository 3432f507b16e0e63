#pragma once

#include <array>
#include <cstdint>

#include "model/timeline/sm_timeline.hpp"

namespace perfmodel {

/// A warp on the SM.
struct ObservedWarp {
  std::uint64_t place = 0;  ///< on the SM; belongs to sub-partition `place` % sub-partitions
  std::uint64_t block = 0;  ///< of the launch, x fastest
  std::uint32_t warp = 0;   ///< of the block
};

/// Looks on while a timeline runs. Times are cycles of the SM; those of one warp come in order and
/// do not overlap.
class TimelineObserver {
 public:
  virtual ~TimelineObserver() = default;

  /// The warp issued the instruction at `position` in the cycle from `cycle` on.
  virtual void issued(const ObservedWarp& warp, std::uint32_t position, double cycle) = 0;
  /// The warp waited from `begin` to `end` (which may lie ahead) to issue the instruction at
  /// `position`; at a barrier and at the end, behind it.
  virtual void stalled(const ObservedWarp& warp, std::uint32_t position, Stall reason, double begin,
                       double end) = 0;
  /// Before `cycle`, units were asked for so many cycles of work since the start.
  virtual void worked(double cycle, const std::array<double, unit_count>& busy_cycles) = 0;
};

}  // namespace perfmodel
