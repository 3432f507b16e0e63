#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/sass/access_pattern.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/instruction.hpp"
#include "model/sass/launch.hpp"
#include "model/sass/module.hpp"
#include "model/sass/shared_padding.hpp"

namespace perfmodel::sass {

/// How the lanes of traced accesses lie in memory, apart from where.
struct TracedPattern {
  MemorySpace space = MemorySpace::none;
  bool store = false;
  bool atomic = false;
  bool asynchronous = false;          ///< LDGSTS: its load goes to shared memory, not to registers
  std::uint32_t wavefronts = 0;       ///< where everything is in L1
  std::uint32_t register_rows = 0;    ///< 32-bit registers of a lane that are moved
  std::uint32_t lines = 0;            ///< global and local memory: distinct 128-byte lines
  std::vector<std::int32_t> sectors;  ///< global and local: distinct, from the first lane's
  std::uint32_t useful_bytes = 0;     ///< distinct bytes asked for
  /// Global: the first lane's address is a multiple of it, a power of two and no more than 16.
  std::uint32_t alignment_bytes = 0;
  // Shared memory only.
  std::uint32_t conflict_free_wavefronts = 0;
  /// What the lanes of a load or store would take at the same addresses with 8 and with 16 bytes
  /// each, where that is more than they have.
  std::array<SharedPasses, 2> widened{};
  PaddedPasses padded;  ///< see TraceRecorder::pad_shared

  friend bool operator==(const TracedPattern&, const TracedPattern&) = default;
};

/// One warp-wide access.
struct TracedAccess {
  std::uint32_t pattern = 0;
  /// Of a global load that has to wait for L2: its lines decide, see `miss_wavefronts`.
  std::uint32_t miss_wavefronts = 0;
  /// Address of the first active lane / 32; of local memory, whose words interleave, from the start
  /// of the warp's own.
  std::uint64_t first_sector = 0;
};

/// One execution of BAR.
struct TracedBarrier {
  std::uint8_t which = 0;
  std::uint32_t expected_threads = 0;  ///< 0: all of the block that still run
  bool waits = true;                   ///< false for BAR.ARV
};

/// One executed instruction of a warp, packed.
class TracedStep {
 public:
  TracedStep() = default;
  explicit TracedStep(std::uint32_t position) : bits_(position) {}

  [[nodiscard]] std::uint32_t position() const { return bits_ & position_mask; }
  /// How many of the warp's accesses belong to it: two for LDGSTS and generic addresses that lead
  /// to two memories.
  [[nodiscard]] std::uint32_t accesses() const { return bits_ >> accesses_shift & 7U; }
  [[nodiscard]] bool is_barrier() const { return (bits_ >> 29 & 1U) != 0; }
  /// Its guard let no lane through.
  [[nodiscard]] bool is_idle() const { return (bits_ >> 30 & 1U) != 0; }

  void add_access() { bits_ += 1U << accesses_shift; }
  void set_barrier() { bits_ |= 1U << 29; }
  void set_idle() { bits_ |= 1U << 30; }

  static constexpr std::uint32_t accesses_shift = 26;
  static constexpr std::uint32_t position_mask = (1U << accesses_shift) - 1;

 private:
  std::uint32_t bits_ = 0;
};

/// What one warp executed, in order.
struct WarpTrace {
  std::vector<TracedStep> steps;
  std::vector<TracedAccess> accesses;
  std::vector<TracedBarrier> barriers;
};

/// What one block executed.
struct BlockTrace {
  std::uint64_t block = 0;
  std::vector<WarpTrace> warps;
  bool complete = true;  ///< false: cut off at the limit, about where all warps have come to
  std::uint64_t steps = 0;
};

/// Where the lanes of an access lie: as `shared_access` takes them.
struct TracedLanes {
  const Row& offsets;
  std::uint64_t first_address = 0;
  std::uint32_t mask = 0;
};

/// Takes down what a block emulator executes.
class TraceRecorder {
 public:
  explicit TraceRecorder(const Code& code) : code_(code) {}

  /// From now on, what accesses to shared memory would take with padded rows is taken down as well.
  void pad_shared(const SharedPadding& padding) {
    padding_ = padding;
    alignment_.resize(code_.instructions.size());
  }
  /// By position, over all blocks so far; empty without padding.
  [[nodiscard]] const std::vector<PaddedAlignment>& alignment() const { return alignment_; }

  /// Starts a block of so many warps; at most about `most_steps` steps are taken down.
  void begin(std::uint64_t block, std::size_t warps, std::uint64_t most_steps);
  /// The block since `begin`.
  BlockTrace take();

  [[nodiscard]] bool is_full() const { return trace_.steps >= most_steps_; }

  void add_step(std::uint32_t warp, std::uint32_t position, bool idle) {
    TracedStep step(position);
    if (idle) {
      step.set_idle();
    }
    trace_.warps[warp].steps.push_back(step);
    ++trace_.steps;
  }
  void add_steps(std::uint32_t warp, std::uint32_t position, std::uint32_t count) {
    auto& steps = trace_.warps[warp].steps;
    for (std::uint32_t i = 0; i < count; ++i) {
      steps.emplace_back(position + i);
    }
    trace_.steps += count;
  }
  void add_barrier(std::uint32_t warp, const TracedBarrier& barrier) {
    trace_.warps[warp].steps.back().set_barrier();
    trace_.warps[warp].barriers.push_back(barrier);
  }
  /// `key` tells patterns apart: a number that the emulator gives every new one; 0: look it up by
  /// what it is. `access`: all but its pattern. `second`: the shared side of LDGSTS.
  void add_access(std::uint32_t warp, std::uint32_t position, std::uint64_t key,
                  TracedAccess access, MemorySpace space, const AccessCost& cost,
                  const TracedLanes& lanes, bool second);

  /// By TracedAccess::pattern; of all blocks so far.
  [[nodiscard]] const std::vector<TracedPattern>& patterns() const { return patterns_; }

 private:
  std::uint32_t pattern_of(std::uint32_t position, MemorySpace space, const AccessCost& cost,
                           const TracedLanes& lanes, bool second);

  const Code& code_;
  SharedPadding padding_;
  std::vector<PaddedAlignment> alignment_;
  BlockTrace trace_;
  std::uint64_t most_steps_ = 0;
  std::vector<TracedPattern> patterns_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
};

struct AccessChanges;

/// Traces blocks of one launch, one at a time.
class LaunchTracer {
 public:
  /// The module, the function, the launch and the changes must outlive it; `changes` (null: none)
  /// are made to the code and to all that is traced, see trace_edit.hpp. Throws as `count_launch`
  /// does.
  LaunchTracer(const Module& module, const Function& function, const Launch& launch,
               const EmulationOptions& options = {}, const AccessChanges* changes = nullptr);
  ~LaunchTracer();
  LaunchTracer(const LaunchTracer&) = delete;
  LaunchTracer& operator=(const LaunchTracer&) = delete;

  /// Runs block `index` (x fastest) alone, up to `most_steps` warp instructions. Throws as
  /// `count_launch` does.
  BlockTrace trace(std::uint64_t index, std::uint64_t most_steps);

  /// Number of the buffer or variable that holds a sector of global memory (address / 32); the same
  /// for all sectors outside of any.
  [[nodiscard]] std::size_t buffer_of(std::uint64_t sector) const;

  /// See TraceRecorder.
  void pad_shared(const SharedPadding& padding);
  [[nodiscard]] const std::vector<PaddedAlignment>& alignment() const;

  [[nodiscard]] const Code& code() const;
  [[nodiscard]] const std::vector<TracedPattern>& patterns() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace perfmodel::sass
