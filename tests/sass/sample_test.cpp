#include "model/sass/sample.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sass/assembled.hpp"
#include "tests/sass/ledger_equality.hpp"

namespace perfmodel::sass::testing {
namespace {

/// Never runs a grid whole because it is small.
EmulationOptions sampled() {
  EmulationOptions how;
  how.whole_grid_instructions = 0;
  return how;
}

MachineLedger count_all(const Assembled& kernel) {
  EmulationOptions how;
  how.all_blocks = true;
  return kernel.count(how);
}

/// Sampling must find every count of the whole grid by running classes of blocks.
MachineLedger expect_classes(const Assembled& kernel) {
  const MachineLedger all = count_all(kernel);
  EXPECT_EQ(all.sampling, Sampling::all);
  EXPECT_EQ(all.blocks_emulated, kernel.launch.blocks());
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    EmulationOptions how = sampled();
    how.seed = seed;
    const MachineLedger ledger = kernel.count(how);
    EXPECT_EQ(ledger.sampling, kernel.launch.blocks() == 1 ? Sampling::all : Sampling::classes);
    EXPECT_EQ(ledger.relative_uncertainty, 0);
    EXPECT_EQ(different_counts(ledger, all, 0.08), "") << "seed " << seed;
  }
  return kernel.count(sampled());
}

/// R0: the thread's number in the grid's x.
const std::string global_x = "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nIMAD R0,R0,c[0x0][0x0],R1\n";

/// One element a thread, as far as there are `elements`.
Assembled guarded_copy(std::int32_t elements, std::uint32_t block) {
  Assembled kernel(global_x +
                   "ISETP.GE.AND P0,PT,R0,c[0x0][0x220],PT\n@P0 EXIT\n"
                   "IMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nIMAD.WIDE R4,R0,0x4,c[0x0][0x218]\n"
                   "LDG.E R6,[R2.64]\nSTG.E [R4.64],R6\nEXIT");
  kernel.buffer(4 * static_cast<std::uint64_t>(elements))
      .buffer(4 * static_cast<std::uint64_t>(elements))
      .value(elements)
      .block(block);
  return kernel.grid((static_cast<std::uint32_t>(elements) + block - 1) / block);
}

TEST(Sampling, TailsOfAOneDimensionalGrid) {
  for (const std::int32_t elements : {1, 31, 32, 33, 64, 65, 1000, 4096, 4097, 100'003}) {
    for (const std::uint32_t block : {32U, 100U, 256U}) {
      expect_classes(guarded_copy(elements, block));
    }
  }
  const MachineLedger ledger = guarded_copy(10'000'019, 128).count(sampled());
  EXPECT_EQ(ledger.sampling, Sampling::classes);
  EXPECT_EQ(ledger.blocks_total, 78126U);
  EXPECT_LT(ledger.blocks_emulated, 300U);
  EXPECT_EQ(ledger.totals.global_load_useful_bytes, 4.0 * 10'000'019);
}

/// Alignments that repeat every few blocks: block b of one warp starts at `step` times b bytes.
Assembled shifted(std::uint32_t blocks, std::uint32_t step, const std::string& load,
                  std::uint32_t lane_bytes, std::uint32_t lanes) {
  Assembled kernel("S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nIMAD.WIDE R2,R0," + std::to_string(step) +
                   ",c[0x0][0x210]\nIMAD.WIDE R2,R1," + std::to_string(lane_bytes) + ",R2\n" +
                   load + " R4,[R2.64]\nEXIT");
  return kernel.buffer(std::uint64_t{step} * blocks + 1024).grid(blocks).block(lanes);
}

TEST(Sampling, AlignmentThatRepeats) {
  for (const std::uint32_t blocks : {3U, 8U, 33U, 129U, 1000U}) {
    for (const std::uint32_t step : {4U, 8U, 12U, 20U, 32U, 36U, 64U, 96U, 128U, 132U, 256U}) {
      expect_classes(shifted(blocks, step, "LDG.E", 4, 32));
    }
  }
}

TEST(Sampling, AlignmentThatShowsInFewBlocks) {
  // Two lanes cross into the next sector in one block out of four or eight, the next line in one
  // out of 16 or 32.
  for (const std::uint32_t blocks : {129U, 1025U, 1000U}) {
    expect_classes(shifted(blocks, 8, "LDG.E.64", 8, 2));
    expect_classes(shifted(blocks, 4, "LDG.E", 4, 2));
  }
}

TEST(Sampling, BordersOfTwoAndThreeDimensions) {
  // Work in the first and the last block of each direction that the others do not have.
  const std::string extra =
      "S2R R0,SR_CTAID.X\nS2R R1,SR_CTAID.Y\nS2R R2,SR_CTAID.Z\nISETP.NE.AND P0,PT,R0,RZ,PT\n"
      "@P0 BRA y\nNOP\ny:\nLDC R3,c[0x0][0x10]\nIADD3 R3,R3,-0x1,RZ\n"
      "ISETP.NE.AND P0,PT,R1,R3,PT\n@P0 BRA z\nNOP\nNOP\nz:\nISETP.NE.AND P0,PT,R2,RZ,PT\n"
      "@P0 BRA out\nNOP\nNOP\nNOP\nNOP\nout:\nEXIT";
  for (const auto& [x, y, z] : std::vector<std::array<std::uint32_t, 3>>{{1, 1, 1},
                                                                         {2, 1, 1},
                                                                         {1, 2, 1},
                                                                         {1, 1, 2},
                                                                         {2, 2, 2},
                                                                         {3, 1, 1},
                                                                         {3, 2, 1},
                                                                         {17, 1, 1},
                                                                         {17, 9, 1},
                                                                         {1, 40, 1},
                                                                         {5, 4, 3},
                                                                         {7, 1, 9},
                                                                         {12, 11, 10}}) {
    expect_classes(Assembled(extra).grid(x, y, z));
  }
}

TEST(Sampling, AlignmentInBothDirections) {
  // An image whose rows are no multiple of a sector: both coordinates shift.
  for (const std::uint32_t width : {100U, 101U, 98U}) {
    Assembled kernel(
        "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nS2R R4,SR_CTAID.Y\nIMAD R0,R0,0x20,R1\n"
        "ISETP.GE.AND P0,PT,R0,c[0x0][0x218],PT\n@P0 EXIT\nIMAD R0,R4,c[0x0][0x218],R0\n"
        "IMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nLDG.E R6,[R2.64]\nEXIT");
    expect_classes(kernel.buffer(std::uint64_t{width} * 4 * 77)
                       .value(static_cast<std::int32_t>(width))
                       .grid((width + 31) / 32, 77));
  }
}

/// Block b runs a loop `b` times, or as often as element b of the buffer says.
Assembled growing(std::uint32_t blocks) {
  return Assembled(
             "S2R R0,SR_CTAID.X\nagain:\nIADD3 R0,R0,-0x1,RZ\nISETP.GT.AND P0,PT,R0,RZ,PT\n"
             "@P0 BRA again\nEXIT")
      .grid(blocks);
}

Assembled data_dependent(std::uint32_t blocks) {
  return Assembled(
             "S2R R0,SR_CTAID.X\nIMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nLDG.E R0,[R2.64]\n"
             "SHF.R.U32.HI R0,RZ,0x18,R0\nagain:\nIADD3 R0,R0,-0x1,RZ\n"
             "ISETP.GT.AND P0,PT,R0,RZ,PT\n@P0 BRA again\nEXIT")
      .grid(blocks)
      .buffer(4 * std::uint64_t{blocks}, Fill::random_u32);
}

/// How many of 40 seeds give an interval that holds the truth.
int covering_seeds(const Assembled& kernel) {
  const double truth = count_all(kernel).totals.warp_instructions;
  int covering = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    EmulationOptions how = sampled();
    how.random_sample_instructions = 0;
    how.seed = seed;
    const MachineLedger ledger = kernel.count(how);
    EXPECT_EQ(ledger.sampling, Sampling::random);
    EXPECT_GT(ledger.relative_uncertainty, 0);
    EXPECT_LT(ledger.relative_uncertainty, 0.5);
    const double estimate = ledger.totals.warp_instructions;
    covering += std::abs(estimate - truth) <= ledger.relative_uncertainty * estimate ? 1 : 0;
  }
  return covering;
}

TEST(Sampling, WorkThatGrowsWithTheBlockFallsToRandomBlocks) {
  const Assembled kernel = growing(1500);
  EXPECT_TRUE(kernel.count(sampled()).data_independent);
  EXPECT_GE(covering_seeds(kernel), 35) << "95 % confidence";
}

TEST(Sampling, DataDependentKernelsTakeRandomBlocks) {
  const Assembled kernel = data_dependent(3000);
  EXPECT_FALSE(kernel.count(sampled()).data_independent);
  EXPECT_GE(covering_seeds(kernel), 35) << "95 % confidence";
}

TEST(Sampling, ASampleOfAllBlocksIsExact) {
  for (const std::uint32_t blocks : {1U, 2U, 30U, 200U}) {
    const Assembled kernel = data_dependent(blocks);
    const MachineLedger ledger = kernel.count(sampled());
    EXPECT_EQ(ledger.relative_uncertainty, 0);
    EXPECT_EQ(different_counts(ledger, count_all(kernel)), "");
  }
}

TEST(Sampling, SmallGridsRunWhole) {
  EXPECT_EQ(growing(30).count().sampling, Sampling::all);
  EXPECT_EQ(growing(30).count().blocks_emulated, 30U);
  EmulationOptions how;
  how.whole_grid_instructions = 100;
  EXPECT_EQ(data_dependent(30).count(how).sampling, Sampling::random);
  how.all_blocks = true;
  EXPECT_EQ(data_dependent(30).count(how).sampling, Sampling::all);
}

TEST(Sampling, ThreadsDoNotMatterAndSeedsDo) {
  for (const Assembled& kernel : {growing(900), data_dependent(900), guarded_copy(100'003, 256)}) {
    EmulationOptions how = sampled();
    how.random_sample_instructions = 0;
    how.threads = 1;
    const MachineLedger one = kernel.count(how);
    for (const unsigned threads : {2U, 3U, 8U}) {
      how.threads = threads;
      const MachineLedger many = kernel.count(how);
      EXPECT_EQ(different_counts(many, one), "") << threads;
      EXPECT_EQ(many.relative_uncertainty, one.relative_uncertainty);
      EXPECT_EQ(many.blocks_emulated, one.blocks_emulated);
    }
    how.seed = 2;
    const MachineLedger other = kernel.count(how);
    EXPECT_EQ(different_counts(other, one) == "", one.sampling == Sampling::classes);
  }
}

TEST(Sampling, ProgressIsToldToTheEnd) {
  EmulationOptions how;
  std::uint64_t last = 0;
  std::uint64_t total = 0;
  how.progress = [&](std::uint64_t done, std::uint64_t of) {
    last = std::max(last, done);
    total = of;
  };
  how.all_blocks = true;
  (void)growing(50).count(how);
  EXPECT_EQ(last, 50U);
  EXPECT_EQ(total, 50U);
}

TEST(Totals, HalfPrecisionConstantsAreNoArithmetic) {
  const MachineLedger ledger =
      Assembled(
          "HFMA2 R1,-RZ,RZ,1.875,0\nHFMA2.MMA R2,-RZ,RZ,0,5.9604644775390625e-08\n"
          "HFMA2 R3,R1,R2,R1\n@P0 HFMA2 R3,R1,1,1,R2\nHFMA2 R3,R1,1,1,R2\n"
          "HFMA2 R3,c[0x0][0x210],R1.H0_H0,RZ\nEXIT")
          .count();
  EXPECT_EQ(ledger.totals.fp16_fmas, 3 * 64) << "the guard lets no lane through";
  EXPECT_EQ(ledger.totals.warp_instructions, 7);
}

}  // namespace
}  // namespace perfmodel::sass::testing
