// Counted by hand: 32 768 FMAs are 1024 FMAs of a warp, so an instruction that 256 warps run is 1/4
// per FMA.

#include "model/sass/compare_ledgers.hpp"

#include <gtest/gtest.h>

#include "tests/support/machine_ledgers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::sass {
namespace {

using testing::global_load;
using testing::instruction;
using testing::shared_load;
using testing::small_k3;
using Reasons = std::vector<std::string>;

SourceLedger source_of_k3() {
  SourceLedger source;
  source.work = {1024, 32768, 12288};
  source.threads = 1024;
  source.executed_fmas = 32768;
  source.dist = 1;
  source.bcast = 1;
  source.ldg = Rational(1, 16);
  source.requests_per_fma = Rational(1, 16);
  return source;
}

LedgerComparisonRow row_of(const SourceLedger& source, const MachineLedger& machine,
                           const std::string& name) {
  for (LedgerComparisonRow& row : compare_ledgers(source, 4, machine).rows) {
    if (row.name == name) {
      return row;
    }
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

TEST(CompareLedgers, MergedBroadcastsOfK3) {
  const LedgerComparison comparison = compare_ledgers(source_of_k3(), 4, small_k3());
  EXPECT_EQ(comparison.useful_fmas, 32768);
  ASSERT_EQ(comparison.rows.size(), 6U);
  const LedgerComparisonRow& dist = comparison.rows[0];
  EXPECT_EQ(dist.instructions, 1.0);
  EXPECT_EQ(dist.elements, 1.0);
  EXPECT_EQ(dist.reasons, Reasons{});
  const LedgerComparisonRow& bcast = comparison.rows[1];
  EXPECT_EQ(bcast.source, 1.0);
  EXPECT_EQ(bcast.instructions, 0.25);
  EXPECT_EQ(bcast.elements, 1.0);
  EXPECT_EQ(bcast.reasons, Reasons{"4 broadcast reads became 1 LDS.128 (0.25 per FMA carry 1)"});
  const LedgerComparisonRow& ldg = comparison.rows[2];
  EXPECT_EQ(ldg.instructions, 0.0625);
  EXPECT_EQ(ldg.reasons, Reasons{});
  const LedgerComparisonRow& lines = comparison.rows[3];
  EXPECT_EQ(lines.instructions, 0.0625);
  EXPECT_EQ(lines.reasons, Reasons{});
  const LedgerComparisonRow& fma = comparison.rows[4];
  EXPECT_EQ(fma.instructions, 1.0);
  EXPECT_EQ(fma.reasons, Reasons{});
  const LedgerComparisonRow& other = comparison.rows[5];
  EXPECT_EQ(other.source, std::nullopt);
  EXPECT_EQ(other.instructions, 96.0 / 1024);
  EXPECT_EQ(other.reasons, Reasons{"mostly IMAD 0.0625, EXIT 0.03125"});
}

TEST(CompareLedgers, NeighbouringWordsBecameOneWideLoad) {
  MachineLedger machine = small_k3();
  machine.lines[2] = shared_load("LDS.64", 512, 8, AccessClass::distinct);
  const LedgerComparisonRow dist = row_of(source_of_k3(), machine, "dist");
  EXPECT_EQ(dist.instructions, 0.5);
  EXPECT_EQ(dist.elements, 1.0);
  EXPECT_EQ(dist.reasons,
            Reasons{"2 reads of neighbouring words became 1 LDS.64 (0.5 per FMA carry 1)"});
}

TEST(CompareLedgers, ValuesKeptInRegisters) {
  MachineLedger machine = small_k3();
  machine.lines[2] = shared_load("LDS", 256, 4, AccessClass::distinct);
  EXPECT_EQ(row_of(source_of_k3(), machine, "dist").reasons,
            Reasons{"the compiler kept values in registers: 0.75 reads fewer"});
  EXPECT_EQ(row_of(source_of_k3(), machine, "bcast").elements, 1.0);
}

TEST(CompareLedgers, ReadsOfAnotherClassByTheirAddresses) {
  // A warp of 16 x 2 threads reads two words where the source says broadcast.
  MachineLedger machine = small_k3();
  machine.lines[3] = shared_load("LDS", 1024, 4, AccessClass::distinct);
  machine.lines[3].counts.useful_bytes = 1024 * 2 * 4;
  const LedgerComparisonRow dist = row_of(source_of_k3(), machine, "dist");
  EXPECT_EQ(dist.elements, 2.0);
  EXPECT_EQ(dist.reasons,
            Reasons{"1 element reads per FMA touch at most 2 addresses in a warp: nearly a "
                    "broadcast, but counted as distinct"});
  const LedgerComparisonRow bcast = row_of(source_of_k3(), machine, "bcast");
  EXPECT_EQ(bcast.elements, 0.0);
  EXPECT_EQ(bcast.reasons, Reasons{"1 reads per FMA are distinct by their addresses"});
}

TEST(CompareLedgers, WideGlobalLoads) {
  MachineLedger machine = small_k3();
  machine.lines[0] = global_load("LDG.E.128", 16, 16);
  machine.lines[1] = instruction("NOP", 0);
  const LedgerComparisonRow ldg = row_of(source_of_k3(), machine, "ldg");
  EXPECT_EQ(ldg.instructions, 1.0 / 64);
  EXPECT_EQ(ldg.elements, 1.0 / 16);
  EXPECT_EQ(ldg.reasons, (Reasons{"4 elements per LDG.E.128 (0.01562 per FMA carry 0.0625)",
                                  "the same elements in fewer, wider loads"}));
}

TEST(CompareLedgers, WideReadsThatTheSourceAsksFor) {
  SourceLedger source = source_of_k3();
  source.bcast = Rational(1, 4);
  EXPECT_EQ(row_of(source, small_k3(), "bcast").reasons,
            Reasons{"1 LDS.128 carries 4 elements, as in the source"});
}

TEST(CompareLedgers, LanesThatWaitForTheirWarp) {
  SourceLedger source = source_of_k3();
  source.ldg = Rational(1, 32);
  MachineLedger machine = small_k3();
  machine.lines[0].counts.predicated_lanes /= 4;
  machine.lines[1].counts.predicated_lanes /= 4;
  EXPECT_EQ(row_of(source, machine, "ldg").reasons,
            Reasons{"25 % of their lanes are active: lanes whose work is done wait for the rest of "
                    "their warp"});
}

TEST(CompareLedgers, LoadsWithoutALane) {
  MachineLedger machine = small_k3();
  machine.lines[1].counts.requests = 0;
  EXPECT_EQ(row_of(source_of_k3(), machine, "ldg").reasons,
            Reasons{"0.03125 of them had no lane left to load: masked off at an edge"});
}

TEST(CompareLedgers, PaddingLanesExecuteToo) {
  // The same code for half as many useful FMAs; half of the remaining lanes are masked off.
  SourceLedger source = source_of_k3();
  source.work.fmas = 16384;
  const LedgerComparisonRow full = row_of(source, small_k3(), "fma");
  EXPECT_EQ(full.source, 2.0);
  EXPECT_EQ(full.instructions, 2.0);
  EXPECT_EQ(full.reasons, (Reasons{"padding lanes at the edge execute too: 2 FMAs per useful one",
                                   "machine code computes 2 FMA instructions per useful FMA"}));
  MachineLedger masked = small_k3();
  masked.lines[4].counts.predicated_lanes /= 2;
  EXPECT_EQ(row_of(source, masked, "fma").reasons,
            (Reasons{"1 of the slots have no active lane",
                     "machine code computes 2 FMA instructions per useful FMA"}));
}

TEST(CompareLedgers, PairedMultiplyAdds) {
  MachineLedger machine = small_k3();
  machine.lines[4] = instruction("FFMA2", 512, Pipe::fma);
  const LedgerComparisonRow fma = row_of(source_of_k3(), machine, "fma");
  EXPECT_EQ(fma.instructions, 0.5);
  EXPECT_EQ(fma.elements, 1.0);
  EXPECT_EQ(fma.reasons, (Reasons{"an instruction does 2 multiply-adds",
                                  "machine code computes 0.5 FMA instructions per useful FMA"}));
}

TEST(CompareLedgers, ConstantsMovedByHalfArithmeticAreNoWork) {
  MachineLedger machine = small_k3();
  machine.lines[5] = instruction("HFMA2.MMA", 64, Pipe::fma);
  EXPECT_EQ(row_of(source_of_k3(), machine, "fma").instructions, 1.0);
}

TEST(CompareLedgers, WastedSectorsAndFewerLines) {
  MachineLedger machine = small_k3();
  machine.lines[0].counts.useful_bytes /= 2;
  machine.lines[0].counts.lines /= 2;
  const LedgerComparisonRow lines = row_of(source_of_k3(), machine, "lines");
  EXPECT_EQ(lines.instructions, 48.0 / 1024);
  EXPECT_EQ(lines.reasons,
            (Reasons{"75 % of the bytes in the sectors moved were asked for",
                     "lanes masked off at an edge, or repeated addresses, touch no further line"}));
}

TEST(CompareLedgers, RefusesElementsWithoutASize) {
  EXPECT_EQ(testing::error_of([] { compare_ledgers(source_of_k3(), 0, small_k3()); }),
            "element_bytes must be at least 1, not 0");
}

}  // namespace
}  // namespace perfmodel::sass
