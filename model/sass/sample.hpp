#pragma once

#include <cstdint>
#include <vector>

#include "model/sass/block.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/prepare.hpp"

namespace perfmodel::sass {

/// Counts of some blocks, and how many of the grid each of them stands for.
struct WeightedCounts {
  BlockCounts counts;
  double weight = 1;
};

/// The grid, as far as it was run.
struct SampledBlocks {
  Sampling sampling = Sampling::all;
  std::uint64_t blocks_emulated = 0;
  std::vector<WeightedCounts> parts;
  double relative_uncertainty = 0;  ///< see MachineLedger
  std::vector<Defect> defects;
};

/// Draws `count` of `blocks` different blocks, in ascending order.
std::vector<std::uint64_t> random_blocks(std::uint64_t blocks, std::uint64_t count,
                                         std::uint64_t seed);

/// Runs every block.
SampledBlocks run_all_blocks(const LaunchContext& context, const EmulationOptions& options);

/// Runs as few blocks as the counts of all can be had from:
///  - all of them, where that is quick or asked for;
///  - else, where no loaded value matters, one of each class by position (first, last and between
///    in each direction), after other members of the class were found to count the same. A class
///    that disagrees is divided by position modulo powers of two, as alignment would divide it;
///  - else random ones.
SampledBlocks run_sampled_blocks(const LaunchContext& context, bool data_independent,
                                 const EmulationOptions& options);

}  // namespace perfmodel::sass
