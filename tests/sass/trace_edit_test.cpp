#include "model/sass/trace_edit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "tests/sass/assembled.hpp"

namespace perfmodel::sass::testing {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// A kernel, its ledger, and its first block traced.
struct Traced {
  explicit Traced(const Assembled& kernel, std::uint64_t most_steps = no_limit)
      : ledger(kernel.count()),
        tracer(kernel.module, kernel.module.functions.front(), kernel.launch),
        trace(tracer.trace(0, most_steps)) {}

  [[nodiscard]] std::vector<MergeableRun> runs() const {
    return find_mergeable_runs(tracer.code(), ledger.lines);
  }

  MachineLedger ledger;
  LaunchTracer tracer;
  BlockTrace trace;
};

/// R1 holds the thread, R2 what is a multiple of it in shared memory.
std::string shared_kernel(const std::string& lane_bytes, const std::string& body) {
  return "S2R R1,SR_TID.X\nIMAD R2,R1," + lane_bytes + ",RZ\n" + body + "EXIT\n";
}

/// One warp with 4 KiB of shared memory, all of it written.
Assembled one_warp(const std::string& text) { return Assembled(text).shared(16384).block(32); }

using Positions = std::vector<std::uint32_t>;

TEST(MergeableRuns, WordsOfALaneSideBySide) {
  const Traced traced(one_warp(
      shared_kernel("0x10", "LDS R4,[R2+0x8]\nLDS R5,[R2]\nLDS R6,[R2+0xc]\nLDS R7,[R2+0x4]\n")));
  const std::vector<MergeableRun> runs = traced.runs();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].positions, (Positions{2, 3, 4, 5}));
  EXPECT_EQ(runs[0].leader, 2U);
  EXPECT_EQ(runs[0].lowest, 3U);
  EXPECT_EQ(runs[0].bytes, 16U);
  EXPECT_TRUE(runs[0].adjacent);
}

TEST(MergeableRuns, LanesSideBySide) {
  const Traced traced(one_warp(shared_kernel("0x4", "LDS R4,[R2]\nLDS R5,[R2+0x80]\n")));
  const std::vector<MergeableRun> runs = traced.runs();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].bytes, 8U);
  EXPECT_FALSE(runs[0].adjacent);
}

TEST(MergeableRuns, OfStoresTheLastLeads) {
  const Traced traced(one_warp(shared_kernel("0x10", "STS [R2],R4\nSTS [R2+0x4],R5\n")));
  const std::vector<MergeableRun> runs = traced.runs();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].leader, 3U);
  EXPECT_EQ(runs[0].lowest, 2U);
}

TEST(MergeableRuns, NotWhatIsFarApart) {
  // Lanes 16 bytes apart: what lies 128 bytes on belongs to another lane's words.
  EXPECT_TRUE(
      Traced(one_warp(shared_kernel("0x10", "LDS R4,[R2]\nLDS R5,[R2+0x80]\n"))).runs().empty());
  EXPECT_TRUE(
      Traced(one_warp(shared_kernel("0x10", "LDS R4,[R2]\nLDS R5,[R2+0x8]\n"))).runs().empty());
}

TEST(MergeableRuns, NotAcrossWhatMayComeBetween) {
  const auto between = [](const std::string& instruction) {
    return Traced(one_warp(
                      shared_kernel("0x10", "LDS R4,[R2]\n" + instruction + "\nLDS R5,[R2+0x4]\n")))
        .runs()
        .size();
  };
  EXPECT_EQ(between("FADD R8,R9,R9"), 1U);
  EXPECT_EQ(between("BAR.SYNC.DEFER_BLOCKING 0x0"), 0U);
  EXPECT_EQ(between("STS [R1],R9"), 0U);
  EXPECT_EQ(between("IADD3 R2,R2,0x10,RZ"), 0U) << "another base";
}

TEST(MergeableRuns, NotUnderDifferentGuards) {
  EXPECT_TRUE(Traced(one_warp("S2R R1,SR_TID.X\nIMAD R2,R1,0x10,RZ\nISETP.LT.AND P0,PT,R1,0x8,PT\n"
                              "@P0 LDS R4,[R2]\n@!P0 LDS R5,[R2+0x4]\nEXIT\n"))
                  .runs()
                  .empty());
}

TEST(MergeAccesses, WhoWaitedForTheOthersWaitsForTheLeader) {
  const Traced traced(one_warp(
      shared_kernel("0x10", "LDS R4,[R2]\nLDS R5,[R2+0x4]\nFADD R6,R5,R5\nFADD R7,R4,R4\n")));
  Code code = traced.tracer.code();
  code.instructions[2].control.write_barrier = 0;
  code.instructions[3].control.write_barrier = 1;
  code.instructions[4].control.wait_mask = 0b10;
  code.instructions[5].control.wait_mask = 0b01;
  merge_accesses(code, traced.runs());
  EXPECT_EQ(code.instructions[2].access_bytes, 8);
  EXPECT_EQ(code.instructions[4].control.wait_mask, 0b11);
  EXPECT_EQ(code.instructions[5].control.wait_mask, 0b01);
}

TEST(TraceEditor, FourLoadsBecomeOne) {
  // 32 lanes 16 bytes apart: each narrow load hits eight banks four times, the wide one takes the
  // 512 bytes in four passes.
  const Traced traced(one_warp(
      shared_kernel("0x10", "LDS R4,[R2]\nLDS R5,[R2+0x4]\nLDS R6,[R2+0x8]\nLDS R7,[R2+0xc]\n")));
  AccessChanges changes;
  changes.runs = traced.runs();
  TraceEditor editor(traced.tracer.code(), changes);
  const BlockTrace edited = editor.edit(traced.trace, traced.tracer.patterns());
  EXPECT_EQ(traced.trace.steps - edited.steps, 3U);
  ASSERT_EQ(edited.warps[0].accesses.size(), 1U);
  const TracedPattern& wide = editor.patterns().at(edited.warps[0].accesses[0].pattern);
  EXPECT_EQ(wide.wavefronts, 4U);
  EXPECT_EQ(wide.register_rows, 4U);
  EXPECT_EQ(wide.useful_bytes, 512U);
  EXPECT_EQ(editor.before()[2].wavefronts, 4);
  EXPECT_EQ(editor.before()[5].steps, 1);
  EXPECT_EQ(editor.after()[5], EditedCounts{});
}

TEST(TraceEditor, AWideBroadcastTakesTwoPasses) {
  const Traced traced(
      one_warp("MOV R2,RZ\nLDS R4,[R2]\nLDS R5,[R2+0x4]\nLDS R6,[R2+0x8]\n"
               "LDS R7,[R2+0xc]\nEXIT\n"));
  AccessChanges changes;
  changes.runs = traced.runs();
  TraceEditor editor(traced.tracer.code(), changes);
  const BlockTrace edited = editor.edit(traced.trace, traced.tracer.patterns());
  ASSERT_EQ(edited.warps[0].accesses.size(), 1U);
  EXPECT_EQ(editor.patterns().at(edited.warps[0].accesses[0].pattern).wavefronts, 2U);
}

TEST(TraceEditor, LanesSideBySideTakeAsManyPassesAsBefore) {
  const Traced traced(one_warp(shared_kernel(
      "0x4", "LDS R4,[R2]\nLDS R5,[R2+0x80]\nLDS R6,[R2+0x100]\nLDS R7,[R2+0x180]\n")));
  AccessChanges changes;
  changes.runs = traced.runs();
  TraceEditor editor(traced.tracer.code(), changes);
  const BlockTrace edited = editor.edit(traced.trace, traced.tracer.patterns());
  ASSERT_EQ(edited.warps[0].accesses.size(), 1U);
  EXPECT_EQ(editor.patterns().at(edited.warps[0].accesses[0].pattern).wavefronts, 4U);
}

TEST(TraceEditor, ARunThatTheTraceCutsOffMergesAsFarAsItGoes) {
  const Traced traced(one_warp(shared_kernel("0x10",
                                             "LDS R4,[R2]\nLDS R5,[R2+0x4]\nLDS R6,[R2+0x8]\n"
                                             "LDS R7,[R2+0xc]\n")));
  BlockTrace cut = traced.trace;
  cut.complete = false;
  cut.warps[0].steps.resize(4);
  cut.warps[0].accesses.resize(2);
  AccessChanges changes;
  changes.runs = traced.runs();
  TraceEditor editor(traced.tracer.code(), changes);
  EXPECT_EQ(editor.edit(cut, traced.tracer.patterns()).steps, 3U);
}

TEST(TraceEditor, WithoutBankConflicts) {
  // A column of a tile with rows of 128 bytes: 32 words of one bank.
  const Traced traced(one_warp(shared_kernel("0x80", "STS [R2],R1\nLDS R4,[R2]\n")));
  AccessChanges changes;
  changes.no_bank_conflicts = true;
  TraceEditor editor(traced.tracer.code(), changes);
  const BlockTrace edited = editor.edit(traced.trace, traced.tracer.patterns());
  EXPECT_EQ(editor.before()[2].wavefronts, 32);
  EXPECT_EQ(editor.after()[2].wavefronts, 1);
  EXPECT_EQ(editor.after()[3].wavefronts, 1);
  EXPECT_EQ(edited.steps, traced.trace.steps);
}

TEST(TraceEditor, AWideBroadcastHasNoBankConflict) {
  const Traced traced(one_warp("MOV R2,RZ\nLDS.128 R4,[R2]\nEXIT\n"));
  AccessChanges changes;
  changes.no_bank_conflicts = true;
  TraceEditor editor(traced.tracer.code(), changes);
  editor.edit(traced.trace, traced.tracer.patterns());
  EXPECT_EQ(editor.before(), editor.after());
}

/// Thread t reads `loads` words one behind the other, from t * `lane_bytes` on.
Assembled strided(std::uint32_t lane_bytes, int loads) {
  std::string text =
      "S2R R1,SR_TID.X\nIMAD.WIDE.U32 R2,R1," + std::to_string(lane_bytes) + ",c[0x0][0x210]\n";
  for (int i = 0; i < loads; ++i) {
    text += "LDG.E R4,[R2.64+" + std::to_string(4 * i) + "]\n";
  }
  return Assembled(text + "EXIT\n").buffer(32 * 1024).block(32);
}

TEST(TraceEditor, CoalescedLoadsReadAllThatScatteredOnesRead) {
  // Rows of 128 bytes, a lane each: 32 loads of 32 sectors read every byte of 32 lines.
  const Traced traced(strided(128, 32));
  AccessChanges changes;
  changes.coalesce = true;
  TraceEditor editor(traced.tracer.code(), changes);
  const BlockTrace edited = editor.edit(traced.trace, traced.tracer.patterns());
  std::vector<std::uint64_t> sectors;
  for (const TracedAccess& access : edited.warps[0].accesses) {
    const TracedPattern& pattern = editor.patterns().at(access.pattern);
    EXPECT_EQ(pattern.sectors.size(), 4U);
    EXPECT_EQ(pattern.lines, 1U);
    EXPECT_EQ(pattern.wavefronts, 1U);
    for (const std::int32_t offset : pattern.sectors) {
      sectors.push_back(access.first_sector + static_cast<std::uint64_t>(std::int64_t{offset}));
    }
  }
  std::ranges::sort(sectors);
  EXPECT_EQ(std::ranges::unique(sectors).size(), 0U) << "none twice";
  EXPECT_EQ(sectors.size(), 128U);
  EXPECT_EQ(sectors.back() - sectors.front(), 127U);
  EXPECT_EQ(editor.before()[2].sectors, 32);
  EXPECT_EQ(editor.after()[2].sectors, 4);
}

TEST(TraceEditor, CoalescedAccessesStay) {
  const Traced traced(strided(4, 1));
  AccessChanges changes;
  changes.coalesce = true;
  TraceEditor editor(traced.tracer.code(), changes);
  editor.edit(traced.trace, traced.tracer.patterns());
  EXPECT_EQ(editor.before(), editor.after());
}

}  // namespace
}  // namespace perfmodel::sass::testing
