#include "model/spec/device_reader.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::spec {
namespace {

using testing::error_of;
using testing::replaced;

constexpr const char* good = R"(schema: perfmodel.device/1
name: gpu
title: A GPU
architecture: sm_90
sm_count: {value: 10, origin: measured, source: live}
fma_per_clk_per_sm: {value: 128, origin: datasheet, source: guide}
dram_bytes_per_s: {value: 1.5e12, origin: derived, source: clock x bus}
threads_per_sm: {value: 2048, origin: datasheet, source: guide}
shared_bytes_per_sm: {value: 233472, origin: datasheet, source: guide}
clocks:
  - {name: boost, clock_hz: {value: 2.0e9, origin: datasheet, source: guide}}
)";

struct Bad {
  const char* what;
  const char* from;
  const char* to;
  const char* message;  ///< after "file:"

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.what; }
};

class DeviceReader : public ::testing::TestWithParam<Bad> {
 protected:
  testing::TemporaryFolder folder_;
};

TEST(DeviceReaderGood, ReadsEveryField) {
  const testing::TemporaryFolder folder;
  const Device device = read_device(folder.write("gpu.yaml", good));
  EXPECT_EQ(device.name, "gpu");
  EXPECT_EQ(device.architecture, "sm_90");
  EXPECT_EQ(device.sm_count.value, 10);
  EXPECT_EQ(device.sm_count.origin, Origin::measured);
  EXPECT_EQ(device.dram_bytes_per_s.value, 1.5e12);
  EXPECT_EQ(device.dram_bytes_per_s.source, "clock x bus");
  EXPECT_FALSE(device.l2_bytes);
  EXPECT_EQ(device.clocks.front().clock_hz.value, 2.0e9);
}

TEST_P(DeviceReader, RefusesBadFile) {
  const Bad& bad = GetParam();
  const auto file = folder_.write("gpu.yaml", replaced(good, bad.from, bad.to));
  EXPECT_EQ(error_of([&] { read_device(file); }), file.string() + ":" + bad.message);
}

INSTANTIATE_TEST_SUITE_P(
    Bad, DeviceReader,
    ::testing::Values(
        Bad{"UnknownKey", "title:", "titel:",
            "3:1: device: unknown key 'titel' (did you mean "
            "'title'?)"},
        Bad{"DuplicateKey", "title: A GPU", "name: gpu", "3:1: key 'name' stands here twice"},
        Bad{"MissingKey", "threads_per_sm: {value: 2048, origin: datasheet, source: guide}\n", "",
            "1:1: device: key 'threads_per_sm' is missing"},
        Bad{"UnitlessKey", "dram_bytes_per_s:", "dram:",
            "7:1: device: key 'dram' names no unit; write 'dram_bytes_per_s'"},
        Bad{"UnitlessClock", "boost, clock_hz", "boost, clock",
            "11:19: clock: key 'clock' names no unit; write 'clock_hz'"},
        Bad{"MissingOrigin", "{value: 10, origin: measured, source: live}", "{value: 10}",
            "5:11: sm_count: key 'origin' is missing"},
        Bad{"UnknownOrigin", "origin: measured", "origin: guessed",
            "5:31: origin 'guessed' must be one of datasheet, measured, derived"},
        Bad{"BareFigure", "{value: 10, origin: measured, source: live}", "10",
            "5:11: sm_count must be a mapping, not a single value"},
        Bad{"WrongType", "value: 10,", "value: ten,", "5:19: sm_count must be a number, not 'ten'"},
        Bad{"QuotedNumber", "value: 10,", "value: \"10\",",
            "5:19: sm_count must be a number, not '10'"},
        Bad{"Fraction", "value: 10,", "value: 10.5,",
            "5:19: sm_count must be a whole number, not '10.5'"},
        Bad{"Zero", "value: 10,", "value: 0,", "5:19: sm_count must be at least 1, not '0'"},
        Bad{"Negative", "value: 1.5e12", "value: -1.5e12",
            "7:27: dram_bytes_per_s must be above zero, not -1500000000000"},
        Bad{"NotANumber", "value: 1.5e12", "value: nan",
            "7:27: dram_bytes_per_s must be finite, not 'nan'"},
        Bad{"Infinite", "value: 1.5e12", "value: 1e999",
            "7:27: dram_bytes_per_s must be finite, not '1e999'"},
        Bad{"TooLarge", "value: 2048", "value: 1e300", "8:25: threads_per_sm '1e300' is too large"},
        Bad{"NoClocks",
            "clocks:\n  - {name: boost, clock_hz: {value: 2.0e9, origin: datasheet, "
            "source: guide}}\n",
            "clocks: []\n", "10:9: clocks must not be empty"},
        Bad{"BadName", "name: gpu", "name: my gpu",
            "2:7: name 'my gpu' must be a letter or digit, then up to 63 letters, digits, '_', "
            "'-', '.' or '+'"},
        Bad{"BadArchitecture", "sm_90", "hopper",
            "4:15: architecture 'hopper' must be sm_ and digits, such as sm_90"},
        Bad{"OtherSchema", "perfmodel.device/1", "perfmodel.kernel/1",
            "1:9: schema 'perfmodel.kernel/1' is not perfmodel.device/1"},
        Bad{"NewerSchema", "perfmodel.device/1", "perfmodel.device/2",
            "1:9: written by a newer perfmodel: schema version 2, this one reads up to 1; update "
            "perfmodel"},
        Bad{"NoSchema", "schema: perfmodel.device/1\n", "",
            "1:1: key 'schema' is missing; write schema: perfmodel.device/1"},
        Bad{"NullText", "title: A GPU", "title:", "3:1: title must be text, not nothing"}),
    [](const auto& test) { return test.param.what; });

}  // namespace
}  // namespace perfmodel::spec
