#include "app/timeline_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"
#include "model/spec/write_file.hpp"
#include "model/timeline/timeline_recorder.hpp"
#include "reports/trace_events.hpp"

namespace perfmodel::app {

void PictureOptions::add_to(CLI::App& command) {
  constexpr double most_cycles = 1e6;
  CLI::Option* const wanted =
      command
          .add_option("--trace-events", file,
                      "write the timeline of a few warps in the Chrome trace format, for Perfetto")
          ->type_name("FILE");
  command
      .add_option("--trace-begin", begin,
                  "first cycle of it; default: so that it is in the middle of what was simulated")
      ->check(CLI::NonNegativeNumber)
      ->needs(wanted)
      ->type_name("CYCLE");
  command.add_option("--trace-cycles", cycles, "cycles of it; default: 4000")
      ->check(CLI::Range(1.0, most_cycles))
      ->needs(wanted)
      ->type_name("N");
  command.add_option("--trace-warps", warps, "warps of one sub-partition in it; default: 8")
      ->check(CLI::Range(1U, 64U))
      ->needs(wanted)
      ->type_name("N");
}

void write_picture(const PictureOptions& options, const LaunchSetup& setup,
                   const LaunchAudit& audit, const std::string& title) {
  if (options.file.empty()) {
    return;
  }
  const double end = audit.timeline.sm.cycles;
  TimelineWindow window;
  window.begin = std::floor(options.begin.value_or(std::max(0.0, (end - options.cycles) / 2)));
  window.cycles = std::floor(options.cycles);
  window.warps = options.warps;
  if (window.begin >= end) {
    fail(fmt::format("--trace-begin {:.0f} lies behind the timeline, which ends at cycle {:.0f}",
                     window.begin, end));
  }
  TimelineRecorder recorder(window, audit.timeline.costs.sub_partitions);
  observe_timeline(setup.profile, audit.timeline, setup.options.emulation, recorder);
  reports::TraceEventsView view;
  view.title = title;
  view.clock_hz = audit.clock_hz;
  view.instructions = setup.profile.function->instructions;
  spec::write_file(options.file, reports::trace_events(recorder, view));
}

}  // namespace perfmodel::app
