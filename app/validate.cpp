#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "app/commands.hpp"
#include "app/loaded_launch.hpp"
#include "app/model_inputs.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "app/specs_folder.hpp"
#include "app/validate_what_if.hpp"
#include "kernels/catalog.hpp"
#include "kernels/spmv/matrix.hpp"
#include "model/analysis.hpp"
#include "model/error.hpp"
#include "model/launch_audit.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/coefficients_file.hpp"
#include "model/spec/write_file.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"
#include "model/timeline/mechanism.hpp"
#include "model/validation.hpp"
#include "profiling/recording_file.hpp"
#include "reports/validation_report.hpp"
#include "reports/what_if_validation_report.hpp"

namespace perfmodel::app {
namespace {

struct ValidateOptions {
  OutputOptions output;
  std::string device = "h200";
  std::vector<std::string> recordings;
  std::string launches;
  std::string code;
  std::string constants;
  std::string save;
  bool cases = false;
  bool what_if = false;
  bool ablation = false;
  unsigned threads = 0;
};

/// The kernels that coefficients are calibrated on, at this shape and from this recording; whatever
/// else was measured is held out.
constexpr std::array reference_kernels = {"K2", "K3", "K4"};
constexpr std::string_view reference_shape = "4096x4096x4096";
constexpr std::string_view reference_recording = "ladder";

/// One measured launch to predict.
struct Task {
  std::string group;
  const Recording* recording = nullptr;
  const Measurement* entry = nullptr;
  Role role = Role::held_out;
};

struct Outcome {
  std::optional<LaunchAudit> audit;
  std::string left_out;
  double prediction_s = 0;
  std::vector<TimePrediction> without;  ///< of the timeline, a mechanism left out each
};

double seconds_of(const Measurement& entry) {
  return entry.samples_s.empty() ? entry.median_s : *median(entry.samples_s);
}

bool is_reference(const Task& task) {
  return !task.entry->foreign && task.entry->shape.to_string() == reference_shape &&
         std::ranges::find(reference_kernels, task.entry->kernel) != reference_kernels.end();
}

class Validator {
 public:
  Validator(const ValidateOptions& options, const GlobalOptions& global)
      : options_(options),
        root_(find_specs(global.specs)),
        catalog_(root_),
        device_(catalog_.device(options.device)) {
    for (const std::filesystem::path& file : catalog_.recording_files(device_.name)) {
      const std::string name = file.stem().string();
      if (options.recordings.empty() ||
          std::ranges::find(options.recordings, name) != options.recordings.end()) {
        recordings_.push_back(std::make_unique<Recording>(profiling::read_recording(file)));
      }
    }
    if (recordings_.empty()) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("there is no such recording of {}; recorded are {}", device_.name,
                              join(catalog_.recorded_devices())));
    }
    for (const auto& recording : recordings_) {
      for (const Measurement& entry : recording->entries) {
        Task task{recording->name, recording.get(), &entry};
        task.role = is_reference(task) ? Role::reference : Role::held_out;
        tasks_.push_back(task);
      }
    }
    clock_hz_ = recordings_.front()->clock_hz;
    inputs_ = load_model_inputs(catalog_, device_, clock_hz_, options.constants, false);
  }

  Validation run() {
    std::vector<Outcome> outcomes(tasks_.size());
    Progress progress(tasks_.size(), standard_error_terminal());
    std::atomic<std::size_t> next{0};
    std::size_t done = 0;
    std::mutex mutex;
    const auto work = [&] {
      std::size_t i = 0;
      while ((i = next.fetch_add(1)) < tasks_.size()) {
        outcomes[i] = predict(tasks_[i]);
        const std::scoped_lock lock(mutex);
        progress.update(++done, tasks_[i].entry->label());
      }
    };
    const unsigned threads = options_.threads != 0
                                 ? options_.threads
                                 : std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < threads; ++i) {
      workers.emplace_back(work);
    }
    work();
    workers.clear();
    progress.clear();
    calibrate(outcomes);
    print_warnings(inputs_.warnings);
    return collect(outcomes);
  }

 private:
  Outcome predict(const Task& task) {
    Outcome outcome;
    try {
      const LoadedLaunch loaded = load(task);
      sass::EmulationOptions emulation;
      emulation.find_defects = false;
      emulation.threads = 1;
      const LaunchProfile profile =
          profile_launch(*loaded.module, *loaded.function, loaded.launch, device_, emulation);
      AuditOptions audit_options;
      audit_options.emulation = emulation;
      audit_options.measured_s = seconds_of(*task.entry);
      audit_options.l2 = l2_state_of(task.entry->cache_mode);
      if (task.entry->counters && !task.entry->counters->values.empty()) {
        audit_options.counters = &*task.entry->counters;
      }
      const auto begin = std::chrono::steady_clock::now();
      outcome.audit =
          audit_launch(profile, device_, inputs_.constants ? &*inputs_.constants : nullptr,
                       inputs_.coefficients, clock_hz_, audit_options);
      outcome.prediction_s =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (options_.ablation) {
        outcome.without = predict_without(profile, audit_options);
      }
    } catch (const Error& error) {
      outcome.left_out = fmt::format("{}: {}", task.entry->label(), error.what());
    }
    return outcome;
  }

  std::vector<TimePrediction> predict_without(const LaunchProfile& profile, AuditOptions options) {
    std::vector<TimePrediction> predictions;
    for (const Mechanism& mechanism : mechanisms()) {
      options.left_out = {std::string(mechanism.name)};
      const LaunchAudit audit =
          audit_launch(profile, device_, inputs_.constants ? &*inputs_.constants : nullptr,
                       inputs_.coefficients, clock_hz_, options);
      TimePrediction timeline =
          *std::ranges::find(audit.predictions, "timeline", &TimePrediction::model);
      timeline.model = fmt::format("without {}", mechanism.name);
      predictions.push_back(std::move(timeline));
    }
    return predictions;
  }

  LoadedLaunch load(const Task& task) {
    MachineOptions machine;
    if (task.entry->foreign) {
      const auto& parameters = task.entry->foreign->parameters;
      const auto named = std::ranges::find(parameters, "launch",
                                           [](const auto& parameter) { return parameter.first; });
      if (named == parameters.end() || options_.launches.empty() || options_.code.empty()) {
        throw Error(ErrorKind::unavailable,
                    "the kernel is none of the catalogue; --launches and --code say what it is");
      }
      machine.cubin = options_.code;
      machine.launch_file =
          (std::filesystem::path(options_.launches) / (named->second + ".yaml")).string();
      return load_cubin_launch(machine);
    }
    // The catalogue keeps what it has read.
    const std::scoped_lock lock(catalog_mutex_);
    machine.arch = stored_architecture(catalog_, device_);
    const kernels::Kernel& kernel = kernels::find_kernel(task.entry->kernel);
    if (kernel.family == "spmv") {
      machine.matrix = kernels::built_in_matrix(task.entry->shape.extent("nnz"));
      return load_catalogue_launch(catalog_, task.entry->kernel, "", machine);
    }
    return load_catalogue_launch(catalog_, task.entry->kernel, task.entry->shape.to_string(),
                                 machine);
  }

  /// Coefficients from the reference kernels, where all of them are there; the throughput model's
  /// predictions follow.
  void calibrate(std::vector<Outcome>& outcomes) {
    std::vector<ThroughputObservation> references;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (tasks_[i].role == Role::reference && tasks_[i].group == reference_recording &&
          outcomes[i].audit) {
        const LaunchAudit& audit = *outcomes[i].audit;
        references.push_back(
            {tasks_[i].entry->label(), audit.terms, seconds_of(*tasks_[i].entry) - audit.launch_s});
      }
    }
    if (references.size() < reference_kernels.size()) {
      return;
    }
    inputs_.coefficients = calibrate_throughput(references, device_.name);
    for (Outcome& outcome : outcomes) {
      if (outcome.audit) {
        predict_again(*outcome.audit, inputs_.coefficients);
      }
    }
    if (!options_.save.empty()) {
      spec::write_file(options_.save, spec::write_coefficients(inputs_.coefficients));
    }
  }

  Validation collect(const std::vector<Outcome>& outcomes) {
    Validation validation;
    validation.device = device_.name;
    validation.clock_hz = clock_hz_;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const Task& task = tasks_[i];
      if (!outcomes[i].audit) {
        validation.left_out.push_back(outcomes[i].left_out);
        continue;
      }
      const LaunchAudit& audit = *outcomes[i].audit;
      if (const auto top =
              compare_top_stalls(predicted_stalls(audit.timeline.sm), audit.measured_stalls)) {
        validation.stalls.push_back({task.group, task.entry->label(), task.role, *top});
      }
      std::vector<TimePrediction> predictions = audit.predictions;
      if (options_.ablation) {
        std::erase_if(predictions,
                      [](const TimePrediction& one) { return one.model != "timeline"; });
        predictions.insert(predictions.end(), outcomes[i].without.begin(),
                           outcomes[i].without.end());
      }
      for (const TimePrediction& prediction : predictions) {
        ValidationCase one;
        one.group = task.group;
        one.label = task.entry->label();
        one.model = prediction.model;
        one.role = task.role;
        one.measured_s = seconds_of(*task.entry);
        one.predicted_s = prediction.seconds;
        one.low_s = prediction.low_s;
        one.high_s = prediction.high_s;
        one.verdict = fmt::format("{}: {}", to_string(audit.verdict.limit_class),
                                  audit.verdict.limiting.resource);
        one.prediction_s = outcomes[i].prediction_s;
        if (audit.measured_units && !audit.measured_units->utilisation.empty()) {
          one.measured_unit = audit.measured_units->utilisation.front().resource;
          one.verdict_agrees = agrees(audit);
        }
        validation.cases.push_back(std::move(one));
      }
    }
    validation.groups = summarize(validation.cases);
    return validation;
  }

  const ValidateOptions& options_;
  std::filesystem::path root_;
  spec::Catalog catalog_;
  std::mutex catalog_mutex_;
  Device device_;
  std::vector<std::unique_ptr<Recording>> recordings_;
  std::vector<Task> tasks_;
  ModelInputs inputs_;
  double clock_hz_ = 0;
};

}  // namespace

void add_validate(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand(
      "validate", "how far every model is from what was measured, reference and held-out apart");
  command->add_option("-d,--device", options->device, "a device with recordings; default: h200")
      ->type_name("NAME");
  command
      ->add_option("--recordings", options->recordings,
                   "recordings of that device by name; default: all")
      ->delimiter(',')
      ->type_name("NAME,...");
  command
      ->add_option("--launches", options->launches,
                   "folder with the launch descriptions of recorded kernels that are none of the "
                   "catalogue")
      ->type_name("FOLDER");
  command->add_option("--code", options->code, "file with their machine code")->type_name("FILE");
  command
      ->add_option("--constants", options->constants,
                   "what 'perfmodel calibrate --device auto' wrote; default: the device's, shipped")
      ->type_name("FILE");
  command
      ->add_option("--save", options->save,
                   "write the coefficients that were calibrated on K2, K3 and K4")
      ->type_name("FILE");
  command->add_flag("--cases", options->cases, "show every launch, not only the summaries");
  command
      ->add_flag("--what-if", options->what_if,
                 "show predicted gains against measured ones instead of errors of times")
      ->excludes(command->add_flag("--ablation", options->ablation,
                                   "the timeline's errors with each of its mechanisms left out"));
  command->add_option("--threads", options->threads, "CPU threads; default: one per core")
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N");
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel validate\n"
      "  perfmodel validate --recordings sweep --cases\n"
      "  perfmodel validate --what-if\n"
      "  perfmodel validate --recordings ladder --ablation\n"
      "  perfmodel validate --device rtx4090 --format json\n"
      "  perfmodel validate --recordings applications --launches tests/applications/launches \\\n"
      "    --code tests/applications/sm_90.json.gz");
  command->callback([options, &global] {
    Validator validator(*options, global);
    const Validation validation = validator.run();
    write_report(options->what_if ? reports::what_if_validation_report(validate_what_ifs(
                                        options->device, options->constants, validation, global))
                                  : reports::validation_report(validation, options->cases),
                 options->output);
  });
}

}  // namespace perfmodel::app
