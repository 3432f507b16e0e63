#include "model/hardware_constants.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

HardwareConstant constant(const std::string& name, double value,
                          std::optional<ConstantLimit> limit) {
  HardwareConstant one;
  one.name = name;
  one.value = value;
  one.unit = "lanes/clk/SM";
  one.limit = std::move(limit);
  return one;
}

HardwareConstants example() {
  HardwareConstants constants;
  constants.device = "h200";
  constants.constants = {constant("fma.rate", 129, ConstantLimit{128, false, "lanes of an SM"}),
                         constant("shared.load.32", 0.5, ConstantLimit{1, true, "banks"}),
                         constant("mufu.rate", 16, ConstantLimit{128, false, "issue"}),
                         constant("launch.row", 1, std::nullopt)};
  constants.skipped = {{"tensor.bf16.rate", "sm_75 has no such instruction"}};
  return constants;
}

TEST(HardwareConstants, AreFoundByName) {
  const HardwareConstants constants = example();
  EXPECT_EQ(constants.value("mufu.rate"), 16);
  EXPECT_EQ(constants.find("mufu.rat"), nullptr);
  EXPECT_EQ(error_of([&] { static_cast<void>(constants.value("mufu.rat")); }),
            "the constants of h200 have no 'mufu.rat' (did you mean 'mufu.rate'?); measure them "
            "anew with 'perfmodel calibrate --device auto'");
  EXPECT_EQ(error_of([&] { static_cast<void>(constants.value("tensor.bf16.rate")); }),
            "constant tensor.bf16.rate was not measured on h200: sm_75 has no such instruction");
}

TEST(HardwareConstants, ALimitBindsRatesFromAboveAndCostsFromBelow) {
  const HardwareConstants constants = example();
  EXPECT_EQ(constants.find("mufu.rate")->limit_share(), 0.125);
  EXPECT_EQ(constants.find("shared.load.32")->limit_share(), 2);
  EXPECT_EQ(constants.find("launch.row")->limit_share(), std::nullopt);
  EXPECT_EQ(limit_violations(constants),
            (std::vector<std::string>{"fma.rate is above the physical limit: 129 lanes/clk/SM, the "
                                      "limit is 128 (lanes of an SM)",
                                      "shared.load.32 is below the physical limit: 0.5 "
                                      "lanes/clk/SM, the limit is 1 (banks)"}));
}

}  // namespace
}  // namespace perfmodel
