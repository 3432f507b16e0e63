#include "model/sass/footprint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/sass/assembled.hpp"

namespace perfmodel::sass::testing {
namespace {

Footprint footprint_of(const Assembled& kernel, const EmulationOptions& how, std::uint64_t first,
                       std::uint64_t count) {
  LaunchFootprint footprint(kernel.module, kernel.module.functions.front(), kernel.launch, how);
  return footprint.of_range(first, count);
}

/// Never runs a grid whole because it is small.
EmulationOptions by_law() {
  EmulationOptions how;
  how.whole_grid_instructions = 0;
  return how;
}

/// Nor any part of it that has no law, beyond 30 blocks.
EmulationOptions by_estimate() {
  EmulationOptions how = by_law();
  how.random_sample_instructions = 1;
  return how;
}

UniqueBytes exactly(double bytes, double sectors, double pairs) {
  return {bytes, sectors, pairs, bytes, sectors};
}
UniqueBytes exactly(double bytes, double sectors) { return exactly(bytes, sectors, sectors / 2); }

/// Lane l of block b loads 4 bytes at 4 l + `step` b, and stores them there.
Assembled copy(std::uint32_t blocks, std::uint32_t step) {
  const std::string distance = std::to_string(step);
  return Assembled("S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nIMAD.WIDE R2,R0," + distance +
                   ",c[0x0][0x210]\nIMAD.WIDE R2,R1,0x4,R2\nIMAD.WIDE R4,R0," + distance +
                   ",c[0x0][0x218]\nIMAD.WIDE R4,R1,0x4,R4\nLDG.E R6,[R2.64]\nSTG.E [R4.64],R6\n"
                   "EXIT")
      .buffer(std::uint64_t{step} * blocks + 128)
      .buffer(std::uint64_t{step} * blocks + 128)
      .grid(blocks);
}

TEST(Footprint, OverlappingBlocksByHand) {
  // Blocks of 128 bytes, 100 apart.
  const Assembled kernel = copy(1000, 100);
  for (const bool law : {false, true}) {
    const EmulationOptions how = law ? by_law() : EmulationOptions{};
    LaunchFootprint footprint(kernel.module, kernel.module.functions.front(), kernel.launch, how);
    const FootprintBasis basis = law ? FootprintBasis::law : FootprintBasis::all_blocks;
    Footprint one = footprint.of_range(3, 1);
    EXPECT_EQ(one.basis, basis);
    EXPECT_EQ(one.blocks, 1U);
    EXPECT_EQ(one.loads, exactly(128, 5, 3)) << "bytes 300 to 428: sectors 9 to 13";
    one = footprint.of_range(10, 20);
    EXPECT_EQ(one.loads, exactly(1900 + 128, 64, 33)) << "bytes 1000 to 3028: sectors 31 to 94";
    one = footprint.of_range(0, 1000);
    EXPECT_EQ(one.loads, exactly(99'900 + 128, 3126));
    EXPECT_EQ(one.stores, one.loads);
    ASSERT_EQ(one.buffers.size(), 2U);
    EXPECT_EQ(one.buffers[0].name, "buffer 1");
    EXPECT_EQ(one.buffers[1].argument, 1U);
    EXPECT_EQ(one.buffers[1].size_bytes, 100'128U);
    EXPECT_EQ(one.buffers[0].stores, UniqueBytes{});
    EXPECT_EQ(one.buffers[1].loads, UniqueBytes{});
    EXPECT_EQ(one.buffers[1].stores, one.stores);
    // Beyond the grid there is nothing.
    EXPECT_EQ(footprint.of_range(999, 50).loads, exactly(128, 5, 3));
    EXPECT_EQ(footprint.of_range(2000, 50).loads, UniqueBytes{});
    EXPECT_EQ(footprint.of_range(2000, 50).blocks, 0U);
    const std::array<std::uint64_t, 3> apart = {0, 2, 999};
    EXPECT_EQ(footprint.of_blocks(apart).loads, exactly(3 * 128, 4 + 5 + 5, 2 + 3 + 3));
    EXPECT_EQ(footprint.of_blocks({}).loads, UniqueBytes{});
  }
}

TEST(Footprint, ALawTakesFewBlocks) {
  const Assembled kernel = copy(1'000'000, 128);
  const Footprint launch = footprint_of(kernel, {}, 0, 1'000'000);
  EXPECT_EQ(launch.basis, FootprintBasis::law);
  EXPECT_EQ(launch.loads, exactly(128e6, 4e6));
  EXPECT_LT(launch.blocks_emulated, 60U);
  EXPECT_GE(launch.blocks_verified, 30U);
}

/// Lane l of block b loads 4 bytes at 4 l + 128 b^2: distinct bytes, but no law of steps.
Assembled squares(std::uint32_t blocks) {
  return Assembled(
             "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nIMAD R0,R0,R0,RZ\n"
             "IMAD.WIDE R2,R0,0x80,c[0x0][0x210]\nIMAD.WIDE R2,R1,0x4,R2\nLDG.E R6,[R2.64]\nEXIT")
      .buffer(std::uint64_t{128} * blocks * blocks)
      .grid(blocks);
}

TEST(Footprint, WithoutALawBlocksAreEmulated) {
  const Footprint launch = footprint_of(squares(500), by_law(), 0, 500);
  EXPECT_EQ(launch.basis, FootprintBasis::all_blocks);
  EXPECT_EQ(launch.blocks_emulated, 500U);
  EXPECT_EQ(launch.blocks_verified, 0U);
  EXPECT_EQ(launch.loads, exactly(500 * 128, 500 * 4));
}

TEST(Footprint, OrEstimated) {
  const Assembled kernel = squares(500);
  LaunchFootprint footprint(kernel.module, kernel.module.functions.front(), kernel.launch,
                            by_estimate());
  const Footprint launch = footprint.of_range(0, 500);
  EXPECT_EQ(launch.basis, FootprintBasis::estimate);
  EXPECT_LE(launch.blocks_emulated, 60U);
  // No two blocks share a byte, and none that were drawn did.
  EXPECT_DOUBLE_EQ(launch.loads.bytes, 500 * 128);
  EXPECT_DOUBLE_EQ(launch.loads.sectors, 500 * 4);
  EXPECT_DOUBLE_EQ(launch.loads.most_bytes, 500 * 128);
  // A few blocks are quick.
  EXPECT_EQ(footprint.of_range(100, 30).basis, FootprintBasis::all_blocks);
  EXPECT_EQ(footprint.of_range(100, 30).loads, exactly(30 * 128, 30 * 4));
}

/// Lane l of block b loads element `index[32 b + l] >> shift` of a buffer.
Assembled gather(std::uint32_t blocks, std::uint32_t shift, std::uint64_t elements) {
  return Assembled(
             "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nLEA R0,R0,R1,0x5\n"
             "IMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nLDG.E R0,[R2.64]\nSHF.R.U32.HI R0,RZ," +
             std::to_string(shift) +
             ",R0\nIMAD.WIDE.U32 R4,R0,0x4,c[0x0][0x218]\nLDG.E R6,[R4.64]\nEXIT")
      .buffer(std::uint64_t{128} * blocks, Fill::random_u32)
      .buffer(4 * elements)
      .grid(blocks);
}

TEST(Footprint, WhatDependsOnDataIsEmulatedOrEstimated) {
  const Assembled kernel = gather(4000, 16, 65'536);
  EmulationOptions whole;
  whole.all_blocks = true;
  const Footprint truth = footprint_of(kernel, whole, 0, 4000);
  EXPECT_EQ(truth.basis, FootprintBasis::all_blocks);
  EXPECT_EQ(truth.buffers[0].loads, exactly(4000 * 128, 4000 * 4));
  EXPECT_GT(truth.buffers[1].loads.bytes, 0.8 * 4 * 65'536);
  EXPECT_EQ(truth.buffers[1].loads.sectors, 65'536 / 8) << "128 000 draws leave none out";
  EXPECT_EQ(footprint_of(kernel, by_law(), 0, 4000).loads, truth.loads) << "quick enough";

  int within = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EmulationOptions how = by_estimate();
    how.random_sample_instructions = 2400;  // some 400 blocks
    how.seed = seed;
    const Footprint estimate = footprint_of(kernel, how, 0, 4000);
    EXPECT_EQ(estimate.basis, FootprintBasis::estimate);
    EXPECT_LT(estimate.blocks_emulated, 600U);
    EXPECT_NEAR(estimate.buffers[0].loads.bytes, truth.buffers[0].loads.bytes, 1);
    const UniqueBytes& loads = estimate.buffers[1].loads;
    EXPECT_EQ(loads.most_bytes, 4 * 65'536) << "the buffer is smaller than the sum of blocks";
    EXPECT_LE(loads.bytes, loads.most_bytes);
    within += std::abs(loads.bytes - truth.buffers[1].loads.bytes) < 0.15 * 4 * 65'536 ? 1 : 0;
  }
  EXPECT_GE(within, 18);
}

TEST(Footprint, AtomicsLoadAndStore) {
  Assembled kernel(
      "S2R R1,SR_TID.X\nIMAD.WIDE R2,R1,0x8,c[0x0][0x210]\nRED.E.ADD.STRONG.GPU [R2.64],R1\nEXIT");
  kernel.buffer(256).grid(100);
  for (const EmulationOptions& how : {EmulationOptions{}, by_law()}) {
    const Footprint launch = footprint_of(kernel, how, 0, 100);
    EXPECT_EQ(launch.loads, exactly(128, 8)) << "every other word";
    EXPECT_EQ(launch.stores, exactly(128, 8));
  }
}

TEST(Footprint, OneBufferForTwoThings) {
  // The rows of a matrix that a tile of its product with its own transpose takes: by x and by y.
  Assembled kernel(
      "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nS2R R7,SR_CTAID.Y\n"
      "IMAD.WIDE R2,R0,0x80,c[0x0][0x210]\nIMAD.WIDE R2,R1,0x4,R2\nLDG.E R6,[R2.64]\n"
      "IMAD.WIDE R4,R7,0x80,c[0x0][0x210]\nIMAD.WIDE R4,R1,0x4,R4\nLDG.E R8,[R4.64]\nEXIT");
  kernel.buffer(128 * 60).grid(60, 60);
  const auto rows = [&](std::uint64_t first, std::uint64_t count) {
    const Footprint range = footprint_of(kernel, by_law(), first, count);
    EXPECT_EQ(range.basis, FootprintBasis::law);
    return range.loads.bytes / 128;
  };
  EXPECT_EQ(rows(0, 1), 1);
  EXPECT_EQ(rows(0, 10), 10);
  EXPECT_EQ(rows(60 * 20 + 5, 10), 11);
  EXPECT_EQ(rows(60 * 20 + 5, 60), 60);
  EXPECT_EQ(rows(0, 3600), 60);
}

TEST(Footprint, SharedMemoryAndValuesAreLeftAside) {
  // The address in shared memory depends on data, those in global memory do not.
  Assembled kernel(
      "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nLEA R0,R0,R1,0x5\n"
      "IMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nLDG.E R4,[R2.64]\nLOP3.LUT R4,R4,0x1c,RZ,0xc0,!PT\n"
      "STS [R4],R0\nLDS R5,[R4]\nEXIT");
  kernel.buffer(std::uint64_t{128} * 5000, Fill::random_u32).grid(5000).shared(128);
  EXPECT_FALSE(kernel.count(by_law()).data_independent);
  const Footprint launch = footprint_of(kernel, by_law(), 0, 5000);
  EXPECT_EQ(launch.basis, FootprintBasis::law);
  EXPECT_EQ(launch.loads, exactly(5000 * 128, 5000 * 4));
}

TEST(Footprint, ThreadsDoNotMatter) {
  const Assembled kernel = gather(700, 20, 4096);
  EmulationOptions how = by_estimate();
  how.threads = 1;
  const Footprint one = footprint_of(kernel, how, 0, 700);
  for (const unsigned threads : {2U, 5U}) {
    how.threads = threads;
    const Footprint many = footprint_of(kernel, how, 0, 700);
    EXPECT_EQ(many.buffers, one.buffers);
    EXPECT_EQ(many.blocks_emulated, one.blocks_emulated);
  }
}

}  // namespace
}  // namespace perfmodel::sass::testing
