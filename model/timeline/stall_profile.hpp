#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/sass/module.hpp"
#include "model/timeline/timeline_model.hpp"

namespace perfmodel {

/// Warp cycles by reason; see Stall.
using StallCycles = std::array<double, stall_count>;

/// Where the warps of one SM spent the cycles that were simulated.
struct InstructionStalls {
  std::uint32_t position = 0;       ///< in the function
  std::optional<std::size_t> loop;  ///< the innermost, in StallProfile::loops
  double executions = 0;            ///< by warps
  StallCycles cycles{};             ///< issuing it included
  double share = 0;                 ///< of all warp cycles
};

struct LoopStalls {
  std::uint32_t first = 0;  ///< position where it is entered
  std::uint32_t last = 0;   ///< position of the jump back
  std::uint32_t depth = 1;  ///< 1: in no other
  double trips = 0;         ///< executions of its first instruction
  StallCycles cycles{};     ///< without those of loops inside
  double share = 0;         ///< of all warp cycles
};

/// How much of the simulated cycles a unit was busy; of units that each sub-partition has, the
/// mean.
struct UnitShare {
  Unit unit = Unit::issue;
  double share = 0;
};

struct StallProfile {
  double warp_cycles = 0;
  StallCycles totals{};
  StallCycles outside_loops{};
  std::vector<LoopStalls> loops;                ///< those that ran, in order of address
  std::vector<InstructionStalls> instructions;  ///< those that ran, the most warp cycles first
  std::vector<UnitShare> utilisation;           ///< by unit
};

/// `function` is what `run` ran. Throws as `sass::decode` does.
StallProfile profile_stalls(const TimelineRun& run, const sass::Function& function, int sm);

/// Reasons with their shares of `cycles`, the largest first; those that never occur are left out.
struct StallShare {
  Stall reason = Stall::selected;
  double share = 0;
};
std::vector<StallShare> ranked(const StallCycles& cycles);

}  // namespace perfmodel
