// What an audit says of a launch that is changed.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/page.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_perfmodel;

/// An audit of K5-unpadded at a small shape, which no recording has.
std::vector<std::string> audit(std::vector<std::string> changes) {
  std::vector<std::string> arguments{"audit",   "K5-unpadded", "-d", "a100-80",
                                     "--shape", "256x256x256", "-f", "json"};
  for (const std::string& change : changes) {
    arguments.emplace_back("--what-if");
    arguments.push_back(change);
  }
  return arguments;
}

json answer(std::vector<std::string> changes) {
  const ProgramResult result = run_perfmodel(audit(std::move(changes)));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out).at("what_if");
}

std::string refusal(std::vector<std::string> changes) {
  const ProgramResult result = run_perfmodel(audit(std::move(changes)));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  return result.err;
}

double moved(const json& what_if, const std::string& count, const std::string& unit) {
  for (const json& one : what_if.at("counts")) {
    if (one.at("count") == count && one.at("unit") == unit) {
      return one.at("after").get<double>() / one.at("before").get<double>();
    }
  }
  return 1;
}

TEST(WhatIf, WithoutBankConflicts) {
  const json what_if = answer({"no-bank-conflicts"});
  // Per stage and warp 8 stores of A take 32 wavefronts each, 32 of B one: 288 fall to 40.
  EXPECT_DOUBLE_EQ(moved(what_if, "shared stores", "wavefronts"), 40.0 / 288);
  EXPECT_EQ(moved(what_if, "warp instructions", ""), 1);
  const json& saved = what_if.at("saved_share");
  EXPECT_GT(saved.at("value"), 0);
  EXPECT_LE(saved.at("low"), saved.at("value"));
  EXPECT_GE(saved.at("high"), saved.at("value"));
  EXPECT_TRUE(what_if.at("verdict").contains("limiting_resource"));
}

TEST(WhatIf, WithGapsBehindTheRowsOfTheTile) {
  const json what_if = answer({"pad-shared=128B"});
  EXPECT_DOUBLE_EQ(moved(what_if, "shared stores", "wavefronts"), 40.0 / 288);
  // Of 64 loads of A a stage, 16 bytes each, those of 24 rows of 32 take one in three more; the
  // 128 of B stay.
  EXPECT_DOUBLE_EQ(moved(what_if, "shared loads", "instructions"), (64 + 24 + 128) / 192.0);
  EXPECT_GT(moved(what_if, "shared memory of a block", "bytes"), 1.03);
  EXPECT_NE(what_if.dump().find("wide accesses in the code lose their alignment: 48"),
            std::string::npos);
}

TEST(WhatIf, WithWideAccessesToGlobalMemory) {
  const json what_if = answer({"vectorize-global"});
  EXPECT_LT(moved(what_if, "warp instructions", ""), 0.96);
  EXPECT_EQ(moved(what_if, "global loads", "sectors"), 1);
  EXPECT_EQ(moved(what_if, "shared loads", "instructions"), 1);
}

TEST(WhatIf, SeveralAtOnceByEitherSpelling) {
  const json what_if = answer({"vectorize-shared,no-bank-conflicts", "clock=1GHz"});
  EXPECT_EQ(what_if.at("changes"), json({"vectorize-shared", "no-bank-conflicts", "clock=1GHz"}));
  EXPECT_LT(moved(what_if, "shared loads", "instructions"), 1);
  EXPECT_EQ(what_if.at("clock_hz"), 1e9);
}

TEST(WhatIf, WhatChangesNothingSaysSo) {
  const json what_if = answer({"coalesce"});
  EXPECT_EQ(what_if.at("counts").size(), 0U);
  EXPECT_EQ(what_if.at("saved_share"), json({{"value", 0.0}, {"low", 0.0}, {"high", 0.0}}));
  ASSERT_EQ(what_if.at("notes").size(), 1U);
  EXPECT_NE(what_if.at("notes")[0].get<std::string>().find("changes nothing"), std::string::npos);
}

TEST(WhatIf, AnotherDeviceRunsItsOwnCode) {
  const json what_if = answer({"device=rtx4090"});
  EXPECT_EQ(what_if.at("device"), "rtx4090");
  EXPECT_EQ(what_if.at("notes").size(), 0U);
  EXPECT_NEAR(moved(what_if, "SMs", ""), 128.0 / 108, 1e-9);
  EXPECT_EQ(answer({"device=rtx4090", "l2=10MB"}).at("device"), "rtx4090") << "of that device";
}

TEST(WhatIf, ContradictionsAreRefused) {
  EXPECT_NE(refusal({"occupancy=1,occupancy=2"}).find("occupancy=1 and occupancy=2"),
            std::string::npos);
  EXPECT_NE(refusal({"registers=255", "occupancy=4"}).find("registers=255 and occupancy=4"),
            std::string::npos);
  EXPECT_NE(refusal({"occupancy=9"}).find("bytes of shared memory"), std::string::npos);
  EXPECT_NE(refusal({"occupancy=17"}).find("blocks of 128 threads"), std::string::npos);
  EXPECT_NE(refusal({"clock=0"}).find("clock=1.5GHz"), std::string::npos);
  EXPECT_NE(refusal({"device=rtx4900"}).find("rtx4090"), std::string::npos);
  EXPECT_NE(refusal({"vectorise-shared"}).find("did you mean 'vectorize-shared'?"),
            std::string::npos);
}

TEST(WhatIf, OwnKernelOnADeviceWithoutItsCode) {
  const std::string applications =
      (testing::source_specs().parent_path() / "tests/applications").string();
  const ProgramResult result =
      run_perfmodel({"audit", "--cubin", applications + "/sm_90.json.gz", "--launch",
                     applications + "/launches/hash_rounds.yaml", "-d", "h200", "--measured",
                     "50us", "--what-if", "device=a100-80", "-f", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json what_if = json::parse(result.out).at("what_if");
  EXPECT_EQ(what_if.at("device"), "a100-80");
  ASSERT_FALSE(what_if.at("notes").empty());
  EXPECT_NE(what_if.at("notes")[0].get<std::string>().find("no code for sm_80"), std::string::npos);
  EXPECT_TRUE(what_if.contains("expected_s"));
}

TEST(WhatIf, IsOnThePage) {
  std::vector<std::string> arguments = audit({"no-bank-conflicts"});
  *std::ranges::find(arguments, "json") = "html";
  const ProgramResult page = run_perfmodel(arguments);
  if (page.exit_code == 3) {
    GTEST_SKIP() << page.err;
  }
  ASSERT_EQ(page.exit_code, 0) << page.err;
  const json figures = testing::figures_of_page(page.out);
  const json& on_page = figures.at("kernels").at(0).at("what_if");
  const json what_if = answer({"no-bank-conflicts"});
  EXPECT_EQ(on_page.at("changes"), what_if.at("changes"));
  EXPECT_EQ(on_page.at("counts").size(), what_if.at("counts").size());
  EXPECT_NEAR(on_page.at("saved").at("share"), what_if.at("saved_share").at("value"), 1e-5);
  EXPECT_EQ(on_page.at("limiting").at("resource"), what_if.at("verdict").at("limiting_resource"));
}

TEST(WhatIf, IsRefusedWhereItWouldNotBeSeen) {
  for (const auto& [format, what] : {std::pair{"svg", "the roofline that --format svg draws"},
                                     std::pair{"csv", "the table that --format csv writes"}}) {
    std::vector<std::string> arguments = audit({"no-bank-conflicts"});
    *std::ranges::find(arguments, "json") = format;
    const ProgramResult result = run_perfmodel(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, std::string("perfmodel: --what-if is no part of ") + what +
                              "; write html, table, markdown or json instead\n");
  }
}

TEST(WhatIf, GainsAgainstMeasuredOnes) {
  const ProgramResult result =
      run_perfmodel({"validate", "--what-if", "--recordings", "layouts", "-f", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  ASSERT_EQ(report.at("cases").size(), 2U);
  EXPECT_EQ(report.at("cases")[0].at("change"), "no-bank-conflicts");
  EXPECT_EQ(report.at("cases")[1].at("change"), "pad-shared=128B");
  for (const json& one : report.at("cases")) {
    EXPECT_EQ(one.at("role"), "held-out");
    EXPECT_NEAR(one.at("measured_saved"), 0.229, 0.001);
    EXPECT_GT(one.at("predicted_saved"), one.at("low_saved"));
    EXPECT_LT(one.at("predicted_saved"), one.at("high_saved"));
  }
  ASSERT_EQ(report.at("ratios").size(), 1U);
  EXPECT_EQ(report.at("ratios")[0].at("pairs"), 1);
}

}  // namespace
}  // namespace perfmodel
