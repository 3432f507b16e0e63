#include "model/device.hpp"

#include <gtest/gtest.h>

#include "model/analysis.hpp"
#include "model/spec/catalog.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

static_assert(warp_lanes == 32);

Device rtx4090() { return spec::Catalog(testing::source_specs()).device("rtx4090"); }

TEST(Device, PeakFollowsTheClock) {
  const Device device = rtx4090();
  // 2 FLOP x 128 FMA x 128 SM x clock.
  EXPECT_DOUBLE_EQ(device.peak_flop_per_s(2.52e9), 82'575.36e9);
  EXPECT_DOUBLE_EQ(device.peak_flop_per_s(2.64e9), 86'507.52e9);
  EXPECT_DOUBLE_EQ(device.min_cycles_per_warp_fma(), 0.25);
}

TEST(ResolveClock, TakesABasisOrAFrequency) {
  const Device device = rtx4090();
  EXPECT_EQ(resolve_clock(device, "measured").hz, 2.64e9);
  EXPECT_EQ(resolve_clock(device, "device").basis, "device-reported");
  EXPECT_EQ(resolve_clock(device, "2.64GHz").hz, 2.64e9);
  EXPECT_EQ(resolve_clock(device, "2520MHz").hz, 2.52e9);
  EXPECT_EQ(resolve_clock(device, "2.5e9").hz, 2.5e9);
  EXPECT_EQ(resolve_clock(device, "2.5e9").basis, "given");
}

TEST(ResolveClock, RefusesWhatIsNeither) {
  const Device device = rtx4090();
  const auto error = [&](const char* text) {
    return error_of([&] { resolve_clock(device, text); });
  };
  EXPECT_EQ(error("mesured"),
            "rtx4090 has no clock basis 'mesured' (did you mean 'measured'?); it has "
            "device-reported, measured, and a figure such as 2.5GHz works");
  for (const char* text : {"2.64", "0GHz", "-2GHz", "nanGHz", "inf", "1e999GHz", "2.64THz"}) {
    EXPECT_EQ(error(text), "clock '" + std::string(text) +
                               "' is not a frequency of at least 1 MHz; write it as 2.64GHz, "
                               "2640MHz or 2.64e9, or name a clock basis");
  }
}

}  // namespace
}  // namespace perfmodel
