#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/sass/instruction.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/sass/shared_padding.hpp"
#include "model/sass/trace.hpp"

namespace perfmodel::sass {

/// Narrow accesses that one wide access can replace: instructions of one kind, in a stretch of code
/// without jumps, barriers or accesses that could come between them. To shared memory: under one
/// guard, with one base register that keeps its value. To global memory: such, or whole aligned
/// rows wherever they lie.
struct MergeableRun {
  std::vector<std::uint32_t> positions;  ///< in order of the code
  std::uint32_t leader = 0;              ///< whose place the wide access takes: of loads the first
                                         ///< position, of stores the last
  std::uint32_t lowest = 0;              ///< where they are neighbours: of the lowest address
  std::uint32_t bytes = 0;               ///< of a lane, 8 or 16
  /// A lane's words lie side by side. Otherwise lanes do, and so do the accesses of the warp: the
  /// words of a lane come together once the array is laid out another way.
  bool adjacent = true;

  friend bool operator==(const MergeableRun&, const MergeableRun&) = default;
};

/// Runs of 32-bit and 64-bit accesses to shared or global memory that merge. `lines`: the ledger's,
/// by position, for how lanes lie. Registers are not looked at: a wide access needs its own in a
/// row, and loads that move up hold theirs for longer.
std::vector<MergeableRun> find_mergeable_runs(const Code& code, std::span<const LedgerLine> lines,
                                              MemorySpace space);

/// Of runs in global memory, keeps those that `traces`, made by `tracer`, show to be of one buffer,
/// and always to begin at a multiple of the wide access's width.
void keep_real(std::vector<MergeableRun>& runs, std::span<const BlockTrace> traces,
               const LaunchTracer& tracer);

/// By position: what nothing needs any longer once only the leaders of the runs are left, such as
/// addresses and guards of the others.
std::vector<bool> unneeded_when_merged(const Code& code, std::span<const MergeableRun> runs);

/// Who comes behind instructions that are gone waits for what they waited for: a warp issues in
/// order.
void pass_waits_on(Code& code, const std::vector<bool>& gone);

/// Makes the leaders of the runs wide, and whoever waits for one of the others wait for its leader.
void merge_accesses(Code& code, std::span<const MergeableRun> runs);

/// By position: how accesses are written in a padded layout, of which `alignment` is known. Loads
/// of neighbouring addresses share the aligned words between them.
std::vector<PaddedAccess> padded_accesses(const Code& code,
                                          std::span<const PaddedAlignment> alignment);

}  // namespace perfmodel::sass
