#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/problem.hpp"
#include "model/measurement.hpp"
#include "profiling/runner.hpp"

namespace perfmodel::profiling {

/// Kernels that solve the same problem.
struct ProblemTasks {
  std::shared_ptr<kernels::Problem> problem;
  std::string label;  ///< "4096x4096x4096", "stencil-A"
  std::vector<const kernels::Kernel*> kernels;
};

struct CampaignOptions {
  RunOptions run;
  /// Written after every kernel, so that an interrupted run leaves a valid, partial recording; and
  /// gone on with where it holds one. Empty: not written.
  std::filesystem::path file;
  /// Told before every kernel how many are done, of how many, and which one comes.
  std::function<void(std::size_t done, std::size_t total, const std::string& label)> progress;
};

/// A kernel whose result was wrong.
struct WrongResult {
  std::string kernel;
  std::string label;
  std::string reason;
};

struct CampaignResult {
  Recording recording;
  std::vector<WrongResult> wrong;
  std::vector<std::string> empty;  ///< "K3 at 0x4x4": nothing to compute, a success
  std::size_t resumed = 0;         ///< kernels that an earlier run had done
  std::size_t checked = 0;         ///< kernels whose result was verified now
};

/// Runs all tasks and assembles the recording. `planned` holds what is the same for all: device,
/// attributes, environment, settings, source; its entries are empty. Problems are released as soon
/// as their kernels are done. Throws Error as `Runner::run`, `write_recording` and
/// `require_resumable` do.
CampaignResult run_campaign(Runner& runner, std::vector<ProblemTasks> tasks, Recording planned,
                            const CampaignOptions& options);

/// The clock of a measured recording: the median of the SM clocks seen while its kernels ran, or
/// what the device reports where none was seen. Throws Error where neither is known.
void set_clock(Recording& recording);

/// Why a measured recording should be looked at before it is trusted, a sentence each: noise above
/// the limit, a clock that was held down, an interrupted run.
std::vector<std::string> quality_warnings(const Recording& recording);

}  // namespace perfmodel::profiling
