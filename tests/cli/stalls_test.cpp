// Where an audit says that cycles go, and the picture of its timeline.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "model/timeline/sm_timeline.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_perfmodel;
using testing::TemporaryFolder;

std::vector<std::string> audit(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"audit", "K5", "-d", "a100-80", "--shape", "256x256x256"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string refusal(const std::vector<std::string>& more) {
  const ProgramResult result = run_perfmodel(audit(more));
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_EQ(result.out, "");
  return result.err;
}

bool is_stall(const std::string& name) {
  for (std::size_t i = 0; i < stall_count; ++i) {
    if (name == stall_name(static_cast<Stall>(i))) {
      return true;
    }
  }
  return false;
}

double sum(const json& shares) {
  double all = 0;
  for (const auto& [name, share] : shares.items()) {
    EXPECT_TRUE(is_stall(name)) << name;
    all += share.get<double>();
  }
  return all;
}

TEST(Stalls, SharesAddUp) {
  const ProgramResult result =
      run_perfmodel(audit({"--stalls", "--all-instructions", "-f", "json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  const json& stalls = answer.at("stalls");
  EXPECT_EQ(stalls.at("instructions_left_out"), 0);
  double instructions = 0;
  for (const json& one : stalls.at("instructions")) {
    instructions += one.at("share").get<double>();
    EXPECT_NEAR(sum(one.at("reasons")), 1, 1e-9);
  }
  EXPECT_NEAR(instructions, 1, 1e-9);
  double loops = stalls.at("outside_loops").at("share");
  ASSERT_FALSE(stalls.at("loops").empty());
  for (const json& one : stalls.at("loops")) {
    loops += one.at("share").get<double>();
    EXPECT_GT(one.at("branch_address"), one.at("first_address"));
  }
  EXPECT_NEAR(loops, 1, 1e-9);
  double reasons = 0;
  for (const json& one : stalls.at("reasons")) {
    reasons += one.at("predicted").get<double>();
    EXPECT_TRUE(one.at("measured").is_null()) << "no recording has it";
  }
  EXPECT_NEAR(reasons, 1, 1e-9);
  for (const auto& [unit, shares] : answer.at("utilisation").items()) {
    if (shares.at("timeline").is_number()) {
      EXPECT_GE(shares.at("timeline"), 0) << unit;
      EXPECT_LE(shares.at("timeline"), 1.001) << unit;
    }
  }
  EXPECT_GT(answer.at("utilisation").at("FMA").at("timeline"), 0);
}

TEST(Stalls, LongListsAreCut) {
  const ProgramResult result = run_perfmodel(audit({"--stalls", "-f", "json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json stalls = json::parse(result.out).at("stalls");
  EXPECT_EQ(stalls.at("instructions").size(), 20U);
  EXPECT_GT(stalls.at("instructions_left_out"), 0);
  const ProgramResult table = run_perfmodel(audit({"--stalls"}));
  EXPECT_NE(table.out.find(" more instructions are left out; --all-instructions shows them."),
            std::string::npos);
}

TEST(Stalls, PictureOfATimeline) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "k5.json").string();
  const ProgramResult result =
      run_perfmodel(audit({"--trace-events", file, "--trace-begin", "500", "--trace-cycles", "1000",
                           "--trace-warps", "3"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json trace = json::parse(testing::read_file(file));
  EXPECT_EQ(trace.at("otherData").at("launch"), "K5 at 256x256x256 on NVIDIA A100 80 GB SXM");
  std::map<int, double> ends;
  std::map<int, double> covered;
  std::set<double> issue_cycles;
  std::set<std::string> units;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "C") {
      units.insert(event.at("name"));
    }
    if (event.at("ph") != "X") {
      continue;
    }
    const double begin = event.at("ts");
    const double cycles = event.at("dur");
    double& end = ends[event.at("tid").get<int>()];
    EXPECT_GE(begin, std::max(500.0, end)) << "slices of a warp do not overlap";
    end = begin + cycles;
    covered[event.at("tid").get<int>()] += cycles;
    if (event.at("cat") == "issue") {
      EXPECT_EQ(cycles, 1);
      EXPECT_TRUE(issue_cycles.insert(begin).second) << "two instructions in cycle " << begin;
    } else {
      EXPECT_TRUE(is_stall(event.at("name"))) << event.at("name");
    }
  }
  ASSERT_FALSE(ends.empty());
  EXPECT_LE(ends.size(), 3U);
  for (const auto& [warp, end] : ends) {
    EXPECT_LE(end, 1500) << warp;
    EXPECT_EQ(covered[warp], 1000) << warp;
  }
  EXPECT_TRUE(units.contains("FMA"));
  EXPECT_TRUE(units.contains("LSU data pipe"));
}

TEST(Stalls, MistakenOptions) {
  EXPECT_NE(refusal({"--all-instructions"}).find("--stalls"), std::string::npos);
  EXPECT_NE(refusal({"--trace-cycles", "10"}).find("--trace-events"), std::string::npos);
  EXPECT_NE(refusal({"--trace-events", "none.json", "--trace-begin", "-1"}).find("--trace-begin"),
            std::string::npos);
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "k5.json").string();
  EXPECT_NE(refusal({"--trace-events", file, "--trace-begin", "1e9"})
                .find("--trace-begin 1000000000 lies behind the timeline, which ends at cycle "),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace perfmodel
