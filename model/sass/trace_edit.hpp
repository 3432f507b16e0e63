#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/sass/instruction.hpp"
#include "model/sass/mergeable.hpp"
#include "model/sass/trace.hpp"

namespace perfmodel::sass {

/// What is different about the accesses of a launch.
struct AccessChanges {
  std::vector<MergeableRun> runs;    ///< to merge
  std::vector<bool> unneeded;        ///< by position: not executed any longer
  SharedPadding padding;             ///< of shared memory; excludes `runs`
  std::vector<PaddedAccess> padded;  ///< with `padding`: by position
  bool no_bank_conflicts = false;    ///< shared memory: wavefronts fall to the conflict-free ones
  /// Global memory: loads and stores ask for the fewest sectors and lines that hold their bytes.
  bool coalesce = false;
};

/// What one instruction did in the blocks that were edited.
struct EditedCounts {
  double steps = 0;
  double requests = 0;
  double wavefronts = 0;         ///< of its first access
  double second_wavefronts = 0;  ///< LDGSTS: of its stores to shared memory
  double sectors = 0;            ///< global memory
  double lines = 0;
  double useful_bytes = 0;

  friend bool operator==(const EditedCounts&, const EditedCounts&) = default;
};

/// Changes traced blocks as if the code had been written another way.
///
/// A warp's coalesced access asks for the first lines of those it asked for before, and the next
/// one for the same lines for the lines behind them. So a warp that reads all of a set of lines
/// with scattered accesses reads all of it with coalesced ones, too, and no line twice as often.
class TraceEditor {
 public:
  /// Both must outlive it.
  TraceEditor(const Code& code, const AccessChanges& changes);

  /// The code with wide accesses.
  [[nodiscard]] const Code& code() const { return code_; }
  /// `patterns`: of all blocks so far, the trace's among them.
  BlockTrace edit(const BlockTrace& trace, const std::vector<TracedPattern>& patterns);
  /// Of the edited blocks so far.
  [[nodiscard]] const std::vector<TracedPattern>& patterns() const { return patterns_; }

  /// By position, over all blocks so far, without and with the changes.
  [[nodiscard]] const std::vector<EditedCounts>& before() const { return before_; }
  [[nodiscard]] const std::vector<EditedCounts>& after() const { return after_; }

 private:
  static constexpr std::uint32_t no_run = ~std::uint32_t{0};

  /// How often a warp has asked for a set of lines.
  using LineUses = std::unordered_map<std::uint64_t, std::uint32_t>;

  /// What becomes of each step of a warp.
  struct MergePlan;

  void edit_warp(const WarpTrace& warp, bool complete, const std::vector<TracedPattern>& patterns,
                 WarpTrace& edited);
  [[nodiscard]] MergePlan plan_merges(const WarpTrace& warp, bool complete) const;
  [[nodiscard]] bool is_unneeded(std::uint32_t position) const {
    return position < changes_.unneeded.size() && changes_.unneeded[position];
  }
  TracedAccess changed(TracedAccess access, const PaddedPart& part,
                       const std::vector<TracedPattern>& patterns, LineUses& uses);
  [[nodiscard]] TracedPattern without_conflicts(TracedPattern pattern) const;
  TracedAccess merged(const MergeableRun& run, std::span<const TracedAccess> accesses,
                      const std::vector<TracedPattern>& patterns);
  TracedAccess coalesced(TracedAccess access, const TracedPattern& pattern, LineUses& uses);
  std::uint32_t index_of(std::uint32_t pattern, std::uint32_t variant, const auto& make);

  const AccessChanges& changes_;
  Code code_;
  std::vector<std::uint32_t> run_at_;              ///< by first position
  std::vector<std::vector<PaddedPart>> parts_of_;  ///< by position, one or more
  std::vector<TracedPattern> patterns_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  ///< by pattern and what became of it
  std::vector<EditedCounts> before_;
  std::vector<EditedCounts> after_;
};

}  // namespace perfmodel::sass
