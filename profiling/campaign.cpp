#include "profiling/campaign.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/error.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"
#include "profiling/recording_file.hpp"
#include "profiling/resume.hpp"

namespace perfmodel::profiling {
namespace {

/// Takes over what an interrupted run of the same campaign left in the file.
Recording resume_from(const std::filesystem::path& file, Recording planned) {
  if (file.empty() || !std::filesystem::exists(file)) {
    return planned;
  }
  Recording existing = read_recording(file);
  if (existing.complete) {
    return planned;
  }
  // The clock is not a condition: it is the median of whatever entries there are.
  planned.clock_basis = existing.clock_basis;
  planned.clock_hz = existing.clock_hz;
  require_resumable(existing, planned);
  existing.environment = planned.environment;
  return existing;
}

void record(const kernels::Kernel& kernel, const ProblemTasks& task, RunOutcome outcome,
            bool check_only, CampaignResult& result) {
  const Shape shape = kernels::recorded_shape(kernel, task.problem->shape());
  const auto skipped = [&](const std::optional<Verification>& verification) {
    SkippedMeasurement entry;
    entry.kernel = kernel.name;
    entry.shape = shape;
    entry.reason = outcome.reason;
    entry.verification = verification;
    return entry;
  };
  switch (outcome.status) {
    case RunOutcome::Status::measured:
      ++result.checked;
      if (!check_only) {
        outcome.measurement.note = task.label == shape.to_string() ? "" : task.label;
        result.recording.entries.push_back(std::move(outcome.measurement));
      }
      return;
    case RunOutcome::Status::skipped:
      result.recording.skipped.push_back(skipped(std::nullopt));
      return;
    case RunOutcome::Status::empty:
      result.empty.push_back(fmt::format("{} at {}", kernel.name, task.label));
      return;
    case RunOutcome::Status::wrong:
      ++result.checked;
      result.wrong.push_back({std::string(kernel.name), task.label, outcome.reason});
      result.recording.skipped.push_back(skipped(outcome.verification));
      return;
  }
}

}  // namespace

void set_clock(Recording& recording) {
  std::vector<double> clocks;
  for (const Measurement& entry : recording.entries) {
    if (entry.clocks && entry.clocks->sm_clock_hz) {
      clocks.push_back(*entry.clocks->sm_clock_hz);
    }
  }
  if (const std::optional<double> seen = median(clocks)) {
    recording.clock_basis = "measured";
    recording.clock_hz = *seen;
    return;
  }
  recording.clock_basis = "device-reported";
  if (!recording.device_attributes || !recording.device_attributes->clock_rate_hz) {
    throw Error(ErrorKind::unavailable,
                "neither NVML nor CUDA tells the SM clock, so times cannot become cycles");
  }
  recording.clock_hz = *recording.device_attributes->clock_rate_hz;
}

std::vector<std::string> quality_warnings(const Recording& recording) {
  std::vector<std::string> warnings;
  if (!recording.complete) {
    warnings.push_back(
        fmt::format("recording {} is partial: its run was interrupted", recording.name));
  }
  for (const Measurement& entry : recording.entries) {
    const std::string what = printable(entry.label());
    if (entry.noisy.value_or(false)) {
      warnings.push_back(what + " is noisy: the noise limit was not reached in the time allowed");
    }
    if (entry.clocks && entry.clocks->throttled.value_or(false)) {
      warnings.push_back(
          fmt::format("{} was throttled: {}", what, join(entry.clocks->throttle_reasons)));
    }
  }
  return warnings;
}

CampaignResult run_campaign(Runner& runner, std::vector<ProblemTasks> tasks, Recording planned,
                            const CampaignOptions& options) {
  CampaignResult result;
  set_clock(planned);
  result.recording = resume_from(options.file, std::move(planned));
  result.recording.complete = false;
  for (const SkippedMeasurement& skipped : result.recording.skipped) {
    if (skipped.verification && skipped.verification->status == VerificationStatus::failed) {
      result.wrong.push_back({skipped.kernel, skipped.shape.to_string(), skipped.reason});
    }
  }
  std::size_t total = 0;
  for (const ProblemTasks& task : tasks) {
    total += task.kernels.size();
  }
  std::size_t done = 0;
  for (ProblemTasks& task : tasks) {
    for (const kernels::Kernel* kernel : task.kernels) {
      const Shape shape = kernels::recorded_shape(*kernel, task.problem->shape());
      if (options.progress) {
        options.progress(done, total, fmt::format("{} at {}", kernel->name, task.label));
      }
      ++done;
      if (already_done(result.recording, std::string(kernel->name), shape)) {
        ++result.resumed;
        continue;
      }
      record(*kernel, task, runner.run(*kernel, task.problem, options.run), options.run.check_only,
             result);
      if (!options.file.empty() && !options.run.check_only) {
        set_clock(result.recording);
        write_recording(options.file, result.recording);
      }
    }
    task.problem.reset();
  }
  result.recording.complete = true;
  set_clock(result.recording);
  if (!options.file.empty() && !options.run.check_only) {
    write_recording(options.file, result.recording);
  }
  return result;
}

}  // namespace perfmodel::profiling
