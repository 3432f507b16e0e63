#include "profiling/constants_file.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "model/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

using testing::error_of;
using testing::replaced;

HardwareConstants example() {
  HardwareConstants constants;
  constants.device = "h200";
  constants.attributes.name = "NVIDIA H200";
  constants.attributes.uuid = "GPU-1";
  constants.attributes.sm_count = 132;
  constants.environment.driver = "580.95.05";
  constants.environment.date_utc = "2026-11-30T04:00:00Z";
  constants.sm_clock_hz = 1.98e9;
  constants.max_sm_clock_hz = 1.9800000000000002e9;
  HardwareConstant& fma = constants.constants.emplace_back();
  fma.name = "fma.rate";
  fma.value = 127.1;
  fma.unit = "lanes/clk/SM";
  fma.uncertainty = 1.0 / 3.0;
  fma.samples = {127.1, 127.0, 127.2};
  fma.limit = ConstantLimit{128, false, "fp32 lanes of an SM"};
  fma.datasheet = DatasheetFigure{128, "a guide"};
  fma.sm_clock_hz = 1.7e9;
  fma.throttled = true;
  HardwareConstant& launch = constants.constants.emplace_back();
  launch.name = "launch.row";
  launch.value = 2e-6;
  launch.unit = "s";
  launch.samples = {2e-6};
  constants.skipped.push_back({"tensor.bf16.rate", "sm_75 has no such instruction"});
  return constants;
}

TEST(ConstantsFile, ReadsBackExactly) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "constants.json";
  write_constants(file, example());
  EXPECT_EQ(read_constants(file), example());
}

TEST(ConstantsFile, HasOneConstantALine) {
  const std::string text = format_constants(example());
  EXPECT_NE(text.find("\n    {\"name\":\"fma.rate\",\"value\":127.1,"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    {\"name\":\"launch.row\","), std::string::npos) << text;
}

TEST(ConstantsFile, RefusesWhatIsNotFinite) {
  HardwareConstants constants = example();
  constants.constants.front().value = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of([&] { format_constants(constants); }),
            "constant fma.rate is inf, which a file of constants cannot hold");
}

class BadConstantsFile : public ::testing::Test {
 protected:
  std::string error_with(std::string_view from, std::string_view to) {
    const auto file = folder_.write("c.json", replaced(format_constants(example()), from, to));
    return error_of([&] { read_constants(file); }).substr(folder_.path().string().size());
  }
  testing::TemporaryFolder folder_;
};

TEST_F(BadConstantsFile, OtherSchema) {
  EXPECT_EQ(error_with("perfmodel.constants/1", "perfmodel.recording/1"),
            "/c.json:2:13: schema 'perfmodel.recording/1' is not perfmodel.constants/1");
}

TEST_F(BadConstantsFile, UnknownKeyNamesTheNearest) {
  const std::string message = error_with("\"uncertainty\":0.3", "\"uncertaincy\":0.3");
  EXPECT_TRUE(message.starts_with("/c.json:8:")) << message;
  EXPECT_NE(message.find("did you mean 'uncertainty'?"), std::string::npos) << message;
}

TEST_F(BadConstantsFile, ValueThatIsNotTheMedian) {
  EXPECT_EQ(error_with("\"value\":127.1,", "\"value\":128,"),
            "/c.json:8:32: value 128 is not the median of the samples, 127.1");
}

TEST_F(BadConstantsFile, NegativeUncertainty) {
  EXPECT_EQ(error_with("\"uncertainty\":0.0", "\"uncertainty\":-1"),
            "/c.json:9:65: uncertainty must not be negative, not -1");
}

TEST_F(BadConstantsFile, HalfALimit) {
  EXPECT_EQ(error_with("\"limit_reason\":\"fp32 lanes of an SM\",", ""),
            "/c.json:8:5: constant: 'limit' and 'limit_reason' go together; give both or neither");
  EXPECT_NE(error_with("\"limit_is\":\"most\"", "\"limit_is\":\"about\"")
                .find("limit_is must be one of least, most"),
            std::string::npos);
}

TEST_F(BadConstantsFile, ConstantGivenTwice) {
  EXPECT_EQ(error_with("\"name\":\"launch.row\"", "\"name\":\"fma.rate\""),
            "/c.json:9:5: constant fma.rate stands here twice");
}

TEST_F(BadConstantsFile, Truncated) {
  const std::string text = format_constants(example());
  const auto file = folder_.write("c.json", text.substr(0, text.size() / 2));
  EXPECT_FALSE(error_of([&] { read_constants(file); }).empty());
}

TEST(ShippedConstants, AreReadAndWithinTheirLimits) {
  const std::filesystem::path folder = PERFMODEL_SOURCE_SPECS "/constants";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    const HardwareConstants constants = read_constants(entry.path());
    EXPECT_EQ(constants.device, entry.path().stem().string());
    EXPECT_TRUE(limit_violations(constants).empty()) << entry.path();
  }
  EXPECT_GE(files, 1U);
}

}  // namespace
}  // namespace perfmodel::profiling
