#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/sass/launch.hpp"

namespace perfmodel::sass {

/// The execution unit that an instruction goes to.
enum class Pipe : std::uint8_t { fma, alu, xu, fp64, tensor, lsu, uniform, control, other };
inline constexpr std::size_t pipe_count = 9;

/// "fma", "alu", ...
const char* pipe_name(Pipe pipe);

/// How the lanes of one access lie in memory, found from the addresses themselves.
enum class AccessClass : std::uint8_t {
  none,       ///< never executed, or no memory instruction
  broadcast,  ///< every active lane the same address
  distinct,   ///< shared memory: several words
  coalesced,  ///< global memory: no byte of a touched sector is unused
  strided,    ///< global memory: a constant distance from lane to lane that wastes bytes
  gather,     ///< global memory: anything else
};
const char* access_class_name(AccessClass access);

/// The memory an instruction touches.
enum class MemorySpace : std::uint8_t { none, shared, global, local, constant, generic };

/// Counts of one instruction over the launch. Estimates where blocks were sampled, but whole
/// numbers where every class of blocks was counted exactly.
struct InstructionCounts {
  double executions = 0;        ///< by warps, whether or not its guard let a lane through
  double active_lanes = 0;      ///< threads
  double predicated_lanes = 0;  ///< threads whose guard was true
  double taken = 0;             ///< executions of a branch that moved at least one lane
  double divergences = 0;       ///< executions of a branch that split its warp
  // Memory instructions only; a request is an execution with at least one lane.
  double requests = 0;
  double wavefronts = 0;              ///< passes of the shared-memory or L1 data pipe
  double second_wavefronts = 0;       ///< LDGSTS: of its stores to shared memory
  double ideal_wavefronts = 0;        ///< passes that the same bytes need without conflicts
  double sectors = 0;                 ///< global and local: distinct 32-byte sectors
  double lines = 0;                   ///< global and local: distinct 128-byte lines
  double useful_bytes = 0;            ///< distinct bytes asked for, summed over requests
  std::array<double, 6> by_access{};  ///< requests by AccessClass
  double stride_bytes = 0;            ///< the commonest distance between lanes, where strided

  friend bool operator==(const InstructionCounts&, const InstructionCounts&) = default;
};

/// One line of the annotated listing.
struct LedgerLine {
  std::uint32_t address = 0;
  std::string text;  ///< "@!P0 LDG.E R4, desc[UR8][R16.64]"
  std::string opcode;
  Pipe pipe = Pipe::other;
  MemorySpace space = MemorySpace::none;
  bool store = false;  ///< writes memory (atomics do both)
  bool atomic = false;
  std::uint32_t access_bytes = 0;  ///< per lane
  std::string source_file;         ///< may be empty
  std::uint32_t source_line = 0;
  InstructionCounts counts;
};

/// A loop: a backward branch and how often it was taken.
struct LoopCounts {
  std::uint32_t first_address = 0;
  std::uint32_t branch_address = 0;
  double entries = 0;     ///< by warps
  double iterations = 0;  ///< of all entries together

  [[nodiscard]] double trip_count() const { return entries > 0 ? iterations / entries : 0; }
};

/// Something wrong that running the code brought to light.
enum class DefectKind : std::uint8_t {
  out_of_bounds,
  misaligned,
  uninitialised_read,
  shared_race,
};
const char* defect_kind_name(DefectKind kind);

struct Defect {
  DefectKind kind = DefectKind::out_of_bounds;
  std::uint32_t address = 0;  ///< of the instruction
  std::string source_file;
  std::uint32_t source_line = 0;
  std::string
      what;  ///< "block (0,0,0), thread (5,0,0) reads 4 bytes at ..., 4 bytes behind buffer 1"
  std::uint64_t occurrences = 0;  ///< lanes, in the emulated blocks
};

/// How the blocks that were emulated stand for the whole grid.
enum class Sampling : std::uint8_t {
  all,      ///< every block
  classes,  ///< one block of each class, whose members were found to agree
  random,   ///< random blocks; totals are estimates with a confidence interval
};
const char* sampling_name(Sampling sampling);

/// Totals of the launch.
struct MachineTotals {
  double warp_instructions = 0;
  double thread_instructions = 0;  ///< of lanes whose guard was true
  std::array<double, pipe_count> by_pipe{};
  std::vector<std::pair<std::string, double>> by_opcode;  ///< full opcode, descending
  double shared_load_instructions = 0;
  double shared_load_wavefronts = 0;
  double shared_store_instructions = 0;
  double shared_store_wavefronts = 0;
  double global_load_requests = 0;
  double global_load_sectors = 0;
  double global_load_lines = 0;
  double global_load_useful_bytes = 0;
  double global_store_requests = 0;
  double global_store_sectors = 0;
  double global_store_lines = 0;
  double global_store_useful_bytes = 0;
  double local_requests = 0;
  double local_sectors = 0;
  double atomic_requests = 0;
  double lsu_wavefronts = 0;  ///< shared, global and local, loads and stores
  double barriers = 0;        ///< executions of BAR by warps
  double branches = 0;
  double divergent_branches = 0;
  double fp32_fmas = 0;  ///< lanes of FFMA (twice those of FFMA2)
  double fp64_fmas = 0;
  double fp16_fmas = 0;  ///< lanes of HFMA2, twice, but for those that only move a constant
};

/// The exact dynamic ledger of one launch, counted by emulating its machine code.
struct MachineLedger {
  std::string kernel;  ///< mangled
  std::string arch;
  Launch launch;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;  ///< static and dynamic, per block
  std::uint64_t blocks_total = 0;
  std::uint64_t blocks_emulated = 0;
  Sampling sampling = Sampling::all;
  /// Proved from the code: no loaded value can change which instructions run or what they address.
  bool data_independent = false;
  /// 95 % confidence half-width of warp_instructions over its estimate; 0 unless random.
  double relative_uncertainty = 0;
  MachineTotals totals;
  double unique_bytes_per_block = 0;  ///< mean over blocks; distinct 32-byte sectors, times 32
  std::vector<LedgerLine> lines;      ///< the whole function, in order of address
  std::vector<LoopCounts> loops;
  std::vector<Defect> defects;
  /// Opcodes whose results the emulator does not compute (tensor cores, TMA), with executions.
  std::vector<std::pair<std::string, double>> not_computed;
  bool results_affected = false;  ///< and whether addresses or control flow depended on them
  std::vector<std::pair<std::string, double>> unknown;  ///< only with count_unknown
};

}  // namespace perfmodel::sass
