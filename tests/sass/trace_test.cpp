#include "model/sass/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "model/error.hpp"
#include "tests/sass/assembled.hpp"
#include "tests/sass/trace_sums.hpp"

namespace perfmodel::sass::testing {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// A kernel with its tracer.
struct Traced {
  explicit Traced(const Assembled& kernel)
      : tracer(kernel.module, kernel.module.functions.front(), kernel.launch) {}

  BlockTrace block(std::uint64_t index = 0, std::uint64_t most_steps = no_limit) {
    return tracer.trace(index, most_steps);
  }
  [[nodiscard]] const TracedPattern& pattern(const BlockTrace& trace, std::size_t access,
                                             std::size_t warp = 0) const {
    return tracer.patterns().at(trace.warps.at(warp).accesses.at(access).pattern);
  }

  LaunchTracer tracer;
};

/// R2 holds the address of the thread's four bytes in the first buffer, R1 the thread.
const std::string thread_address = "S2R R1,SR_TID.X\nIMAD.WIDE.U32 R2,R1,0x4,c[0x0][0x210]\n";

TEST(Trace, AddsUpToTheLedgerOfItsBlock) {
  // Three warps, the last of six threads: columns of a tile in shared memory, four times over.
  const Assembled kernel =
      Assembled(thread_address +
                "MOV R8,RZ\nIMAD R5,R1,0x80,RZ\nloop:\nLDG.E R4,[R2.64]\nSTS [R5],R4\n"
                "BAR.SYNC.DEFER_BLOCKING 0x0\nLDS.64 R6,[R5]\nFADD R6,R6,R7\n"
                "STG.E [R2.64+0x200],R6\nIADD3 R8,R8,0x1,RZ\nISETP.LT.AND P0,PT,R8,0x4,PT\n"
                "@P0 BRA loop\nEXIT")
          .buffer(1024)
          .block(70)
          .shared(70 * 128);
  Traced traced(kernel);
  const BlockTrace trace = traced.block();
  EXPECT_TRUE(trace.complete);
  const MachineLedger ledger = kernel.count();
  EXPECT_EQ(static_cast<double>(trace.steps), ledger.totals.warp_instructions);
  ASSERT_EQ(trace.warps.size(), 3U);
  std::size_t steps = 0;
  for (const WarpTrace& warp : trace.warps) {
    steps += warp.steps.size();
    EXPECT_EQ(warp.steps.front().position(), 0U);
    EXPECT_EQ(warp.steps.back().position(), ledger.lines.size() - 1) << "EXIT";
  }
  EXPECT_EQ(steps, trace.steps);
  expect_same(sums_of(trace, traced.tracer), ledger);
  EXPECT_EQ(traced.pattern(trace, 1).wavefronts, 32U) << "a column";
  EXPECT_EQ(traced.pattern(trace, 1, 2).wavefronts, 6U) << "what is there of it";
  EXPECT_EQ(traced.pattern(trace, 0).lines, 1U);
  EXPECT_TRUE(traced.pattern(trace, 1).store);
  EXPECT_FALSE(traced.pattern(trace, 0).store);
}

TEST(Trace, BlocksOfAGridAddUpToItsLedger) {
  // Block b reads its row, which begins four bytes further in a sector than the one before.
  const Assembled kernel =
      Assembled(
          "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nIMAD.WIDE R2,R0,0x84,c[0x0][0x210]\n"
          "IMAD.WIDE R2,R1,0x4,R2\nISETP.GE.AND P0,PT,R0,0x3,PT\n@P0 EXIT\n"
          "LDG.E R6,[R2.64]\nSTG.E [R2.64],R6\nEXIT")
          .buffer(1024)
          .grid(5);
  Traced traced(kernel);
  double steps = 0;
  double loaded_sectors = 0;
  for (std::uint64_t block = 0; block < 5; ++block) {
    const BlockTrace trace = traced.block(block);
    EXPECT_EQ(trace.block, block);
    const std::vector<StepSums> sums = sums_of(trace, traced.tracer);
    steps += static_cast<double>(trace.steps);
    loaded_sectors += sums[6].sectors;
  }
  const MachineLedger ledger = kernel.count();
  EXPECT_EQ(steps, ledger.totals.warp_instructions);
  EXPECT_EQ(loaded_sectors, ledger.totals.global_load_sectors);
  EXPECT_EQ(loaded_sectors, 4 + 5 + 5);
}

TEST(Trace, TracesTheSameBlockAgainAlike) {
  const Assembled kernel =
      Assembled(thread_address + "LDG.E R4,[R2.64]\nSTG.E [R2.64],R4\nEXIT").buffer(256).block(64);
  Traced traced(kernel);
  const BlockTrace first = traced.block();
  const std::size_t patterns = traced.tracer.patterns().size();
  const BlockTrace second = traced.block();
  EXPECT_EQ(second.steps, first.steps);
  EXPECT_EQ(traced.tracer.patterns().size(), patterns);
  for (std::size_t i = 0; i < first.warps[1].accesses.size(); ++i) {
    EXPECT_EQ(second.warps[1].accesses[i].pattern, first.warps[1].accesses[i].pattern);
    EXPECT_EQ(second.warps[1].accesses[i].first_sector, first.warps[1].accesses[i].first_sector);
  }
}

TEST(Trace, AddressesAreThoseOfTheFirstActiveLane) {
  // Lanes 0 to 31 in turn: 128 bytes; then lanes 16 on; then lanes 0 and 8 backwards.
  const Assembled kernel =
      Assembled(thread_address +
                "ISETP.GE.AND P0,PT,R1,0x10,PT\nIMAD R4,R1,-0x4,RZ\n"
                "IADD3 R6,P1,R4,c[0x0][0x210],RZ\nMOV R7,c[0x0][0x214]\n"
                "LDG.E R8,[R2.64]\n@P0 LDG.E R8,[R2.64]\nLDG.E R8,[R2.64+0x80]\nEXIT")
          .buffer(256);
  Traced traced(kernel);
  const BlockTrace trace = traced.block();
  const std::vector<TracedAccess>& accesses = trace.warps[0].accesses;
  ASSERT_EQ(accesses.size(), 3U);
  EXPECT_EQ(accesses[1].first_sector, accesses[0].first_sector + 2);
  EXPECT_EQ(accesses[2].first_sector, accesses[0].first_sector + 4);
  EXPECT_EQ(traced.pattern(trace, 0).sectors, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(traced.pattern(trace, 1).sectors, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(accesses[2].pattern, accesses[0].pattern) << "only the place differs";
}

TEST(Trace, StepsOfAWarpWhoseGuardLetsNoLaneThroughAreIdle) {
  // The second warp is predicated off; of the first one half is.
  const Assembled kernel = Assembled(thread_address +
                                     "ISETP.LT.U32.AND P0,PT,R1,0x10,PT\n@P0 FADD R4,R1,R1\n"
                                     "@P0 LDG.E R4,[R2.64]\n@P0 STG.E [R2.64],R4\nEXIT")
                               .buffer(256)
                               .block(64);
  Traced traced(kernel);
  const BlockTrace trace = traced.block();
  EXPECT_EQ(trace.warps[0].steps.size(), trace.warps[1].steps.size());
  EXPECT_EQ(trace.warps[0].accesses.size(), 2U);
  EXPECT_TRUE(trace.warps[1].accesses.empty());
  for (std::size_t i = 0; i < trace.warps[1].steps.size(); ++i) {
    const std::uint32_t position = trace.warps[1].steps[i].position();
    EXPECT_FALSE(trace.warps[0].steps[i].is_idle()) << position;
    EXPECT_EQ(trace.warps[1].steps[i].is_idle(), position >= 3 && position <= 5) << position;
  }
}

TEST(Trace, BarriersTellWhatTheyWaitFor) {
  const Assembled kernel =
      Assembled(
          "S2R R1,SR_TID.X\nISETP.LT.U32.AND P0,PT,R1,0x20,PT\n@P0 BAR.ARV 0x1,0x40\n"
          "@!P0 BAR.SYNC.DEFER_BLOCKING 0x1,0x40\nBAR.SYNC.DEFER_BLOCKING 0x0\nEXIT")
          .block(64);
  Traced traced(kernel);
  const BlockTrace trace = traced.block();
  (void)sums_of(trace, traced.tracer);
  for (const WarpTrace& warp : trace.warps) {
    ASSERT_EQ(warp.barriers.size(), 2U);
    EXPECT_EQ(warp.barriers[0].which, 1);
    EXPECT_EQ(warp.barriers[0].expected_threads, 64U);
    EXPECT_EQ(warp.barriers[1].which, 0);
    EXPECT_EQ(warp.barriers[1].expected_threads, 0U);
    EXPECT_TRUE(warp.barriers[1].waits);
  }
  EXPECT_FALSE(trace.warps[0].barriers[0].waits);
  EXPECT_TRUE(trace.warps[1].barriers[0].waits);
}

TEST(Trace, AsynchronousCopiesReadGlobalAndWriteSharedMemory) {
  // 16 bytes a lane: 512 from global memory, to places 32 bytes apart in shared.
  const Assembled kernel =
      Assembled(
          "S2R R1,SR_TID.X\nIMAD.WIDE.U32 R2,R1,0x10,c[0x0][0x210]\nIMAD R4,R1,0x20,RZ\n"
          "LDGSTS.E.BYPASS.128 [R4],[R2.64]\nLDGDEPBAR\nDEPBAR.LE SB0,0x0\nEXIT")
          .buffer(512)
          .shared(1024);
  Traced traced(kernel);
  const BlockTrace trace = traced.block();
  EXPECT_EQ(trace.warps[0].steps[3].accesses(), 2U);
  ASSERT_EQ(trace.warps[0].accesses.size(), 2U);
  const TracedPattern& from = traced.pattern(trace, 0);
  const TracedPattern& to = traced.pattern(trace, 1);
  EXPECT_EQ(from.space, MemorySpace::global);
  EXPECT_FALSE(from.store);
  EXPECT_EQ(from.sectors.size(), 16U);
  EXPECT_EQ(to.space, MemorySpace::shared);
  EXPECT_TRUE(to.store);
  EXPECT_TRUE(to.sectors.empty());
  EXPECT_EQ(to.wavefronts, 8U) << "half of the banks";
  EXPECT_TRUE(from.asynchronous && to.asynchronous);
  expect_same(sums_of(trace, traced.tracer), kernel.count());
}

TEST(Trace, AtomicsAreOnesAccesses) {
  const Assembled kernel =
      Assembled(thread_address + "RED.E.ADD.STRONG.GPU [R2.64],R1\nATOMS.ADD RZ,[RZ],R1\nEXIT")
          .buffer(128)
          .shared(128);
  Traced traced(kernel);
  const BlockTrace trace = traced.block();
  ASSERT_EQ(trace.warps[0].accesses.size(), 2U);
  EXPECT_TRUE(traced.pattern(trace, 0).atomic);
  EXPECT_EQ(traced.pattern(trace, 0).space, MemorySpace::global);
  EXPECT_EQ(traced.pattern(trace, 0).sectors.size(), 4U);
  EXPECT_TRUE(traced.pattern(trace, 1).atomic);
  EXPECT_EQ(traced.pattern(trace, 1).space, MemorySpace::shared);
}

TEST(Trace, WordsOfLocalMemoryInterleave) {
  // Word 2 of every lane, then words 2 and 3, then word 2 of the upper half of the warp.
  Assembled kernel(
      "S2R R1,SR_TID.X\nISETP.GE.AND P0,PT,R1,0x10,PT\nSTL [RZ+0x8],R1\n"
      "LDL.64 R4,[RZ+0x8]\n@P0 LDL R4,[RZ+0x8]\nEXIT");
  kernel.function().local_bytes = 16;
  kernel.block(64);
  Traced traced(kernel);
  const BlockTrace trace = traced.block();
  for (const WarpTrace& warp : trace.warps) {
    ASSERT_GE(warp.accesses.size(), 3U);
    EXPECT_EQ(warp.accesses[0].first_sector, 8U) << "two lines in, in each warp's own memory";
    EXPECT_EQ(warp.accesses[1].first_sector, 8U);
  }
  EXPECT_EQ(trace.warps[0].accesses[2].first_sector, 10U) << "lane 16 is in the third sector";
  EXPECT_EQ(trace.warps[1].accesses[2].first_sector, 8U);
  const TracedPattern& store = traced.pattern(trace, 0);
  EXPECT_EQ(store.space, MemorySpace::local);
  EXPECT_TRUE(store.store);
  EXPECT_EQ(store.sectors, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(traced.pattern(trace, 1).sectors.size(), 8U);
  EXPECT_EQ(traced.pattern(trace, 2).sectors, (std::vector<std::int32_t>{0, 1}));
  expect_same(sums_of(trace, traced.tracer), kernel.count());
}

TEST(Trace, ALimitCutsAllWarpsOffAtAboutTheSamePlace) {
  constexpr std::uint64_t limit = 80'000;
  const Assembled kernel = Assembled(
                               "MOV R8,RZ\nloop:\nFADD R1,R1,R1\nIADD3 R8,R8,0x1,RZ\n"
                               "ISETP.LT.AND P0,PT,R8,0x4000,PT\n@P0 BRA loop\nEXIT")
                               .block(256);
  Traced traced(kernel);
  const BlockTrace trace = traced.block(0, limit);
  EXPECT_FALSE(trace.complete);
  EXPECT_GE(trace.steps, limit);
  EXPECT_LE(trace.steps, limit + limit / 20);
  for (const WarpTrace& warp : trace.warps) {
    EXPECT_NEAR(static_cast<double>(warp.steps.size()), limit / 8.0, limit / 8.0 / 20);
  }
  EXPECT_TRUE(traced.block().complete) << "a limit holds for one trace";
}

TEST(Trace, ALimitThatIsJustEnoughCutsNothingOff) {
  const Assembled kernel = Assembled("S2R R1,SR_TID.X\nEXIT").block(64);
  Traced traced(kernel);
  const BlockTrace trace = traced.block(0, 4);
  EXPECT_EQ(trace.steps, 4U);
  EXPECT_TRUE(trace.complete);
}

TEST(Trace, ThrowsAsCountingDoes) {
  const Assembled deadlock = Assembled("BAR.SYNC.DEFER_BLOCKING 0x1,0x80\nEXIT").block(64);
  EXPECT_THROW((void)Traced{deadlock}.block(), Error);
  const Assembled unknown("FROBNICATE R1\nEXIT");
  EXPECT_THROW(Traced{unknown}, Error);
}

}  // namespace
}  // namespace perfmodel::sass::testing
