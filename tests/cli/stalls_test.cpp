// Where an audit says that cycles go, and the picture of its timeline.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
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

/// The tracks of a trace, by process and thread.
using Track = std::pair<std::int64_t, std::int64_t>;

/// What the format asks of every event, and of its phase.
void expect_event(const json& event) {
  SCOPED_TRACE(event.dump());
  ASSERT_TRUE(event.at("ph").is_string());
  ASSERT_TRUE(event.at("pid").is_number_integer());
  ASSERT_TRUE(event.at("tid").is_number_integer());
  EXPECT_TRUE(event.at("name").is_string());
  const std::string phase = event.at("ph");
  if (phase == "M") {
    // The only phase that stands at no time.
    const std::set<std::string> names = {"process_name", "thread_name"};
    EXPECT_TRUE(names.contains(event.at("name")));
    EXPECT_TRUE(event.at("args").at("name").is_string());
    return;
  }
  ASSERT_TRUE(event.at("ts").is_number());
  EXPECT_GE(event.at("ts"), 0);
  if (phase == "X") {
    ASSERT_TRUE(event.at("dur").is_number());
    EXPECT_GE(event.at("dur"), 0);
    EXPECT_TRUE(event.at("args").is_object());
  } else {
    ASSERT_EQ(phase, "C") << "no other phase is written";
    ASSERT_FALSE(event.at("args").empty());
    for (const auto& [series, value] : event.at("args").items()) {
      EXPECT_TRUE(value.is_number()) << series;
    }
  }
}

/// Slices of a thread are apart or inside one another.
void expect_nested(std::vector<std::pair<double, double>> slices) {
  std::ranges::sort(slices, [](const auto& a, const auto& b) {
    return a.first < b.first || (a.first == b.first && a.second > b.second);
  });
  std::vector<double> open;
  for (const auto& [begin, end] : slices) {
    while (!open.empty() && open.back() <= begin) {
      open.pop_back();
    }
    EXPECT_TRUE(open.empty() || end <= open.back()) << "from " << begin << " to " << end;
    open.push_back(end);
  }
}

TEST(Stalls, PictureKeepsToTheTraceEventFormat) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "k5.json").string();
  const ProgramResult result = run_perfmodel(audit({"--trace-events", file}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json trace = json::parse(testing::read_file(file));
  ASSERT_TRUE(trace.is_object());
  EXPECT_TRUE(trace.at("displayTimeUnit") == "ms" || trace.at("displayTimeUnit") == "ns");
  ASSERT_TRUE(trace.at("traceEvents").is_array());
  std::map<Track, std::vector<std::pair<double, double>>> slices;
  std::set<Track> named_threads;
  std::set<std::int64_t> named_processes;
  std::set<std::int64_t> processes;
  std::map<std::string, double> counted;
  for (const json& event : trace.at("traceEvents")) {
    expect_event(event);
    const Track track = {event.at("pid"), event.at("tid")};
    processes.insert(track.first);
    if (event.at("name") == "process_name") {
      EXPECT_TRUE(named_processes.insert(track.first).second) << "named twice";
    } else if (event.at("name") == "thread_name") {
      EXPECT_TRUE(named_threads.insert(track).second) << "named twice";
    } else if (event.at("ph") == "X") {
      const double begin = event.at("ts");
      slices[track].emplace_back(begin, begin + event.at("dur").get<double>());
    } else {
      const auto [last, is_first] = counted.emplace(event.at("name"), event.at("ts"));
      EXPECT_TRUE(is_first || event.at("ts") > last->second) << "one value at a time";
      last->second = event.at("ts");
    }
  }
  EXPECT_EQ(named_processes, processes);
  EXPECT_FALSE(counted.empty());
  ASSERT_FALSE(slices.empty());
  for (const auto& [track, of_thread] : slices) {
    EXPECT_TRUE(named_threads.contains(track)) << track.second;
    expect_nested(of_thread);
  }
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

TEST(Stalls, AreRefusedWhereTheyWouldNotBeSeen) {
  for (const auto& [format, what] : {std::pair{"svg", "the roofline that --format svg draws"},
                                     std::pair{"html", "the html page"}}) {
    const ProgramResult result =
        run_perfmodel({"audit", "K6", "--device", "h200", "--stalls", "--format", format});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, std::string("perfmodel: --stalls is no part of ") + what +
                              "; write table, markdown, csv or json instead\n");
  }
}

}  // namespace
}  // namespace perfmodel
