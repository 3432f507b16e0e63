#include "reports/trace_events.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace perfmodel::reports {
namespace {

using nlohmann::json;

/// Two warps of sub-partition 0, of which one issues at cycle 100 and waits after that.
TimelineRecorder recorded() {
  TimelineWindow window;
  window.begin = 96;
  window.cycles = 32;
  TimelineRecorder recorder(window, 4);
  recorder.issued({.place = 4, .block = 7, .warp = 1}, 0, 100);
  recorder.stalled({.place = 4, .block = 7, .warp = 1}, 1, Stall::long_scoreboard, 101, 1000);
  recorder.stalled({.place = 0, .block = 7, .warp = 0}, 0, Stall::barrier, 0, 98);
  recorder.issued({.place = 1, .block = 7, .warp = 2}, 0, 100);
  std::array<double, unit_count> busy{};
  for (double cycle = 0; cycle < 200; cycle += 1) {
    recorder.worked(cycle, busy);
    busy[static_cast<std::size_t>(Unit::fma)] += 2;
  }
  return recorder;
}

json events_of(const std::vector<sass::ListedInstruction>& code, const std::string& title) {
  TraceEventsView view;
  view.title = title;
  view.clock_hz = 1e9;
  view.instructions = code;
  return json::parse(trace_events(recorded(), view));
}

std::vector<json> of_phase(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase) {
      found.push_back(event);
    }
  }
  return found;
}

TEST(TraceEvents, SlicesOfWarps) {
  sass::ListedInstruction load;
  load.predicate = "@!P0";
  load.opcode = "LDG.E";
  load.operands = "R4,[R2.64]";
  sass::ListedInstruction use;
  use.opcode = "FFMA";
  const json trace = events_of({load, use}, "a kernel");
  const std::vector<json> slices = of_phase(trace, "X");
  ASSERT_EQ(slices.size(), 3U) << "that of another sub-partition is left out";
  EXPECT_EQ(slices[0].at("name"), "barrier");
  EXPECT_EQ(slices[0].at("ts"), 96);
  EXPECT_EQ(slices[0].at("dur"), 2);
  EXPECT_EQ(slices[1].at("name"), "LDG.E");
  EXPECT_EQ(slices[1].at("cat"), "issue");
  EXPECT_EQ(slices[1].at("tid"), 1);
  EXPECT_EQ(slices[1].at("ts"), 100);
  EXPECT_EQ(slices[1].at("dur"), 1);
  EXPECT_EQ(slices[1].at("args"), (json{{"pc", "0x0000"},
                                        {"predicate", "@!P0"},
                                        {"operands", "R4,[R2.64]"},
                                        {"block", 7},
                                        {"warp", 1}}));
  EXPECT_EQ(slices[2].at("name"), "long_scoreboard");
  EXPECT_EQ(slices[2].at("args").at("pc"), "0x0010");
  EXPECT_EQ(slices[2].at("args").at("instruction"), "FFMA");
  EXPECT_EQ(slices[2].at("dur"), 27) << "to the end of the window";
  EXPECT_EQ(trace.at("otherData").at("clock_hz"), 1e9);
  EXPECT_EQ(trace.at("otherData").at("time_unit"), "1 us of the trace is 1 cycle of the SM");
}

TEST(TraceEvents, CountersOfTheUnitsThatWork) {
  const std::vector<json> counters = of_phase(events_of({{}, {}}, "a kernel"), "C");
  ASSERT_EQ(counters.size(), 2U);
  for (const json& counter : counters) {
    EXPECT_EQ(counter.at("name"), "FMA");
    EXPECT_EQ(counter.at("args").at("busy"), 50) << "two of four sub-partitions";
  }
  EXPECT_EQ(counters[0].at("ts"), 96);
  EXPECT_EQ(counters[1].at("ts"), 112);
}

TEST(TraceEvents, NamesAreData) {
  sass::ListedInstruction hostile;
  hostile.opcode = "\"}],\"x\":[\x1b[2J\xff";
  hostile.operands = "</script>\n";
  const json trace = events_of({hostile, hostile}, "\"kernel\"\n\x01");
  EXPECT_EQ(trace.at("otherData").at("launch"), "\"kernel\"??");
  EXPECT_EQ(of_phase(trace, "X").at(1).at("name").get<std::string>().rfind("\"}],\"x\":[?[2J", 0),
            0U);
  EXPECT_EQ(trace.size(), 3U);
}

}  // namespace
}  // namespace perfmodel::reports
