#pragma once

#include <cstdint>
#include <vector>

namespace perfmodel {

/// How fast the blocks that share an SM go on.
struct BlockRates {
  /// Blocks a cycle, of one resident block, of two together, and so on up to as many as the SM
  /// holds; positive.
  std::vector<double> by_resident;
  /// Share of the cycles that the oldest, the second oldest, ... block gets, relative to one
  /// another; as many, positive.
  std::vector<double> pace;
};

/// Cycles in which an SM runs `blocks` alike blocks, a further one started where one has ended. At
/// the end fewer and fewer are left.
double schedule_cycles(std::int64_t blocks, const BlockRates& rates);

}  // namespace perfmodel
