#pragma once

#include <cstdint>
#include <vector>

namespace perfmodel {

/// How fast the blocks that share an SM go on.
struct BlockRates {
  /// Blocks a cycle, of one resident block, of two together, and so on up to as many as the SM
  /// holds; positive.
  std::vector<double> by_resident;
  /// How fast the oldest, the second oldest, ... block goes on, relative to one another; as many,
  /// positive.
  std::vector<double> pace;
};

/// Cycles until an SM is done with alike blocks: of those that it runs already, `left` is there
/// still to do (the oldest first, 0 to 1 each, at most as many as it holds), and a further one of
/// `not_started` starts where one has ended. At the end fewer and fewer are left.
double schedule_cycles(std::vector<double> left, std::int64_t not_started, const BlockRates& rates);

}  // namespace perfmodel
