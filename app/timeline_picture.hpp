#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "model/launch_audit.hpp"
#include "model/what_if.hpp"

namespace perfmodel::app {

/// A picture of an audit's timeline: --trace-events and what it shows.
struct PictureOptions {
  std::string file;             ///< empty: none is asked for
  std::optional<double> begin;  ///< cycle; default: in the middle of what was simulated
  double cycles = 4000;
  std::size_t warps = 8;

  void add_to(CLI::App& command);
};

/// Writes the picture, where one is asked for. `audit` is that of `setup`. Throws Error bad_input
/// where the window begins behind the end of the timeline.
void write_picture(const PictureOptions& options, const LaunchSetup& setup,
                   const LaunchAudit& audit, const std::string& title);

}  // namespace perfmodel::app
