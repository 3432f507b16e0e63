#include "model/traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/resource_bounds.hpp"
#include "model/spec/catalog.hpp"
#include "tests/sass/assembled.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using sass::testing::Assembled;

/// Warps that each copy 128 bytes in place.
class CopyTraffic : public ::testing::Test {
 protected:
  static constexpr double blocks = 10'000;
  static constexpr double all_bytes = 128 * blocks;

  CopyTraffic() {
    kernel_.grid(10'000).buffer(128 * 10'000);
    kernel_.function().registers = 16;
    profile_ = profile_launch(kernel_.module, kernel_.function(), kernel_.launch, device_, {});
  }
  [[nodiscard]] Traffic traffic(const TrafficBasis& basis = {}) const {
    return predict_traffic(profile_, device_, basis);
  }

  Assembled kernel_{
      "S2R R0,SR_CTAID.X\nS2R R1,SR_TID.X\nIMAD R0,R0,0x20,R1\n"
      "IMAD.WIDE R2,R0,0x4,c[0x0][0x210]\nLDG.E R4,[R2.64]\nSTG.E [R2.64],R4\nEXIT"};
  Device device_ = spec::Catalog(testing::source_specs()).device("h200");
  LaunchProfile profile_;
};

TEST_F(CopyTraffic, EveryByteMovesOnce) {
  const Traffic once = traffic();
  EXPECT_EQ(once.l1_load_bytes, all_bytes);
  EXPECT_EQ(once.l1_store_bytes, all_bytes);
  EXPECT_EQ(once.l2_load_bytes, all_bytes);
  EXPECT_EQ(once.l2_store_bytes, all_bytes);
  EXPECT_EQ(once.compulsory_bytes(), 2 * all_bytes);
  EXPECT_NEAR(once.dram_load_bytes, all_bytes, 1);
  EXPECT_NEAR(once.dram_store_bytes, 0, 1) << "L2 keeps what was stored";
  EXPECT_NEAR(once.dram_wait_share, 1, 1e-9);
}

TEST_F(CopyTraffic, NobodyWaitsForWhatOthersAskedForBefore) {
  TrafficBasis basis;
  basis.led_share = 0.25;
  EXPECT_NEAR(traffic(basis).dram_wait_share, 0.75, 1e-9);
  EXPECT_EQ(traffic(basis).dram_load_bytes, traffic().dram_load_bytes);
}

TEST_F(CopyTraffic, StateOfL2Decides) {
  TrafficBasis basis;
  basis.l2 = L2State::warm;
  EXPECT_EQ(traffic(basis).dram_bytes(), 0) << "all of it fits";
  basis.l2 = L2State::overwritten;
  EXPECT_GT(traffic(basis).dram_store_bytes, 0);
  EXPECT_NEAR(traffic(basis).dram_load_bytes, all_bytes, 1);
}

TEST_F(CopyTraffic, L1MissesDecideWhatL2IsAskedFor) {
  TrafficBasis basis;
  basis.l1_miss_share = 0.1;
  EXPECT_EQ(traffic(basis).l2_load_bytes, all_bytes) << "never less than each byte once";
}

TEST_F(CopyTraffic, BoundsAreWorkOverRate) {
  const SmCosts costs = [&] {
    SmCosts plain;
    plain.sm_count = 132;
    plain.clock_hz = 1e9;
    return plain;
  }();
  const std::vector<ResourceBound> bounds = resource_bounds(profile_, traffic(), costs);
  const auto seconds = [&](const std::string& resource) {
    const auto found = std::ranges::find(bounds, resource, &ResourceBound::resource);
    return found == bounds.end() ? 0 : found->seconds;
  };
  // The busiest SM runs 76 blocks; each is seven warp instructions and two wavefronts.
  EXPECT_NEAR(seconds("issue"), 76 * 7 / 4.0 * 1e-9, 1e-12);
  EXPECT_NEAR(seconds("LSU data pipe"), 76 * 2 * 1e-9, 1e-12);
  EXPECT_NEAR(seconds("DRAM"), all_bytes / costs.dram_bytes_per_cycle / 132 * 1e-9, 1e-9);
  EXPECT_EQ(seconds("tensor"), 0);
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    EXPECT_GE(bounds[i - 1].seconds, bounds[i].seconds);
  }
}

}  // namespace
}  // namespace perfmodel
