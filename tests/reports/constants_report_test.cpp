#include "reports/constants_report.hpp"

#include <gtest/gtest.h>

namespace perfmodel::reports {
namespace {

HardwareConstant constant(const std::string& name, double value, const std::string& unit) {
  HardwareConstant one;
  one.name = name;
  one.value = value;
  one.unit = unit;
  return one;
}

TEST(ConstantsReport, ShowsShareDatasheetAndMarks) {
  HardwareConstants constants;
  constants.attributes.name = "NVIDIA H200";
  constants.sm_clock_hz = 1.98e9;
  constants.max_sm_clock_hz = 1.98e9;
  HardwareConstant fma = constant("fma.rate", 129, "lanes/clk/SM");
  fma.uncertainty = 0.05;
  fma.limit = ConstantLimit{128, false, "lanes"};
  fma.datasheet = DatasheetFigure{128, "guide"};
  fma.sm_clock_hz = 1.9e9;
  fma.throttled = true;
  constants.constants = {fma, constant("dram.read", 4.62e12, "B/s"),
                         constant("block.launch.32", 2.5e8, "blocks/s"),
                         constant("launch.row", 2.1e-6, "s")};
  constants.skipped = {{"tensor.bf16.rate", "sm_75 has no such instruction"}};
  const Report report = constants_report(constants, {{"schema", "perfmodel.constants/1"}});
  const std::string text = render_terminal(report.document, {});
  for (const char* expected :
       {"Hardware constants of NVIDIA H200", "SM clock 1.98 GHz under load, at most 1.98.",
        "100.8 %", "above the limit, throttled", "4.62  ", "TB/s", "M blocks/s", "2.1  ", "µs",
        "Skipped: tensor.bf16.rate: sm_75 has no such instruction."}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
  EXPECT_NE(render_csv(report.data).find("dram.read,4620000000000,0,B/s,,,,"), std::string::npos)
      << render_csv(report.data);
  EXPECT_EQ(report.json.at("schema"), "perfmodel.constants/1");
}

}  // namespace
}  // namespace perfmodel::reports
