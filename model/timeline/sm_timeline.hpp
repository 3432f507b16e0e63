#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/sass/module.hpp"
#include "model/sass/trace.hpp"
#include "model/timeline/sm_costs.hpp"
#include "model/timeline/sm_memory.hpp"

namespace perfmodel {

/// Why a warp does not issue, as the hardware's counters name it.
enum class Stall : std::uint8_t {
  selected,  ///< it issues
  not_selected,
  wait,  ///< a fixed number of cycles that the compiler set
  long_scoreboard,
  short_scoreboard,
  barrier,
  math_pipe_throttle,
  mio_throttle,
  lg_throttle,
  branch_resolving,
  dispatch_stall,
  drain,  ///< after its last instruction, until its stores have arrived
};
inline constexpr std::size_t stall_count = 12;
/// "long_scoreboard".
const char* stall_name(Stall stall);

/// Units whose busy cycles are counted.
enum class Unit : std::uint8_t {
  issue,
  fma,
  alu,
  xu,
  fp64,
  tensor,
  uniform,
  lsu_data,  ///< the data pipe of shared memory and L1
  l2,
  dram,
};
inline constexpr std::size_t unit_count = 10;
/// "issue", "lsu data pipe".
const char* unit_name(Unit unit);
/// Whether each sub-partition has one of its own; the SM has one of the others.
bool is_in_each_sub_partition(Unit unit);

class TimelineObserver;

struct SmTimelineOptions {
  std::int64_t resident_blocks = 1;
  /// As many as its shared memory and its list of blocks have place for. Once a block has ended, a
  /// further one starts as soon as warps that ended leave room for it.
  std::int64_t most_blocks = 1;
  std::int64_t blocks = 1;  ///< that this SM runs
  double l1_bytes = 0;      ///< what shared memory leaves of it
  double step_budget = 0;   ///< warp instructions to simulate; 0: all
  MemoryShares memory;
  bool unlimited = false;                ///< no unit is ever busy: what latencies alone take
  TimelineObserver* observer = nullptr;  ///< null: nobody looks on
};

/// What one SM did.
struct SmTimelineResult {
  double cycles = 0;  ///< until the last block ended, or the budget was used up
  double steps = 0;   ///< warp instructions issued
  bool complete = false;
  double blocks_done = 0;
  /// Steps a cycle in the second half of a run that was cut off.
  double steady_steps_per_cycle = 0;
  std::array<double, unit_count> busy_cycles{};
  /// Warp cycles by instruction and reason; see Stall.
  std::vector<std::array<double, stall_count>> stalls;
  std::vector<double> executions;  ///< by instruction
  double l1_sectors = 0;           ///< asked for by loads
  double l1_missed_sectors = 0;
  double stored_sectors = 0;
  std::vector<double> slot_steps;  ///< warp instructions of the block that each slot runs
};

/// Of the cycles of all warps, the share that each reason takes; see Stall.
std::array<double, stall_count> stall_shares(const SmTimelineResult& result);

/// The block that slot `number` of the SM's sequence runs; null: there is none.
using BlockSource = std::function<std::shared_ptr<const sass::BlockTrace>(std::int64_t number)>;

/// Runs traced blocks through the units of one SM, event by event: four sub-partitions issue an
/// instruction a cycle each; pipes, the queue to the memory pipe, its data pipe, L1, L2 and DRAM
/// are servers with a first-come order; dependences are those that the compiler wrote into the
/// code. docs/model.md says why each mechanism exists.
class SmTimeline {
 public:
  /// Throws Error where the code has no scheduling control. All must outlive it.
  SmTimeline(const sass::Code& code, const sass::Function& function,
             const std::vector<sass::TracedPattern>& patterns, const SmCosts& costs,
             const SmTimelineOptions& options);
  ~SmTimeline();
  SmTimeline(const SmTimeline&) = delete;
  SmTimeline& operator=(const SmTimeline&) = delete;

  SmTimelineResult run(const BlockSource& blocks);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace perfmodel
