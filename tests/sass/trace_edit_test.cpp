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

  [[nodiscard]] std::vector<MergeableRun> runs(MemorySpace space = MemorySpace::shared) const {
    return find_mergeable_runs(tracer.code(), ledger.lines, space);
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
  const std::uint16_t own = 1U << first_extra_barrier;
  EXPECT_EQ(code.instructions[2].control.write_barrier, first_extra_barrier);
  EXPECT_EQ(code.instructions[4].control.wait_mask, own) << "and no longer for the other";
  EXPECT_EQ(code.instructions[5].control.wait_mask, own);
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

/// R2 holds an address in the buffer, `lane_bytes` from lane to lane; four rows of 4096 bytes.
Assembled global_kernel(std::uint32_t lane_bytes, const std::string& body) {
  return Assembled("S2R R1,SR_TID.X\nIMAD.WIDE.U32 R2,R1," + std::to_string(lane_bytes) +
                   ",c[0x0][0x210]\n" + body + "EXIT\n")
      .buffer(16384)
      .block(32);
}

TEST(MergeableRuns, WordsOfAStructureInGlobalMemory) {
  const Traced traced(global_kernel(
      16, "LDG.E R4,[R2.64]\nLDG.E R5,[R2.64+0x4]\nLDG.E R6,[R2.64+0x8]\nLDG.E R7,[R2.64+0xc]\n"));
  const std::vector<MergeableRun> runs = traced.runs(MemorySpace::global);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_TRUE(runs[0].adjacent);
  AccessChanges changes;
  changes.runs = runs;
  TraceEditor editor(traced.tracer.code(), changes);
  const BlockTrace edited = editor.edit(traced.trace, traced.tracer.patterns());
  ASSERT_EQ(edited.warps[0].accesses.size(), 1U);
  const TracedPattern& wide = editor.patterns().at(edited.warps[0].accesses[0].pattern);
  EXPECT_EQ(wide.sectors.size(), 16U) << "each once, not with each word";
  EXPECT_EQ(wide.lines, 4U);
  EXPECT_EQ(wide.wavefronts, 4U);
  EXPECT_EQ(wide.register_rows, 4U);
  EXPECT_EQ(wide.useful_bytes, 512U);
}

TEST(MergeableRuns, RowsWhereverTheyLie) {
  // Each row has an address and a bound of its own, which only its load needs.
  std::string body;
  for (int row = 0; row < 4; ++row) {
    const std::string number = std::to_string(row);
    body += "IADD3 R10,R1," + number + ",RZ\nISETP.LT.AND P0,PT,R10,0x80,PT\n" +
            "IMAD.WIDE.U32 R8,R1,0x4,R2\nIADD3 R8,R8," + std::to_string(4096 * row) + ",RZ\n" +
            "@P0 LDG.E R" + std::to_string(4 + row) + ",[R8.64]\n";
  }
  body += "FADD R4,R4,R5\nFADD R6,R6,R7\nFADD R4,R4,R6\nSTG.E [R2.64],R4\n";
  const Traced traced(global_kernel(0, body));
  const std::vector<MergeableRun> runs = traced.runs(MemorySpace::global);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_FALSE(runs[0].adjacent);
  EXPECT_EQ(runs[0].positions, (Positions{6, 11, 16, 21}));
  const std::vector<bool> unneeded = unneeded_when_merged(traced.tracer.code(), runs);
  for (std::uint32_t i = 0; i < unneeded.size(); ++i) {
    const bool for_another_row = i >= 7 && i <= 20 && i != 11 && i != 16;
    EXPECT_EQ(unneeded[i], for_another_row) << i;
  }
  AccessChanges changes;
  changes.runs = runs;
  changes.unneeded = unneeded;
  TraceEditor editor(traced.tracer.code(), changes);
  const BlockTrace edited = editor.edit(traced.trace, traced.tracer.patterns());
  EXPECT_EQ(traced.trace.steps - edited.steps, 3U + 12U);
  const TracedPattern& wide = editor.patterns().at(edited.warps[0].accesses[0].pattern);
  EXPECT_EQ(wide.lines, 4U);
  EXPECT_EQ(wide.sectors.size(), 16U);
  EXPECT_EQ(wide.sectors.back(), 3 * 128 + 3);
}

TEST(KeepReal, LeavesOutRowsThatBeginBetweenMultiples) {
  const auto kept = [](const std::string& body) {
    const Traced traced(global_kernel(4, body));
    std::vector<MergeableRun> runs = traced.runs(MemorySpace::global);
    EXPECT_EQ(runs.size(), 1U);
    keep_real(runs, std::span(&traced.trace, 1), traced.tracer);
    return runs.size();
  };
  EXPECT_EQ(kept("LDG.E R4,[R2.64]\nLDG.E R5,[R2.64+0x408]\n"), 1U);
  EXPECT_EQ(kept("LDG.E R4,[R2.64+0x4]\nLDG.E R5,[R2.64+0x404]\n"), 0U);
}

TEST(KeepReal, LeavesOutRowsOfSeveralBuffers) {
  // One word of each of two vectors: no thread could take two of one instead.
  const Traced traced(Assembled("S2R R1,SR_TID.X\nIMAD.WIDE.U32 R2,R1,0x4,c[0x0][0x210]\n"
                                "IMAD.WIDE.U32 R4,R1,0x4,c[0x0][0x218]\nLDG.E R6,[R2.64]\n"
                                "LDG.E R7,[R4.64]\nFADD R6,R6,R7\nSTG.E [R2.64],R6\nEXIT\n")
                          .buffer(4096)
                          .buffer(4096)
                          .block(32));
  std::vector<MergeableRun> runs = traced.runs(MemorySpace::global);
  EXPECT_EQ(runs.size(), 1U);
  keep_real(runs, std::span(&traced.trace, 1), traced.tracer);
  EXPECT_TRUE(runs.empty());
}

TEST(UnneededWhenMerged, WhatIsStoredStays) {
  const Traced traced(
      global_kernel(16, "FADD R4,R1,R1\nFADD R5,R4,R1\nSTG.E [R2.64],R4\nSTG.E [R2.64+0x4],R5\n"));
  const std::vector<MergeableRun> runs = traced.runs(MemorySpace::global);
  ASSERT_EQ(runs.size(), 1U);
  const std::vector<bool> unneeded = unneeded_when_merged(traced.tracer.code(), runs);
  EXPECT_EQ(std::ranges::count(unneeded, true), 0);
}

TEST(TraceEditor, WhoComesBehindWhatIsGoneWaitsInstead) {
  const Traced traced(one_warp("FADD R4,R1,R1\nFADD R5,R1,R1\nEXIT\n"));
  Code code = traced.tracer.code();
  code.instructions[0].control.wait_mask = 0b10;
  AccessChanges changes;
  changes.unneeded = {true, false, false};
  const TraceEditor editor(code, changes);
  EXPECT_EQ(editor.code().instructions[1].control.wait_mask, 0b10);
}

/// A gap of so many bytes behind each 128 bytes of shared memory.
struct Padded {
  Padded(const Assembled& kernel, std::uint32_t pad_bytes)
      : padding{128, pad_bytes, 0},
        tracer(kernel.module, kernel.module.functions.front(), kernel.launch) {
    tracer.pad_shared(padding);
    const BlockTrace trace = tracer.trace(0, no_limit);
    changes.padding = padding;
    changes.padded = padded_accesses(tracer.code(), tracer.alignment());
    TraceEditor editor(tracer.code(), changes);
    edited = editor.edit(trace, tracer.patterns());
    after = editor.after();
    for (const TracedAccess& access : edited.warps[0].accesses) {
      patterns.push_back(editor.patterns().at(access.pattern));
    }
  }

  SharedPadding padding;
  LaunchTracer tracer;
  AccessChanges changes;
  BlockTrace edited;
  std::vector<EditedCounts> after;
  std::vector<TracedPattern> patterns;  ///< of the first warp's accesses, in order
};

TEST(PaddedRows, AColumnHasNoConflicts) {
  const Assembled kernel = one_warp(shared_kernel("0x80", "STS [R2],R1\nLDS R4,[R2]\n"));
  EXPECT_EQ(Padded(kernel, 4).after[3].wavefronts, 1);
  EXPECT_EQ(Padded(kernel, 8).after[3].wavefronts, 2);
  EXPECT_EQ(Padded(kernel, 16).after[3].wavefronts, 4);
  EXPECT_EQ(Padded(kernel, 128).after[3].wavefronts, 32);
}

TEST(PaddedRows, NeighboursThatLoseTheirAlignmentTakeOneAccessMore) {
  // 32 bytes of the second row, which begins four bytes later: three accesses of 16, where only
  // four bytes of the last one are wanted.
  const Padded padded(one_warp("MOV R2,0x80\nLDS.128 R4,[R2]\nLDS.128 R8,[R2+0x10]\nEXIT\n"), 4);
  EXPECT_EQ(padded.after[1].requests, 1);
  EXPECT_EQ(padded.after[2].requests, 2);
  ASSERT_EQ(padded.patterns.size(), 3U);
  EXPECT_EQ(padded.patterns[0].register_rows, 4U);
  EXPECT_EQ(padded.patterns[2].register_rows, 1U);
  EXPECT_EQ(padded.patterns[2].wavefronts, 1U);
}

TEST(PaddedRows, AlignedAccessesStay) {
  // The fifth row begins 16 bytes later.
  const Padded padded(one_warp("MOV R2,0x200\nLDS.128 R4,[R2]\nEXIT\n"), 4);
  EXPECT_EQ(padded.patterns.size(), 1U);
  EXPECT_EQ(padded.changes.padded[1], PaddedAccess{});
}

TEST(PaddedRows, WhereLanesDifferItGoesWordByWord) {
  // Each lane 16 bytes of a row of its own.
  const Padded padded(one_warp(shared_kernel("0x80", "LDS.128 R4,[R2]\n")), 4);
  EXPECT_EQ(padded.after[2].steps, 4);
  ASSERT_EQ(padded.patterns.size(), 4U);
  EXPECT_EQ(padded.patterns[0].register_rows, 1U);
  EXPECT_EQ(padded.patterns[0].wavefronts, 1U);
}

TEST(PaddedRows, AStoreOverwritesNothingBeside) {
  const Padded padded(one_warp("MOV R2,0x80\nSTS.64 [R2],R4\nEXIT\n"), 4);
  EXPECT_EQ(padded.after[1].steps, 2);
  EXPECT_EQ(padded.patterns.at(0).register_rows, 1U);
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
