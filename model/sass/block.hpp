#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "model/sass/access_pattern.hpp"
#include "model/sass/instruction.hpp"
#include "model/sass/launch.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/sass/memory.hpp"
#include "model/sass/module.hpp"

namespace perfmodel::sass {

class FootprintRecorder;
class TraceRecorder;

inline constexpr std::uint32_t full_mask = 0xffffffffU;

/// What all blocks of a launch share. Read-only while blocks run, except the memory.
struct LaunchContext {
  const Module* module = nullptr;
  const Function* function = nullptr;
  const Code* code = nullptr;
  const Launch* launch = nullptr;
  GlobalMemory* memory = nullptr;
  std::vector<Row> pool;                      ///< as Code::pool, with the constants filled in
  std::vector<std::vector<std::byte>> banks;  ///< by number
  std::uint32_t shared_bytes = 0;             ///< static and dynamic
  std::uint32_t local_bytes = 0;              ///< per thread
  std::uint64_t instruction_budget = 0;       ///< per block
  bool defects = true;                        ///< look for races and unwritten memory
};

/// A sum that depends on where in memory a block works, in steps that positions in the grid do not
/// show: blocks that count the same otherwise are the same, and their mean stands for them.
struct AddressDependent {
  double sum = 0;

  friend bool operator==(const AddressDependent& /*left*/, const AddressDependent& /*right*/) {
    return true;
  }
};

/// Counts of one instruction over the blocks run so far; see InstructionCounts.
struct InstructionCounter {
  std::uint64_t executions = 0;
  std::uint64_t active_lanes = 0;
  std::uint64_t predicated_lanes = 0;
  std::uint64_t divergences = 0;
  std::uint64_t taken = 0;  ///< executions of a branch that moved at least one lane
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;
  AddressDependent miss_wavefronts;     ///< of requests that L1 takes apart by tag banks
  std::uint64_t second_wavefronts = 0;  ///< LDGSTS: of the shared side
  std::uint64_t ideal_wavefronts = 0;
  std::uint64_t sectors = 0;
  std::uint64_t lines = 0;
  std::uint64_t useful_bytes = 0;
  std::array<std::uint64_t, 6> by_access{};
  std::int32_t stride_bytes = 0;  ///< majority vote within a block, clearest vote among blocks
  std::uint64_t stride_votes = 0;

  InstructionCounter& operator+=(const InstructionCounter& other);
  friend bool operator==(const InstructionCounter&, const InstructionCounter&) = default;
};

/// Counts of whole blocks.
struct BlockCounts {
  std::vector<InstructionCounter> instructions;
  std::uint64_t unique_sectors = 0;  ///< of global memory, block by block

  BlockCounts& operator+=(const BlockCounts& other);
  friend bool operator==(const BlockCounts&, const BlockCounts&) = default;
};

/// Why a group of lanes does not run.
enum class Wait : std::uint8_t { none, convergence, warp_sync, barrier };

/// Lanes of a warp that stand at the same instruction.
struct LaneGroup {
  std::uint32_t position = 0;  ///< index of the instruction to run next
  std::uint32_t mask = 0;
  Wait wait = Wait::none;
  std::uint8_t which = 0;       ///< convergence register or barrier
  std::uint32_t sync_mask = 0;  ///< WARPSYNC: lanes to wait for
};

/// A load from global memory whose data is on its way. Times are a warp's own, in instructions.
struct AwaitedLoad {
  std::uint64_t arrives = 0;
  std::uint64_t used = 0;  ///< instructions that the warp has executed when it needs the result
};

struct Warp {
  std::uint32_t number = 0;
  std::uint32_t live = 0;  ///< lanes that have not exited
  Row* rows = nullptr;
  std::array<std::uint32_t, predicate_count> predicates{};
  std::array<Row, 16> convergence{};  ///< by register: for each lane, the lanes it meets
  std::vector<LaneGroup> groups;
  std::size_t current = 0;       ///< index in groups
  std::vector<std::byte> local;  ///< 32 threads, interleaved by 4 bytes
  std::uint32_t barrier_result = 0;
  bool yielded = false;            ///< in its current turn
  std::uint64_t executed = 0;      ///< instructions before its current turn
  std::uint64_t waited = 0;        ///< for loads, in instructions that would have taken as long
  std::uint64_t last_arrival = 0;  ///< of the loads below and before
  std::vector<AwaitedLoad> awaited;
  std::vector<std::uint32_t> clock;  ///< of every warp, as far as this one is ordered behind it
};

/// A block barrier (BAR) and who has come to it.
struct Barrier {
  std::uint32_t expected_threads = 0;  ///< 0: all that still run
  std::uint32_t arrived_early = 0;     ///< threads of warps that did not wait (BAR.ARV)
  std::vector<std::uint32_t> early;    ///< those warps
  std::uint32_t popcount = 0;          ///< BAR.RED: lanes whose predicate was true
  bool all = true;
  AtomicOp reduction = AtomicOp::add;
};

/// Runs the blocks of one launch one by one, 32 lanes at a time, as the hardware would: lanes part
/// at divergent branches, meet again at convergence barriers, and warps take turns at block
/// barriers. One emulator per CPU thread.
class BlockEmulator {
 public:
  explicit BlockEmulator(const LaunchContext& context);
  ~BlockEmulator();
  BlockEmulator(const BlockEmulator&) = delete;
  BlockEmulator& operator=(const BlockEmulator&) = delete;

  /// Whether the blocks run from now on are searched for races and reads of unwritten memory.
  void set_find_defects(bool find) { find_defects_ = find && context_.defects; }

  /// Where the bytes of global memory go that the blocks run from now on touch; their accesses are
  /// then not counted. Nowhere: nullptr.
  void set_recorder(FootprintRecorder* recorder) { recorder_ = recorder; }

  /// Where the blocks run from now on are taken down, step by step; a block ends early once the
  /// recorder is full. Nowhere: nullptr.
  void set_trace(TraceRecorder* trace) { trace_ = trace; }

  /// Runs block `index` (x fastest) and adds to the counts. Throws Error bad_input on an endless
  /// loop, a deadlock at a barrier, a jump out of the code or a trap.
  void run(std::uint64_t index);
  /// Whether all warps of the last block came to their end; a full recorder may have stopped them.
  [[nodiscard]] bool has_ended() const;

  /// Instructions that took the emulator's time: those not skipped.
  [[nodiscard]] std::uint64_t work() const { return work_; }

  /// The counts so far; empties them.
  BlockCounts take_counts();
  /// Defects so far, by kind and instruction.
  using DefectKey = std::pair<DefectKind, std::uint32_t>;
  [[nodiscard]] const std::map<DefectKey, Defect>& defects() const { return defects_; }

 private:
  struct Memo;
  struct SharedShadow;

  // block.cpp
  void start(std::uint64_t index);
  void finish_counts();
  [[nodiscard]] std::uint64_t turn_length() const;
  [[noreturn]] void report_deadlock() const;
  [[noreturn]] void report_endless() const;
  [[nodiscard]] std::string where(std::uint32_t position) const;
  static bool select_group(Warp& warp, bool rotate);
  static void split(Warp& warp, std::uint32_t taken_mask, std::uint32_t taken_position,
                    std::uint32_t other_mask, std::uint32_t other_position);
  static void wait_for_convergence(Warp& warp, std::uint8_t which);
  static void release_convergence(Warp& warp);
  static void release_from_yielded(Warp& warp);
  static void wait_for_lanes(Warp& warp, std::uint32_t mask);
  static void leave(Warp& warp, std::uint32_t mask);
  void arrive_at_barrier(Warp& warp, const Instruction& instruction, std::uint32_t mask);
  void complete_barriers();
  void order_behind_barrier(const std::vector<std::uint32_t>& participants);

  // execute.cpp
  /// Runs the current group until it waits, exits, parts or has used up its turn.
  void run_turn(Warp& warp);
  void run_lanes(Warp& warp);
  void run_lanes_avx2(Warp& warp);
  void run_lanes_baseline(Warp& warp);

  // execute_control.cpp
  static std::size_t position_of_group(const Warp& warp, std::uint32_t mask);
  void jump_indirectly(Warp& warp, const Instruction& instruction, std::uint32_t mask,
                       InstructionCounter& counter);

  // block_memory.cpp
  struct Access;
  void execute_load(Warp& warp, Access& access);
  void execute_store(Warp& warp, Access& access);
  void execute_atomic(Warp& warp, Access& access);
  void execute_constant_load(Warp& warp, std::uint32_t position, std::uint32_t mask);
  void execute_async_copy(Warp& warp, std::uint32_t position, std::uint32_t mask);
  void execute_matrix_load(Warp& warp, std::uint32_t position, std::uint32_t mask);
  std::uint32_t resolve(const Warp& warp, std::uint32_t position, const AddressOperand& address,
                        MemorySpace space, std::uint32_t mask, Access& access) const;
  void check_bounds(Warp& warp, Access& access);
  std::byte* lane_bytes(Warp& warp, const Access& access, std::uint32_t lane);
  std::byte* common_bytes(const Access& access);
  const AccessCost& count_access(Warp& warp, const Access& access, bool second);
  bool count_miss(Warp& warp, const Access& access, const AccessCost& cost);
  std::uint64_t time_of(Warp& warp) const;
  [[nodiscard]] std::uint64_t pending_until(const Warp& warp, const Access& access,
                                            const AccessCost& cost) const;
  static AccessCost new_cost(const Access& access);
  Memo& cost_of(const Access& access, bool second);
  void note_shared(Warp& warp, const Access& access, bool write, bool atomic);
  template <bool IsWrite>
  bool note_clean_shared(const Warp& warp, const Access& access, const AccessCost& cost);
  void note_global(const Access& access, Warp& warp, bool write);
  void note_sectors(const Access& access, const AccessCost& cost);
  void trace_access(const Warp& warp, const Access& access, const Memo& memo, bool second);
  void add_defect(DefectKind kind, std::uint32_t position, const Warp& warp, std::uint32_t lane,
                  const std::string& what, std::uint64_t lanes = 1);

  // footprint_recorder.cpp
  void record_footprint(const Access& access, const Memo& memo);

  const LaunchContext& context_;
  const Code& code_;
  std::vector<Row> rows_;
  std::vector<Warp> warps_;
  std::vector<std::byte> shared_;
  std::unique_ptr<SharedShadow> shared_shadow_;
  std::array<Barrier, 16> barriers_{};
  bool find_defects_ = true;
  FootprintRecorder* recorder_ = nullptr;
  TraceRecorder* trace_ = nullptr;
  std::array<std::uint32_t, 3> block_{};  ///< x, y, z
  std::uint64_t executed_ = 0;            ///< warp instructions of this block
  std::uint64_t turn_start_ = 0;          ///< `executed_`, less those of the warp whose turn it is
  std::uint64_t work_ = 0;

  BlockCounts counts_;
  // Runs of instructions skipped together, as differences along the code.
  std::vector<std::int64_t> skipped_executions_;
  std::vector<std::int64_t> skipped_lanes_;
  std::uint64_t patterns_ = 0;
  std::vector<Memo> memos_;                ///< `memo_entries` for each address of an instruction
  std::vector<std::uint32_t> first_memo_;  ///< by instruction
  struct Touched;
  struct LastSectors;
  std::vector<Touched> touched_;           ///< by region
  std::vector<LastSectors> last_sectors_;  ///< by first sector, modulo their number
  std::vector<std::uint64_t> fresh_;       ///< sectors that the last access touched first
  struct PendingSector;
  std::vector<PendingSector> pending_;  ///< by sector, modulo their number
  std::map<DefectKey, Defect> defects_;
};

}  // namespace perfmodel::sass
