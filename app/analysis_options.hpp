#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "app/live_options.hpp"
#include "model/analysis.hpp"
#include "model/spec/catalog.hpp"

namespace perfmodel::app {

/// What analyze, audit and calibrate have in common: a device, its recording and how to model it.
struct DataOptions {
  std::string device;
  std::string recording;
  std::string clock;
  std::vector<std::string> models;
  std::vector<std::string> references;
  std::optional<int> rounded_to_decimals;
  std::string costs;
  LiveOptions live;  ///< for --device auto

  /// Adds --device, --recording, --clock, --model, --references and --round-cycles.
  void add_to(CLI::App& command);
  /// Adds --costs, for commands that can use prices calibrated earlier.
  void add_costs_to(CLI::App& command);
};

/// The file of `name` among the device's recordings; without a name "ladder" or the only one.
/// Throws Error with the names that there are.
std::filesystem::path find_recording(const spec::Catalog& catalog, const std::string& device,
                                     const std::string& name);

/// Reads the files that the options name, or measures the ladder with --device auto, and analyses
/// the recording; warnings go to standard error.
Analysis run_analysis(const DataOptions& options, const std::string& shape,
                      const GlobalOptions& global);

}  // namespace perfmodel::app
