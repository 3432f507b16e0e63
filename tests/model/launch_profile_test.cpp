#include "model/launch_profile.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "model/spec/catalog.hpp"
#include "tests/sass/assembled.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using sass::testing::Assembled;

/// Warps that each copy 128 bytes in place.
Assembled copy_of(std::uint32_t blocks) {
  Assembled kernel(
      "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nIMAD R0,R0,0x20,R1\n"
      "IMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nLDG.E R4,[R2.64]\nSTG.E [R2.64],R4\nEXIT");
  kernel.grid(blocks).buffer(std::size_t{128} * blocks);
  kernel.function().registers = 16;
  return kernel;
}

TEST(LaunchProfile, ABlockThatDoesNotFitIsAnError) {
  const Device device = spec::Catalog(testing::source_specs()).device("h200");
  Assembled kernel("EXIT");
  kernel.block(1024);
  kernel.function().registers = 255;
  EXPECT_EQ(testing::error_of([&] {
              (void)profile_launch(kernel.module, kernel.function(), kernel.launch, device, {});
            }),
            "kernel: a block of 1024 threads with 255 registers each and 0 bytes of shared memory "
            "does not fit an SM of h200");
}

TEST(LaunchProfile, WhatTheSystemKeepsOfSharedMemoryCountsOnce) {
  const Device device = spec::Catalog(testing::source_specs()).device("h200");
  // Five times 44.5 KiB and 1 KiB of the system's are less than 228 KiB.
  Assembled kernel("EXIT");
  kernel.shared(1024 + 45568);
  const LaunchProfile profile =
      profile_launch(kernel.module, kernel.function(), kernel.launch, device, {});
  EXPECT_EQ(profile.block.shared_bytes, 45568);
  EXPECT_EQ(profile.resident_blocks, 5);
  EXPECT_EQ(profile.ledger.shared_bytes, 45568U);
}

TEST(LaunchProfile, FootprintsGrowWithTheBlocks) {
  const Device device = spec::Catalog(testing::source_specs()).device("h200");
  Assembled kernel = copy_of(10'000);
  const LaunchProfile profile =
      profile_launch(kernel.module, kernel.function(), kernel.launch, device, {});
  EXPECT_EQ(profile.resident_blocks, 32);
  EXPECT_EQ(profile.blocks(), 10'000);
  EXPECT_EQ(profile.one_block.loads.bytes, 128);
  EXPECT_EQ(profile.one_per_sm.loads.bytes, 128 * 132);
  EXPECT_EQ(profile.one_wave.stores.bytes, 128 * 132 * 32);
  EXPECT_EQ(profile.whole_launch.loads.bytes, 128 * 10'000);
  EXPECT_EQ(profile.ledger.totals.warp_instructions, 7 * 10'000);
}

TEST(LaunchProfile, BlocksOnSmsThatHoldFewerLead) {
  const Device device = spec::Catalog(testing::source_specs()).device("h200");
  const auto profile_of = [&](std::uint32_t blocks) {
    Assembled kernel = copy_of(blocks);
    return profile_launch(kernel.module, kernel.function(), kernel.launch, device, {});
  };
  // 132 SMs: eight have three blocks, the others two.
  const LaunchProfile uneven = profile_of(272);
  EXPECT_EQ(uneven.following.loads.bytes, 128 * 8 * 3);
  EXPECT_EQ(uneven.leading.loads.bytes, 128 * 124 * 2);
  EXPECT_EQ(profile_of(264).leading.blocks, 0U) << "all have as many";
  EXPECT_EQ(profile_of(100).leading.blocks, 0U) << "some have none";
  EXPECT_EQ(profile_of(10'000).leading.blocks, 0U) << "more than one wave";
}

}  // namespace
}  // namespace perfmodel
