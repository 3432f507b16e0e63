#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "model/spec/catalog.hpp"
#include "profiling/campaign.hpp"

namespace perfmodel::app {

/// The ladder at the shape that its published figures are for.
inline constexpr const char* ladder_pattern = "K[0-6]c?";
inline constexpr const char* ladder_shape = "4096x4096x4096";

/// How to measure on a live device: shared by measure, sweep, study and analyze --device auto.
struct LiveOptions {
  std::vector<int> gpus = {0};
  std::string cache_mode = "cold";
  double noise_percent = 0.5;
  double min_time_s = 0.5;
  double time_limit_s = 3.0;
  std::int64_t min_samples = 10;
  bool strict = false;

  /// Adds --gpu, --cache, --noise, --time-limit, --min-samples, --min-time and --strict.
  void add_to(CLI::App& command);
  [[nodiscard]] MeasureSettings settings() const;
};

/// One device of this machine.
struct FoundDevice {
  profiling::LiveDevice live;
  Device device;  ///< from the catalogue where it has it, else what the device says of itself
  profiling::Answer<profiling::Nvml> nvml = profiling::Absence{};
  Environment environment;
};

/// The device with CUDA's number `ordinal`. Throws Error: unavailable without CUDA, driver or
/// device, bad_input for a number that no device has.
FoundDevice find_live_device(int ordinal, const spec::Catalog& catalog);

/// A recording of what will be measured on the device: no entries and no clock yet.
Recording planned_recording(const FoundDevice& found, const MeasureSettings& settings);

/// One device of this machine, ready to measure.
struct LiveSession {
  Device device;    ///< from the catalogue where it has it, else what the device says of itself
  int ordinal = 0;  ///< CUDA's number of it
  std::unique_ptr<profiling::Runner> runner;
  Recording planned;  ///< device, environment and settings; no entries yet
};

/// Opens the device with CUDA's number `ordinal`. Throws Error as `find_live_device` does.
LiveSession open_session(int ordinal, const MeasureSettings& settings,
                         const spec::Catalog& catalog);

/// What --kernels matches names with (ECMAScript, the whole name). Throws Error.
std::regex kernel_pattern(const std::string& text);

/// The problems of all kernels whose name matches `kernel_pattern` (ECMAScript, the whole name).
/// `shapes` are texts in the kernels' order of extents; empty: each kernel's default shape.
/// `matrices` are what sparse kernels run on: stencil-A, stencil-B or .mtx files.
std::vector<profiling::ProblemTasks> find_tasks(const std::string& kernel_pattern,
                                                const std::vector<std::string>& shapes,
                                                const std::vector<std::string>& matrices,
                                                spec::Catalog& catalog);

/// Runs a campaign with a progress line. Wrong results are told on standard error.
profiling::CampaignResult run_with_progress(LiveSession& session,
                                            std::vector<profiling::ProblemTasks> tasks,
                                            const std::filesystem::path& file, bool check_only);

/// Throws Error (wrong_result) when a kernel computed a wrong result; with `strict` also when one
/// is noisy or was throttled.
void require_trustworthy(std::span<const profiling::CampaignResult> results, bool strict);

}  // namespace perfmodel::app
