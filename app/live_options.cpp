#include "app/live_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <regex>

#include "app/progress.hpp"
#include "kernels/catalog.hpp"
#include "kernels/spmv/matrix.hpp"
#include "kernels/spmv/problem.hpp"
#include "model/error.hpp"
#include "model/text.hpp"
#include "profiling/environment.hpp"

namespace perfmodel::app {
namespace {

using profiling::ProblemTasks;

std::vector<const kernels::Kernel*> matching_kernels(const std::string& pattern) {
  const std::regex regex = kernel_pattern(pattern);
  std::vector<const kernels::Kernel*> found;
  std::vector<std::string> names;
  for (const kernels::Kernel& kernel : kernels::catalog()) {
    names.emplace_back(kernel.name);
    if (std::regex_match(names.back(), regex)) {
      found.push_back(&kernel);
    }
  }
  if (found.empty()) {
    fail(fmt::format("no kernel matches '{}'{}; there are {}", printable(pattern),
                     did_you_mean(pattern, names), join(names)));
  }
  return found;
}

/// Adds a kernel to the task with its problem; kernels of one family share it.
void add_task(std::vector<ProblemTasks>& tasks, const std::string& family_and_shape,
              std::vector<std::string>& keys, const kernels::Kernel& kernel,
              const std::string& label,
              const std::function<std::shared_ptr<kernels::Problem>()>& make) {
  const auto known = std::ranges::find(keys, family_and_shape);
  if (known != keys.end()) {
    tasks[static_cast<std::size_t>(known - keys.begin())].kernels.push_back(&kernel);
    return;
  }
  keys.push_back(family_and_shape);
  tasks.push_back({make(), label, {&kernel}});
}

}  // namespace

std::regex kernel_pattern(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& error) {
    fail(fmt::format("--kernels '{}' is not a regular expression: {}", printable(text),
                     error.what()));
  }
}

void LiveOptions::add_to(CLI::App& command) {
  command.add_option("--gpu", gpus, "devices by CUDA's number, such as 0,1; default: 0")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber)
      ->type_name("N,...");
  command.add_option("--cache", cache_mode, "L2 before each sample: cold (default) or warm")
      ->check(CLI::IsMember({"cold", "warm"}))
      ->type_name("MODE");
  command
      .add_option("--noise", noise_percent,
                  "stop a kernel when the standard error of its mean is below this; default: 0.5")
      ->check(CLI::PositiveNumber)
      ->type_name("PERCENT");
  command.add_option("--time-limit", time_limit_s, "or when it was measured this long; default: 3")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  command.add_option("--min-samples", min_samples, "but not before so many samples; default: 10")
      ->check(CLI::Range(3, 500))
      ->type_name("N");
  command
      .add_option("--min-time", min_time_s, "nor before it was measured this long; default: 0.5")
      ->check(CLI::NonNegativeNumber)
      ->type_name("SECONDS");
  command.add_flag("--strict", strict, "a noisy or throttled result is a failure (exit code 4)");
}

MeasureSettings LiveOptions::settings() const {
  MeasureSettings settings;
  settings.cache_mode = cache_mode == "warm" ? CacheMode::warm : CacheMode::cold;
  settings.max_noise = noise_percent / 100.0;
  settings.min_time_s = min_time_s;
  settings.time_limit_s = time_limit_s;
  settings.min_samples = min_samples;
  return settings;
}

FoundDevice find_live_device(int ordinal, const spec::Catalog& catalog) {
  const profiling::Answer<profiling::LiveDevices> live = profiling::query_devices();
  if (!live) {
    throw Error(
        ErrorKind::unavailable,
        fmt::format("no GPU to measure on: {}; 'perfmodel doctor' says more", live.absence().why));
  }
  const auto device =
      std::find_if(live->devices.begin(), live->devices.end(),
                   [&](const profiling::LiveDevice& one) { return one.ordinal == ordinal; });
  if (device == live->devices.end()) {
    fail(fmt::format("there is no GPU {}: this machine has {}, numbered from 0", ordinal,
                     live->devices.size()));
  }
  std::vector<Device> known;
  for (const std::string& name : catalog.device_names()) {
    known.push_back(catalog.device(name));
  }
  const std::optional<std::string> name = profiling::catalogue_name(device->attributes, known);
  FoundDevice found;
  found.live = *device;
  found.device =
      name ? catalog.device(*name) : profiling::device_from_attributes(device->attributes, "live");
  found.nvml = profiling::Nvml::open();
  found.environment =
      profiling::current_environment(*live, found.nvml, std::chrono::system_clock::now());
  return found;
}

Recording planned_recording(const FoundDevice& found, const MeasureSettings& settings) {
  Recording planned;
  planned.name = found.device.name;
  planned.device = found.device.name;
  planned.source_kind = SourceKind::measured;
  planned.source = fmt::format("perfmodel on one {}", printable(found.live.attributes.name));
  planned.device_attributes = found.live.attributes;
  planned.environment = found.environment;
  planned.settings = settings;
  return planned;
}

LiveSession open_session(int ordinal, const MeasureSettings& settings,
                         const spec::Catalog& catalog) {
  FoundDevice found = find_live_device(ordinal, catalog);
  LiveSession session;
  session.planned = planned_recording(found, settings);
  session.device = std::move(found.device);
  session.ordinal = found.live.ordinal;
  session.runner = profiling::open_runner(found.live, found.nvml);
  return session;
}

std::vector<ProblemTasks> find_tasks(const std::string& kernel_pattern,
                                     const std::vector<std::string>& shapes,
                                     const std::vector<std::string>& matrices,
                                     spec::Catalog& catalog) {
  std::vector<ProblemTasks> tasks;
  std::vector<std::string> keys;
  const std::vector<const kernels::Kernel*> found = matching_kernels(kernel_pattern);
  for (const kernels::Kernel* kernel : found) {
    const std::string family(kernel->family);
    if (family == "spmv") {
      for (const std::string& matrix : matrices) {
        add_task(tasks, family + " " + matrix, keys, *kernel, printable(matrix),
                 [&] { return kernels::make_spmv_problem(kernels::load_matrix(matrix)); });
      }
      continue;
    }
    const std::vector<std::string> dimensions(kernel->dimensions.begin(), kernel->dimensions.end());
    std::vector<Shape> wanted;
    for (const std::string& text : shapes) {
      wanted.push_back(Shape::parse(text, dimensions, 0));
    }
    if (shapes.empty()) {
      wanted.push_back(catalog.kernel(std::string(kernel->name)).default_shape);
    }
    for (const Shape& shape : wanted) {
      add_task(tasks, family + " " + shape.key(), keys, *kernel, shape.to_string(),
               [&] { return kernels::make_problem(*kernel, shape); });
    }
  }
  return tasks;
}

profiling::CampaignResult run_with_progress(LiveSession& session, std::vector<ProblemTasks> tasks,
                                            const std::filesystem::path& file, bool check_only) {
  std::size_t total = 0;
  for (const ProblemTasks& task : tasks) {
    total += task.kernels.size();
  }
  Progress progress(total, standard_error_terminal());
  profiling::CampaignOptions options;
  options.run.settings = session.planned.settings.value();
  options.run.check_only = check_only;
  options.file = file;
  options.progress = [&](std::size_t done, std::size_t, const std::string& label) {
    progress.update(done, label);
  };
  return run_campaign(*session.runner, std::move(tasks), session.planned, options);
}

void require_trustworthy(std::span<const profiling::CampaignResult> results, bool strict) {
  std::size_t doubtful = 0;
  std::vector<std::string> wrong;
  for (const profiling::CampaignResult& result : results) {
    doubtful += profiling::quality_warnings(result.recording).size();
    for (const profiling::WrongResult& one : result.wrong) {
      wrong.push_back(fmt::format("{} at {} is wrong: {}", one.kernel, one.label, one.reason));
    }
  }
  if (!wrong.empty()) {
    throw Error(ErrorKind::wrong_result, join(wrong, "; "));
  }
  if (strict && doubtful > 0) {
    throw Error(ErrorKind::wrong_result,
                fmt::format("{} results are noisy or throttled (--strict)", doubtful));
  }
}

}  // namespace perfmodel::app
