#pragma once

#include <span>
#include <string>

#include "model/sass/module.hpp"
#include "model/timeline/timeline_recorder.hpp"

namespace perfmodel::reports {

/// What a picture of a timeline is of.
struct TraceEventsView {
  std::string title;  ///< "K5 at 4096x4096x4096 on NVIDIA H200"
  double clock_hz = 0;
  std::span<const sass::ListedInstruction> instructions;  ///< by position
};

/// A recorded window in the Chrome trace format, which Perfetto and chrome://tracing open: a track
/// for each warp with a slice for each issued instruction and each stall, and a counter for each
/// unit. A microsecond of the trace is a cycle: viewers round to nanoseconds, and cycles stay
/// whole.
std::string trace_events(const TimelineRecorder& recorded, const TraceEventsView& view);

}  // namespace perfmodel::reports
