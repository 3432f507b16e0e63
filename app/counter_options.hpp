#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/live_options.hpp"
#include "model/metric_set.hpp"
#include "model/spec/catalog.hpp"

namespace perfmodel::app {

/// The options of `measure` that concern hardware counters.
struct CounterOptions {
  std::string mode = "off";  ///< off, auto, on or only
  std::vector<std::string> metrics;
  std::string replay = "user";

  void add_to(CLI::App& command);

  [[nodiscard]] bool wanted() const { return mode != "off" || !metrics.empty(); }
  /// Whether times are left out.
  [[nodiscard]] bool only() const { return mode == "only"; }
  /// Whether a refusal is a failure.
  [[nodiscard]] bool required() const { return mode == "on" || mode == "only"; }
};

/// The metrics that names of sets ("shared") and of metrics ("smsp__inst_executed.sum") stand for,
/// each once; all sets where none is named. Throws Error for a name that is neither, with the
/// nearest set.
std::vector<MetricChoice> find_metrics(const std::vector<std::string>& names,
                                       const std::vector<MetricSet>& sets);

/// Adds counters to the recording and tells refusals on standard error. Throws CounterRefused in
/// the end where they are required and were refused.
void count_with_progress(LiveSession& session, std::vector<profiling::ProblemTasks> tasks,
                         Recording& recording, const std::filesystem::path& file,
                         const CounterOptions& options, const spec::Catalog& catalog);

}  // namespace perfmodel::app
