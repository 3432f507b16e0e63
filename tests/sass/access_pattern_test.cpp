#include "model/sass/access_pattern.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace perfmodel::sass {
namespace {

constexpr std::uint32_t all_lanes = 0xffffffffU;

/// Offsets from the lowest active lane, as the emulator gives them.
Row offsets_of(const std::function<std::uint32_t(std::uint32_t)>& address,
               std::uint32_t mask = all_lanes) {
  std::uint32_t first = 0;
  while ((mask >> first & 1U) == 0) {
    ++first;
  }
  Row offsets{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    offsets[lane] = (mask >> lane & 1U) != 0 ? address(lane) - address(first) : 0;
  }
  return offsets;
}

AccessCost shared(std::uint32_t bytes, const std::function<std::uint32_t(std::uint32_t)>& address,
                  std::uint32_t mask = all_lanes, std::uint32_t phase = 0) {
  return shared_access(offsets_of(address, mask), phase, mask, bytes, false);
}

AccessCost shared_store(std::uint32_t bytes,
                        const std::function<std::uint32_t(std::uint32_t)>& address) {
  return shared_access(offsets_of(address), 0, all_lanes, bytes, true);
}

AccessCost global(std::uint32_t bytes, const std::function<std::uint32_t(std::uint32_t)>& address,
                  std::uint32_t phase = 0, std::uint32_t mask = all_lanes) {
  return global_access(offsets_of(address, mask), phase, mask, bytes);
}

/// Wavefronts of a load that misses, the first lane at `first_address`.
std::uint32_t misses(std::uint32_t bytes,
                     const std::function<std::uint32_t(std::uint32_t)>& address,
                     std::uint64_t first_address = 0) {
  const Row offsets = offsets_of(address);
  const AccessCost cost = global_access(
      offsets, static_cast<std::uint32_t>(first_address % line_bytes), all_lanes, bytes);
  return miss_wavefronts(cost, offsets, first_address, all_lanes, bytes);
}

std::function<std::uint32_t(std::uint32_t)> stride(std::uint32_t bytes) {
  return [bytes](std::uint32_t lane) { return bytes * lane; };
}

std::uint32_t same(std::uint32_t /*lane*/) { return 0; }

TEST(SharedAccess, WordsOf32Bits) {
  // One wavefront for each distinct word that the busiest of the 32 banks must serve.
  EXPECT_EQ(shared(4, same).wavefronts, 1U);
  EXPECT_EQ(shared(4, stride(4)).wavefronts, 1U);
  EXPECT_EQ(shared(4, stride(8)).wavefronts, 2U);
  EXPECT_EQ(shared(4, stride(12)).wavefronts, 1U) << "odd strides visit every bank";
  EXPECT_EQ(shared(4, stride(16)).wavefronts, 4U);
  EXPECT_EQ(shared(4, stride(128)).wavefronts, 32U);
  EXPECT_EQ(shared(4, stride(132)).wavefronts, 1U) << "rows padded by a word";
  // Lanes 0 to 15 in row 0, 16 to 31 in the same banks of row 1.
  const auto two_rows = [](std::uint32_t lane) { return lane % 16 * 4 + lane / 16 * 128; };
  EXPECT_EQ(shared(4, two_rows).wavefronts, 2U);
  // Two words, each for half of the warp: broadcasts, in different banks.
  EXPECT_EQ(shared(4, [](std::uint32_t lane) { return lane / 16 * 4; }).wavefronts, 1U);
  // The same bank, though.
  EXPECT_EQ(shared(4, [](std::uint32_t lane) { return lane / 16 * 128; }).wavefronts, 2U);
  // Downwards, in front of the first lane.
  EXPECT_EQ(shared(4, [](std::uint32_t lane) { return 0U - 8 * lane; }).wavefronts, 2U);
  // Where the first lane stands does not matter: a row that wraps around the banks.
  EXPECT_EQ(shared(4, stride(4), all_lanes, 100).wavefronts, 1U);
}

TEST(SharedAccess, BytesAndHalfwordsShareTheirWords) {
  EXPECT_EQ(shared(1, stride(1)).wavefronts, 1U);
  EXPECT_EQ(shared(1, stride(1)).useful_bytes, 32U);
  EXPECT_EQ(shared(1, stride(128)).wavefronts, 32U);
  EXPECT_EQ(shared(2, stride(2)).wavefronts, 1U);
  EXPECT_EQ(shared(2, stride(4)).wavefronts, 1U);
  EXPECT_EQ(shared(2, stride(8)).wavefronts, 2U);
  EXPECT_EQ(shared(2, stride(2)).useful_bytes, 64U);
}

TEST(SharedAccess, WordsOf64BitsPassInTwoHalves) {
  EXPECT_EQ(shared(8, stride(8)).wavefronts, 2U);
  EXPECT_EQ(shared(8, stride(16)).wavefronts, 4U) << "two words in every other pair of banks";
  EXPECT_EQ(shared(8, stride(128)).wavefronts, 32U);
  EXPECT_EQ(shared_store(8, stride(8)).wavefronts, 2U);
  EXPECT_EQ(shared(8, stride(8), 0x0000ffffU).wavefronts, 1U) << "a half without lanes is free";
  EXPECT_EQ(shared(8, stride(8), 0xffff0000U).wavefronts, 1U);
  // Loads of lane pairs n, n ^ 1 or n, n ^ 2 that share their words pass at once; stores do not.
  EXPECT_EQ(shared(8, same).wavefronts, 1U);
  EXPECT_EQ(shared(8, [](std::uint32_t lane) { return lane / 2 * 8; }).wavefronts, 1U);
  EXPECT_EQ(shared(8, [](std::uint32_t lane) { return lane % 2 * 8; }).wavefronts, 1U);
  EXPECT_EQ(shared(8, [](std::uint32_t lane) { return lane % 4 * 8; }).wavefronts, 2U);
  EXPECT_EQ(shared_store(8, same).wavefronts, 2U);
}

TEST(SharedAccess, WordsOf128BitsPassInQuarters) {
  EXPECT_EQ(shared(16, stride(16)).wavefronts, 4U);
  EXPECT_EQ(shared(16, stride(128)).wavefronts, 32U) << "eight lanes in the same banks";
  EXPECT_EQ(shared(16, stride(144)).wavefronts, 4U) << "rows padded by 16 bytes";
  EXPECT_EQ(shared(16, stride(16), 0x000000ffU).wavefronts, 1U);
  EXPECT_EQ(shared(16, stride(16), 0x01010101U).wavefronts, 4U) << "one lane in every quarter";
}

TEST(SharedAccess, LanePairsThatShareMakeTwoHalvesOf128Bits) {
  EXPECT_EQ(shared(16, same).wavefronts, 2U);
  EXPECT_EQ(shared_store(16, same).wavefronts, 4U) << "only loads pair";
  EXPECT_EQ(shared(16, [](std::uint32_t lane) { return lane / 2 * 16; }).wavefronts, 2U)
      << "n and n ^ 1";
  EXPECT_EQ(
      shared(16, [](std::uint32_t lane) { return (lane / 4 * 2 + lane % 2) * 16; }).wavefronts, 2U)
      << "n and n ^ 2";
  EXPECT_EQ(shared(16, [](std::uint32_t lane) { return lane % 4 * 16 + lane / 8 * 64; }).wavefronts,
            4U)
      << "n and n ^ 4 do not pair";
  // Pairs, whose halves of the warp hold 8 distinct addresses in the same four banks.
  EXPECT_EQ(shared(16, [](std::uint32_t lane) { return lane / 2 * 128; }).wavefronts, 16U);
  // A pair of which one lane is off shares.
  EXPECT_EQ(
      shared(16, [](std::uint32_t lane) { return lane / 2 * 16; }, 0x55555555U).wavefronts, 2U);
}

TEST(SharedAccess, MaskedLanesAreIgnored) {
  EXPECT_EQ(shared(4, stride(128), 0x1U).wavefronts, 1U);
  EXPECT_EQ(shared(4, stride(128), 0x80000000U).wavefronts, 1U);
  EXPECT_EQ(shared(4, stride(128), 0x10101U).wavefronts, 3U);
  EXPECT_EQ(shared(4, stride(64), 0x0fU).wavefronts, 2U);
}

TEST(SharedAccess, IdealBytesAndClass) {
  const AccessCost broadcast = shared(4, same);
  EXPECT_EQ(broadcast.access, AccessClass::broadcast);
  EXPECT_EQ(broadcast.useful_bytes, 4U);
  EXPECT_EQ(broadcast.ideal_wavefronts, 1U);
  EXPECT_EQ(broadcast.stride_bytes, 0);
  const AccessCost conflicted = shared(4, stride(128));
  EXPECT_EQ(conflicted.access, AccessClass::distinct);
  EXPECT_EQ(conflicted.useful_bytes, 128U);
  EXPECT_EQ(conflicted.ideal_wavefronts, 1U);
  EXPECT_EQ(conflicted.stride_bytes, 128);
  EXPECT_EQ(shared(16, stride(16)).ideal_wavefronts, 4U);
  EXPECT_EQ(shared(16, same).ideal_wavefronts, 1U);
  EXPECT_EQ(shared(4, stride(4), 0x4U).access, AccessClass::broadcast) << "a single lane";
  EXPECT_EQ(shared(4, stride(128)).sectors, 0U) << "sectors are global memory's";
}

TEST(GlobalAccess, Coalesced) {
  const AccessCost words = global(4, stride(4));
  EXPECT_EQ(words.sectors, 4U);
  EXPECT_EQ(words.lines, 1U);
  EXPECT_EQ(words.wavefronts, 1U);
  EXPECT_EQ(words.useful_bytes, 128U);
  EXPECT_EQ(words.access, AccessClass::coalesced);
  EXPECT_EQ(words.stride_bytes, 4);
  const AccessCost pairs = global(8, stride(8));
  EXPECT_EQ(pairs.sectors, 8U);
  EXPECT_EQ(pairs.wavefronts, 2U);
  const AccessCost quads = global(16, stride(16));
  EXPECT_EQ(quads.sectors, 16U);
  EXPECT_EQ(quads.lines, 4U);
  EXPECT_EQ(quads.wavefronts, 4U);
  EXPECT_EQ(quads.ideal_wavefronts, 4U);
  EXPECT_EQ(global(1, stride(1)).sectors, 1U);
  EXPECT_EQ(global(2, stride(2)).sectors, 2U);
  // In any order, and downwards.
  EXPECT_EQ(global(4, [](std::uint32_t lane) { return (lane ^ 5U) * 4; }, 20).sectors, 4U);
  const AccessCost down = global(4, [](std::uint32_t lane) { return 0U - 4 * lane; }, 124);
  EXPECT_EQ(down.sectors, 4U);
  EXPECT_EQ(down.access, AccessClass::coalesced);
  EXPECT_EQ(down.stride_bytes, -4);
  EXPECT_EQ(down.sector_offsets[0], -3) << "from the first lane's sector";
  EXPECT_EQ(down.sector_offsets[3], 0);
}

TEST(GlobalAccess, Misaligned) {
  // 128 bytes that begin 4 behind a line: five sectors of two lines.
  const AccessCost cost = global(4, stride(4), 4);
  EXPECT_EQ(cost.sectors, 5U);
  EXPECT_EQ(cost.lines, 2U);
  EXPECT_EQ(cost.wavefronts, 1U) << "every bank serves one word";
  EXPECT_EQ(cost.line_wavefronts, 2U);
  EXPECT_EQ(misses(4, stride(4), 4), 1U);
  EXPECT_EQ(cost.access, AccessClass::coalesced) << "the next access uses the rest";
  EXPECT_EQ(global(4, stride(4), 32).sectors, 4U);
  EXPECT_EQ(global(4, stride(4), 32).lines, 2U);
  // Quarters of a wide access cross into the next line; the fifth comes apart on a miss.
  EXPECT_EQ(global(16, stride(16), 16).wavefronts, 4U);
  EXPECT_EQ(misses(16, stride(16), 16), 5U);
  EXPECT_EQ(global(16, stride(16), 16).sectors, 17U);
  EXPECT_EQ(global(16, stride(16), 16).lines, 5U);
}

TEST(GlobalAccess, MissesComeBackByTagBanks) {
  // Odd strides visit every bank, so that a hit takes one wavefront however many lines it touches.
  EXPECT_EQ(global(4, stride(12)).wavefronts, 1U);
  EXPECT_EQ(misses(4, stride(12)), 1U) << "3 lines";
  EXPECT_EQ(global(4, stride(20)).wavefronts, 1U);
  EXPECT_EQ(misses(4, stride(20)), 2U) << "5 lines";
  EXPECT_EQ(global(4, stride(124)).wavefronts, 1U);
  EXPECT_EQ(misses(4, stride(124)), 8U) << "31 lines, evenly over the tag banks";
  EXPECT_EQ(global(4, stride(124)).line_wavefronts, 31U);
  EXPECT_EQ(misses(4, stride(128)), 32U) << "all in one data bank";
  // 128 bytes of two lines, which come apart where these share a tag bank.
  EXPECT_EQ(misses(4, stride(4), 128 + 64), 1U);
  EXPECT_EQ(misses(4, stride(4), 384 + 64), 2U);
  EXPECT_EQ(misses(4, stride(4), 1024 - 64), 1U);
  // Every eight lanes of a wide load go by themselves, whatever lines they share with others.
  EXPECT_EQ(misses(16, stride(496)), 15U);
  EXPECT_EQ(misses(8, stride(248)), 11U);
  // A broadcast and a coalesced load have nothing to come apart.
  EXPECT_EQ(misses(4, same), 1U);
  EXPECT_EQ(misses(16, stride(16)), 4U);
}

TEST(GlobalAccess, BroadcastStridedGather) {
  const AccessCost one = global(4, same);
  EXPECT_EQ(one.sectors, 1U);
  EXPECT_EQ(one.wavefronts, 1U);
  EXPECT_EQ(one.useful_bytes, 4U);
  EXPECT_EQ(one.access, AccessClass::broadcast);
  const AccessCost two = global(4, stride(8));
  EXPECT_EQ(two.sectors, 8U);
  EXPECT_EQ(two.lines, 2U);
  EXPECT_EQ(two.access, AccessClass::strided);
  EXPECT_EQ(two.stride_bytes, 8);
  const AccessCost columns = global(4, stride(4096));
  EXPECT_EQ(columns.sectors, 32U);
  EXPECT_EQ(columns.lines, 32U);
  EXPECT_EQ(columns.wavefronts, 32U);
  EXPECT_EQ(columns.ideal_wavefronts, 1U);
  EXPECT_EQ(columns.access, AccessClass::strided);
  const AccessCost gather = global(4, [](std::uint32_t lane) { return lane * lane * 64; });
  EXPECT_EQ(gather.access, AccessClass::gather);
  EXPECT_EQ(gather.sectors, 32U);
  EXPECT_EQ(gather.stride_bytes, 0);
  // Whole sectors in any order waste nothing.
  EXPECT_EQ(
      global(4, [](std::uint32_t lane) { return (lane / 8) * (lane / 8) * 512 + lane % 8 * 4; })
          .access,
      AccessClass::coalesced);
}

TEST(GlobalAccess, PartialMasks) {
  const AccessCost four = global(4, stride(4), 0, 0x0000000fU);
  EXPECT_EQ(four.sectors, 1U);
  EXPECT_EQ(four.useful_bytes, 16U);
  EXPECT_EQ(four.access, AccessClass::coalesced);
  const AccessCost late = global(4, stride(4), 28, 0x00000180U);
  EXPECT_EQ(late.sectors, 2U) << "lanes 7 and 8, across a sector's end";
  EXPECT_EQ(late.lines, 1U);
  const AccessCost apart = global(4, stride(4), 0, 0x00000101U);
  EXPECT_EQ(apart.stride_bytes, 4) << "per lane, not per active lane";
  const AccessCost quads = global(16, stride(16), 0, 0x00000001U);
  EXPECT_EQ(quads.wavefronts, 1U);
  EXPECT_EQ(quads.sectors, 1U);
}

TEST(MatrixAccess, EightRowsOfEachMatrix) {
  const auto rows = [](std::uint32_t bytes) { return offsets_of(stride(bytes)); };
  EXPECT_EQ(matrix_access(rows(16), 0, 1).wavefronts, 1U);
  EXPECT_EQ(matrix_access(rows(16), 0, 2).wavefronts, 2U);
  EXPECT_EQ(matrix_access(rows(16), 0, 4).wavefronts, 4U);
  EXPECT_EQ(matrix_access(rows(64), 0, 4).wavefronts, 16U) << "every other row in the same banks";
  EXPECT_EQ(matrix_access(rows(128), 0, 4).wavefronts, 32U);
  EXPECT_EQ(matrix_access(rows(144), 0, 4).wavefronts, 4U);
  EXPECT_EQ(matrix_access(rows(16), 0, 4).useful_bytes, 512U);
  EXPECT_EQ(matrix_access(rows(16), 0, 1).useful_bytes, 128U);
  EXPECT_EQ(matrix_access(rows(128), 0, 4).ideal_wavefronts, 4U);
}

}  // namespace
}  // namespace perfmodel::sass
