#include "model/occupancy.hpp"

#include <gtest/gtest.h>

#include "model/spec/catalog.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

Device device(const char* name) { return spec::Catalog(testing::source_specs()).device(name); }

TEST(Occupancy, EachResourceMayBeTheLimit) {
  const Device h200 = device("h200");
  EXPECT_EQ(resident_blocks_per_sm(h200, {1024, 32, 0}), 2) << "2048 threads";
  EXPECT_EQ(resident_blocks_per_sm(h200, {1024, 33, 0}), 1) << "40 registers are given";
  EXPECT_EQ(resident_blocks_per_sm(h200, {32, 16, 0}), 32) << "the limit on blocks";
  EXPECT_EQ(resident_blocks_per_sm(h200, {256, 32, 64 << 10}), 3) << "65 of 228 KiB each";
  EXPECT_EQ(resident_blocks_per_sm(h200, {96, 255, 0}), 2) << "2 warps in each quarter";
  EXPECT_EQ(resident_blocks_per_sm(h200, {256, 32, 300 << 10}), 0);
  EXPECT_EQ(resident_blocks_per_sm(h200, {1024, 255, 0}), 0);
}

TEST(Occupancy, ArchitecturesDiffer) {
  EXPECT_EQ(resident_blocks_per_sm(device("rtx4090"), {32, 16, 0}), 24);
  EXPECT_EQ(resident_blocks_per_sm(device("rtx3090"), {32, 16, 0}), 16);
  EXPECT_EQ(resident_blocks_per_sm(device("t4"), {64, 16, 0}), 16);
  EXPECT_EQ(resident_blocks_per_sm(device("v100"), {32, 16, 0}), 32);
  EXPECT_EQ(resident_blocks_per_sm(device("v100"), {64, 16, 32 << 10}), 3) << "nothing reserved";
  EXPECT_EQ(resident_blocks_per_sm(device("a100-80"), {64, 16, 32 << 10}), 4);
}

TEST(Occupancy, EveryDeviceHoldsABlock) {
  const spec::Catalog catalog(testing::source_specs());
  for (const std::string& name : catalog.device_names()) {
    EXPECT_GE(resident_blocks_per_sm(catalog.device(name), {128, 32, 1024}), 8) << name;
  }
}

TEST(Occupancy, RefusesWhatItDoesNotKnow) {
  Device unknown = device("h200");
  unknown.architecture = "sm_999";
  EXPECT_EQ(error_of([&] { (void)resident_blocks_per_sm(unknown, {32, 16, 0}); }),
            "device h200: how many blocks an SM of sm_999 holds is not known; perfmodel knows "
            "compute capabilities 7.0 to 12.1");
}

TEST(ComputeCapability, IsReadFromTheArchitecture) {
  EXPECT_EQ(compute_capability("sm_89"), 89);
  EXPECT_EQ(compute_capability("sm_90a"), 90);
  EXPECT_EQ(compute_capability("sm_120"), 120);
  EXPECT_EQ(compute_capability("gfx90a"), 0);
  EXPECT_EQ(compute_capability(""), 0);
}

}  // namespace
}  // namespace perfmodel
