#include "model/what_if.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/spec/catalog.hpp"
#include "model/timeline/sm_costs.hpp"
#include "tests/sass/assembled.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;
using Texts = std::vector<std::string>;

std::string refusal(const Texts& texts) {
  return error_of([&] { parse_what_if(texts); });
}

TEST(ParseWhatIf, SeveralAtOnce) {
  const std::vector<WhatIfChange> changes =
      parse_what_if(Texts{"vectorize-shared,registers=96", "clock=1.5GHz", "registers=96"});
  ASSERT_EQ(changes.size(), 3U) << "one twice";
  EXPECT_EQ(changes[0].kind, WhatIfKind::vectorize_shared);
  EXPECT_EQ(changes[1].value, 96);
  EXPECT_EQ(changes[2].value, 1.5e9);
}

TEST(ParseWhatIf, Units) {
  EXPECT_EQ(parse_what_if(Texts{"l2=100MB"})[0].value, 100e6);
  EXPECT_EQ(parse_what_if(Texts{"l2=50MiB"})[0].value, 50 * 1024.0 * 1024.0);
  EXPECT_EQ(parse_what_if(Texts{"clock=1500MHz"})[0].value, 1.5e9);
  const WhatIfChange half = parse_what_if(Texts{"occupancy=50%"})[0];
  EXPECT_TRUE(half.is_share);
  EXPECT_EQ(half.value, 0.5);
  EXPECT_FALSE(parse_what_if(Texts{"occupancy=4"})[0].is_share);
  EXPECT_EQ(parse_what_if(Texts{"device=a100-80"})[0].device, "a100-80");
  EXPECT_EQ(parse_what_if(Texts{"pad-shared=128B"})[0].value, 128);
  EXPECT_EQ(parse_what_if(Texts{"pad-shared=128B"})[0].pad_bytes, 4);
  EXPECT_EQ(parse_what_if(Texts{"pad-shared=1KiB+16B"})[0].value, 1024);
  EXPECT_EQ(parse_what_if(Texts{"pad-shared=1KiB+16B"})[0].pad_bytes, 16);
}

TEST(ParseWhatIf, RefusesWhatMakesNoSense) {
  EXPECT_NE(refusal({"coalesced"}).find("did you mean 'coalesce'"), std::string::npos);
  EXPECT_NE(refusal({""}).find("it knows vectorize-shared"), std::string::npos);
  EXPECT_EQ(refusal({"coalesce=2"}), "--what-if 'coalesce=2': coalesce takes no value");
  for (const char* text : {"clock",
                           "clock=",
                           "clock=0GHz",
                           "clock=0",
                           "clock=-1GHz",
                           "clock=nanGHz",
                           "clock=1.5",
                           "clock=1e99GHz",
                           "l2=12",
                           "l2=0MB",
                           "l2=1e9GB",
                           "occupancy=0",
                           "occupancy=2.5",
                           "occupancy=0%",
                           "occupancy=101%",
                           "registers=8",
                           "registers=256",
                           "registers=64.5",
                           "registers=many",
                           "device=",
                           "pad-shared=128",
                           "pad-shared=0B",
                           "pad-shared=126B",
                           "pad-shared=128B+",
                           "pad-shared",
                           "pad-shared=128B+2B",
                           "pad-shared=128B+0B"}) {
    EXPECT_NE(refusal({text}).find("the value must be such as"), std::string::npos) << text;
  }
}

TEST(ParseWhatIf, ContradictionsNameBoth) {
  EXPECT_EQ(refusal({"occupancy=4,occupancy=8"}),
            "--what-if occupancy=4 and occupancy=8 contradict each other; leave one of them out");
  EXPECT_NE(refusal({"clock=1GHz", "clock=2GHz"}).find("clock=1GHz and clock=2GHz"),
            std::string::npos);
}

TEST(ParseWhatIf, GapsAndWideAccessesExcludeEachOther) {
  EXPECT_EQ(refusal({"vectorize-shared,pad-shared=128B"}),
            "--what-if pad-shared=128B and vectorize-shared contradict each other: gaps move "
            "accesses off the alignment that wide ones need; leave one of them out");
}

Device h200() { return spec::Catalog(testing::source_specs()).device("h200"); }

/// Blocks of 256 threads with 64 registers each: 4 fit an SM; its first warp loads a column of a
/// tile with rows of 128 bytes and stores a row, word by word.
class Tile {
 public:
  explicit Tile(std::uint32_t shared_bytes = 32768)  // of its own
      : kernel_(sass::testing::Assembled("S2R R1,SR_TID.X\n"
                                         "IMAD.WIDE.U32 R2,R1,0x4,c[0x0][0x210]\n"
                                         "LOP3.LUT R8,R1,0x1f,RZ,0xc0,!PT\n"
                                         "IMAD R8,R8,0x80,RZ\n"
                                         "STS [R8+0x400],R1\n"
                                         "STS [R8+0x404],R1\n"
                                         "BAR.SYNC.DEFER_BLOCKING 0x0\n"
                                         "LDS R4,[R8+0x400]\n"
                                         "LDS R5,[R8+0x404]\n"
                                         "FADD R4,R4,R5\n"
                                         "STG.E [R2.64],R4\n"
                                         "EXIT\n")) {
    kernel_.buffer(1024).block(256).grid(1320).shared(1024 + shared_bytes);
    kernel_.function().registers = 64;
    kernel_.function().has_control = true;
    for (sass::ListedInstruction& listed : kernel_.function().instructions) {
      listed.control.stall_cycles = 1;
    }
    setup_.device = h200();
    setup_.clock_hz = 1.98e9;
    setup_.options.emulation.find_defects = false;
    setup_.profile = profile_launch(kernel_.module, kernel_.function(), kernel_.launch,
                                    setup_.device, setup_.options.emulation);
  }

  LaunchSetup& setup() { return setup_; }
  std::vector<std::string> change(const Texts& texts) {
    return make_changes(setup_, parse_what_if(texts));
  }
  std::string refusal(const Texts& texts) {
    return error_of([&] { change(texts); });
  }

 private:
  sass::testing::Assembled kernel_;
  LaunchSetup setup_;
};

TEST(MakeChanges, WithoutBankConflictsTheLedgerHasOneWavefrontEach) {
  Tile tile;
  const sass::MachineTotals before = tile.setup().profile.ledger.totals;
  const double warps = 1320 * 8;
  ASSERT_EQ(before.shared_load_wavefronts, warps * 64);
  EXPECT_TRUE(tile.change({"no-bank-conflicts"}).empty());
  const sass::MachineTotals& after = tile.setup().profile.ledger.totals;
  EXPECT_EQ(after.shared_load_wavefronts, warps * 2);
  EXPECT_EQ(after.shared_store_wavefronts, warps * 2);
  EXPECT_EQ(before.lsu_wavefronts - after.lsu_wavefronts, warps * (128 - 4));
  EXPECT_EQ(after.warp_instructions, before.warp_instructions);
}

TEST(MakeChanges, PaddedTheLedgerHasNoConflictsAndTheBlockMoreBytes) {
  Tile tile;
  const double warps = 1320 * 8;
  EXPECT_TRUE(tile.change({"pad-shared=128B"}).empty());
  const LaunchProfile& after = tile.setup().profile;
  EXPECT_EQ(after.ledger.totals.shared_load_wavefronts, warps * 2);
  EXPECT_EQ(after.ledger.totals.shared_store_wavefronts, warps * 2);
  EXPECT_EQ(after.block.shared_bytes, 32768 + 32768 / 32);
  EXPECT_EQ(after.resident_blocks, 4);
}

TEST(MakeChanges, GapsThatLeaveNoRoomAreRefused) {
  Tile tile;
  EXPECT_NE(tile.refusal({"pad-shared=4B+64KiB"}).find("not even one block fits an SM of h200"),
            std::string::npos);
}

TEST(MakeChanges, GapsThatBreakTheAlignmentOfMatrixRowsAreRefused) {
  sass::testing::Assembled kernel(
      "S2R R1,SR_TID.X\nIMAD R2,R1,0x80,RZ\nLDSM.16.M88.4 R4,[R2+0x400]\nEXIT\n");
  kernel.block(32).shared(1024 + 8192);
  kernel.function().registers = 32;
  LaunchSetup setup;
  setup.device = h200();
  setup.options.emulation.find_defects = false;
  setup.profile = profile_launch(kernel.module, kernel.function(), kernel.launch, setup.device,
                                 setup.options.emulation);
  LaunchSetup wider = setup;
  EXPECT_EQ(
      error_of([&] { make_changes(setup, parse_what_if(Texts{"pad-shared=128B"})); }),
      "--what-if pad-shared=128B: LDSM.16.M88.4 at 0x20 accesses 16 aligned bytes, which that "
      "gap moves off their alignment; a gap of 16 bytes does not, such as "
      "pad-shared=128B+16B");
  EXPECT_TRUE(make_changes(wider, parse_what_if(Texts{"pad-shared=128B+16B"})).empty());
  EXPECT_EQ(wider.profile.ledger.totals.shared_load_wavefronts, 4) << "eight rows in 32 banks each";
}

TEST(MakeChanges, WithoutRegisterBankConflictsThatPartIsLeftOut) {
  Tile tile;
  const std::vector<std::string> notes = tile.change({"no-register-bank-conflicts"});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("the most that other register numbers can bring"), std::string::npos);
  EXPECT_EQ(tile.setup().options.left_out, Texts{"register-banks"});
}

TEST(MakeChanges, VectorizedTheLedgerHasFewerInstructions) {
  Tile tile;
  const sass::MachineTotals before = tile.setup().profile.ledger.totals;
  const double warps = 1320 * 8;
  EXPECT_EQ(tile.change({"vectorize-shared"}).size(), 1U);
  const sass::MachineTotals& after = tile.setup().profile.ledger.totals;
  EXPECT_EQ(before.warp_instructions - after.warp_instructions, warps * 2);
  EXPECT_EQ(after.shared_load_instructions, warps);
  EXPECT_EQ(after.shared_store_instructions, warps);
  // Two parts of 16 lanes, whose eight bytes each hit one pair of banks.
  EXPECT_EQ(after.shared_load_wavefronts, warps * 32);
}

TEST(MakeChanges, SaysWhatChangesNothing) {
  Tile tile;
  const std::vector<std::string> notes = tile.change({"coalesce,occupancy=4,clock=1.98GHz"});
  ASSERT_EQ(notes.size(), 3U);
  for (const std::string& note : notes) {
    EXPECT_NE(note.find("changes nothing"), std::string::npos) << note;
  }
}

TEST(MakeChanges, RegistersDecideResidency) {
  Tile tile;
  ASSERT_EQ(tile.setup().profile.resident_blocks, 4);
  const std::vector<std::string> notes = tile.change({"registers=32"});
  EXPECT_EQ(tile.setup().profile.resident_blocks, 6) << "shared memory allows no more";
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("spill"), std::string::npos);
}

TEST(MakeChanges, OccupancyInBlocksOrAsAShare) {
  Tile tile;
  tile.change({"occupancy=2"});
  EXPECT_EQ(tile.setup().profile.resident_blocks, 2);
  EXPECT_EQ(tile.setup().profile.one_wave.blocks, 2 * 132U);
  Tile other;
  other.change({"occupancy=37.5%"});  // of 64 warps, 8 a block
  EXPECT_EQ(other.setup().profile.resident_blocks, 3);
}

TEST(MakeChanges, OccupancyThatDoesNotFitIsRefusedWithTheReason) {
  Tile tile;
  EXPECT_EQ(tile.refusal({"occupancy=5"}),
            "--what-if occupancy=5: with the code's 64 registers per thread an SM of h200 holds at "
            "most 4 blocks; add registers=48");
  EXPECT_EQ(tile.refusal({"occupancy=7"}),
            "--what-if occupancy=7: with 32768 bytes of shared memory each, an SM of h200 holds at "
            "most 6 blocks");
  EXPECT_EQ(tile.refusal({"occupancy=9"}),
            "--what-if occupancy=9: an SM of h200 holds at most 8 blocks of 256 threads");
  EXPECT_NE(tile.refusal({"occupancy=5%"}).find("is already 12.5 %"), std::string::npos);
}

TEST(MakeChanges, RegistersThatExcludeTheOccupancyAreNamedWithIt) {
  Tile tile;
  EXPECT_EQ(tile.refusal({"registers=128,occupancy=4"}),
            "--what-if registers=128 and occupancy=4 contradict each other: with 128 registers per "
            "thread an SM of h200 holds at most 2 blocks; 4 take 64 registers or fewer");
}

TEST(WhatIf, AtAnotherClockMemoryKeepsItsOwn) {
  const SmCosts fast = sm_costs(h200(), nullptr, 2e9).costs;
  const SmCosts slow = at_clock(fast, 1e9);
  EXPECT_DOUBLE_EQ(slow.dram_bytes_per_cycle * 1e9, fast.dram_bytes_per_cycle * 2e9);
  EXPECT_DOUBLE_EQ(slow.l2_bytes_per_cycle * 1e9, fast.l2_bytes_per_cycle * 2e9);
  EXPECT_DOUBLE_EQ((slow.dram_latency - slow.l1_latency) / 1e9,
                   (fast.dram_latency - fast.l1_latency) / 2e9);
  EXPECT_EQ(slow.shared_latency, fast.shared_latency);
}

TEST(WhatIf, TheIntervalOfARatioIsNarrowerThanThatOfTwoTimes) {
  // Nine of ten single predictions are within 12 %.
  EXPECT_LT(ratio_error(1, 0), ratio_error(1.1, 0));
  EXPECT_DOUBLE_EQ(ratio_error(1.1, 0), ratio_error(1 / 1.1, 0));
  EXPECT_LT(ratio_error(10, 0), std::hypot(0.14, 0.14));
  EXPECT_GT(ratio_error(10, 0.12), ratio_error(10, 0));
}

TEST(WhatIf, TheIntervalOfAGainHoldsIt) {
  Tile tile;
  const LaunchProfile profile = tile.setup().profile;
  tile.setup().options.measured_s = 1e-5;
  const LaunchAudit before = audit_setup(tile.setup());
  tile.setup().options.measured_s.reset();
  tile.change({"no-bank-conflicts"});
  const WhatIf result =
      compare_what_if(before, audit_setup(tile.setup()), profile, tile.setup().profile, false);
  EXPECT_GT(result.saved_share(), 0.1);
  EXPECT_LT(result.ratio_low, result.time_ratio);
  EXPECT_GT(result.ratio_high, result.time_ratio);
  EXPECT_DOUBLE_EQ(result.expected_s.value(), 1e-5 * result.time_ratio);
  ASSERT_FALSE(result.counts.empty());
  EXPECT_EQ(result.counts[0].count, "shared loads");
  EXPECT_EQ(result.counts[0].unit, "wavefronts");
}

TEST(WhatIf, ADifferentL2IsTheDevicesOnly) {
  Tile tile;
  tile.change({"l2=10MB"});
  EXPECT_EQ(tile.setup().device.l2_bytes->value, 10'000'000);
  EXPECT_EQ(tile.setup().device.l2_bytes->origin, Origin::derived);
}

}  // namespace
}  // namespace perfmodel
