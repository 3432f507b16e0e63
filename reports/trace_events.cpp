#include "reports/trace_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/text.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

using Json = nlohmann::ordered_json;

// Processes of the trace.
constexpr int warp_tracks = 1;
constexpr int unit_tracks = 2;

/// Template arguments make names of targets long.
constexpr std::size_t longest_operands = 400;

Json name_event(const char* what, int process, std::uint64_t thread, const std::string& name) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json slice_event(std::uint64_t place, const WarpSlice& slice, const TraceEventsView& view) {
  const sass::ListedInstruction& listed = view.instructions[slice.position];
  const bool issued = slice.reason == Stall::selected;
  Json event = {{"ph", "X"},
                {"name", issued ? printable(listed.opcode) : stall_name(slice.reason)},
                {"cat", issued ? "issue" : "stall"},
                {"pid", warp_tracks},
                {"tid", place},
                {"ts", slice.begin},
                {"dur", slice.end - slice.begin}};
  Json& args = event["args"];
  args["pc"] = address_text(slice.position);
  if (issued) {
    args["predicate"] = printable(listed.predicate);
    args["operands"] = printable(listed.operands, longest_operands);
  } else {
    args["instruction"] = printable(listed.opcode);
  }
  args["block"] = slice.block;
  args["warp"] = slice.warp;
  return event;
}

/// Units that did something in the window.
std::vector<Unit> used_units(const std::vector<UnitSample>& samples) {
  std::vector<Unit> used;
  for (std::size_t i = 0; i < unit_count; ++i) {
    if (std::ranges::any_of(samples,
                            [&](const UnitSample& sample) { return sample.shares[i] > 0; })) {
      used.push_back(static_cast<Unit>(i));
    }
  }
  return used;
}

/// One event a line.
class EventWriter {
 public:
  void add(const Json& event) {
    text_ += text_.empty() ? "" : ",\n";
    text_ += dumped(event);
  }
  [[nodiscard]] std::string finish(const Json& about) const {
    return fmt::format(
        "{{\"displayTimeUnit\":\"ms\",\n\"otherData\":{},\n\"traceEvents\":[\n{}\n]}}\n",
        dumped(about), text_);
  }

 private:
  static std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::string text_;
};

}  // namespace

std::string trace_events(const TimelineRecorder& recorded, const TraceEventsView& view) {
  const TimelineWindow& window = recorded.window();
  EventWriter writer;
  writer.add(name_event("process_name", warp_tracks, 0,
                        fmt::format("warps of sub-partition {}", window.sub_partition)));
  writer.add(name_event("process_name", unit_tracks, 0, "units of the SM, % busy"));
  for (const auto& [place, slices] : recorded.warps()) {
    writer.add(name_event("thread_name", warp_tracks, place, fmt::format("warp place {}", place)));
  }
  for (const auto& [place, slices] : recorded.warps()) {
    for (const WarpSlice& slice : slices) {
      writer.add(slice_event(place, slice, view));
    }
  }
  for (const Unit unit : used_units(recorded.units())) {
    for (const UnitSample& sample : recorded.units()) {
      writer.add({{"ph", "C"},
                  {"name", unit_name(unit)},
                  {"pid", unit_tracks},
                  {"tid", 0},
                  {"ts", sample.begin},
                  {"args", {{"busy", 100 * sample.shares[static_cast<std::size_t>(unit)]}}}});
    }
  }
  return writer.finish({{"launch", printable(view.title, 400)},
                        {"clock_hz", view.clock_hz},
                        {"time_unit", "1 us of the trace is 1 cycle of the SM"},
                        {"first_cycle", window.begin},
                        {"cycles", window.cycles}});
}

}  // namespace perfmodel::reports
