#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/analysis_options.hpp"
#include "app/audit_what_if.hpp"
#include "app/loaded_launch.hpp"
#include "app/model_inputs.hpp"
#include "app/output.hpp"
#include "app/performance_report.hpp"
#include "app/specs_folder.hpp"
#include "app/timeline_picture.hpp"
#include "kernels/catalog.hpp"
#include "model/error.hpp"
#include "model/launch_audit.hpp"
#include "model/spec/catalog.hpp"
#include "model/text.hpp"
#include "model/timeline/stall_profile.hpp"
#include "profiling/recording_file.hpp"
#include "reports/launch_audit_report.hpp"

namespace perfmodel::app {
namespace {

struct AuditCommand {
  DataOptions data;
  OutputOptions output;
  MachineOptions machine;
  std::string kernel;
  std::string shape;
  std::string measured;
  std::string cache = "cold";
  std::string constants;
  bool strict = false;
  bool stalls = false;
  bool all_instructions = false;
  PictureOptions picture;
  std::vector<std::string> what_if;
};

/// The first option given that asks something of the machine code; empty: none does.
std::string option_for_code(const AuditCommand& options) {
  return !options.what_if.empty()        ? "--what-if"
         : options.stalls                ? "--stalls"
         : !options.picture.file.empty() ? "--trace-events"
                                         : "";
}

/// "5.79ms", "350us", "1.2e-3s", or seconds.
double parse_seconds(const std::string& text) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const std::string unit = text.substr(used);
  const double scale = unit == "s" || unit.empty() ? 1
                       : unit == "ms"              ? 1e-3
                       : unit == "us"              ? 1e-6
                       : unit == "ns"              ? 1e-9
                                                   : 0;
  if (used == 0 || scale == 0 || !(value > 0) || value * scale > 1e6) {
    fail(fmt::format("--measured '{}' must be a time such as 5.79ms, 350us or 0.0012s",
                     printable(text)));
  }
  return value * scale;
}

/// What was measured of one kernel at one shape.
struct Recorded {
  std::optional<Analysis> analysis;
  std::size_t index = 0;
  std::optional<CacheMode> cache_mode;
  std::optional<Counters> counters;

  [[nodiscard]] const KernelAnalysis* kernel() const {
    return analysis ? &analysis->kernels[index] : nullptr;
  }
};

/// Counters of that kernel and shape in any recording of the device.
std::optional<Counters> recorded_counters(const spec::Catalog& catalog, const std::string& device,
                                          const std::string& kernel, const Shape& shape) {
  for (const std::filesystem::path& file : catalog.recording_files(device)) {
    for (const Measurement& entry : profiling::read_recording(file).entries) {
      if (!entry.foreign && entry.kernel == kernel && entry.shape == shape && entry.counters &&
          !entry.counters->values.empty()) {
        return entry.counters;
      }
    }
  }
  return std::nullopt;
}

/// Nothing where no recording has the kernel at the shape (empty: the default of an analysis).
Recorded find_recorded(const AuditCommand& options, spec::Catalog& catalog,
                       const std::string& kernel, const GlobalOptions& global) {
  Recorded recorded;
  const bool named = !options.data.recording.empty() || options.data.device == "auto";
  if (!named && catalog.recording_files(options.data.device).empty()) {
    return recorded;
  }
  if (!named && !options.shape.empty()) {
    const KernelSpec& spec = catalog.kernel(kernel);
    const Shape shape = Shape::parse(options.shape, spec.dimensions);
    const Recording recording = profiling::read_recording(
        find_recording(catalog, options.data.device, options.data.recording));
    const bool has = std::ranges::any_of(recording.entries, [&](const Measurement& entry) {
      return !entry.foreign && entry.kernel == kernel && entry.shape == shape;
    });
    if (!has) {
      return recorded;
    }
  }
  recorded.analysis = run_analysis(options.data, options.shape, global);
  const auto found = std::ranges::find(recorded.analysis->kernels, kernel, &KernelAnalysis::name);
  if (found == recorded.analysis->kernels.end()) {
    if (named) {
      std::vector<std::string> measured;
      for (const KernelAnalysis& other : recorded.analysis->kernels) {
        measured.push_back(other.name);
      }
      throw Error(ErrorKind::unavailable,
                  fmt::format("recording {} has no time of {} at this shape; it has {}",
                              recorded.analysis->recording, kernel,
                              measured.empty() ? "no kernel of the catalogue" : join(measured)));
    }
    recorded.analysis.reset();
    return recorded;
  }
  recorded.index = static_cast<std::size_t>(found - recorded.analysis->kernels.begin());
  if (options.data.device != "auto" && !spec::is_path(options.data.recording, ".json")) {
    const Recording recording = profiling::read_recording(
        find_recording(catalog, recorded.analysis->device.name, options.data.recording));
    for (const Measurement& entry : recording.entries) {
      if (!entry.foreign && entry.kernel == kernel && entry.shape == found->shape) {
        recorded.cache_mode = entry.cache_mode;
      }
    }
    recorded.counters =
        recorded_counters(catalog, recorded.analysis->device.name, kernel, found->shape);
  }
  return recorded;
}

L2State l2_state(const AuditCommand& options, const Recorded& recorded) {
  return options.cache == "warm" ? L2State::warm : l2_state_of(recorded.cache_mode);
}

Clock clock_of(const AuditCommand& options, const Device& device, const Recorded& recorded) {
  if (recorded.analysis) {
    return recorded.analysis->clock;
  }
  if (options.data.clock.empty()) {
    return {device.clocks.front().name, device.clocks.front().clock_hz.value};
  }
  return resolve_clock(device, options.data.clock);
}

/// The report around the figures of one kernel.
PerformanceReport report_of_kernel(PerformanceReport report, KernelFigures figures,
                                   const Recorded& recorded,
                                   const ThroughputCoefficients& coefficients,
                                   const reports::LaunchAuditView& view) {
  report.title = view.title;
  figures.name = view.kernel;
  figures.shape = view.shape;
  figures.code = view.origin;
  if (recorded.kernel() != nullptr) {
    figures.analysed = *recorded.kernel();
    add_recording(report, *recorded.analysis);
  }
  report.kernels.push_back(std::move(figures));
  complete(report, coefficients);
  return report;
}

/// Of a kernel of which only a time and the source ledger are known.
PerformanceReport report_without_code(const AuditCommand& options, const spec::Catalog& catalog,
                                      const Recorded& recorded,
                                      const reports::LaunchAuditView& view) {
  const Analysis& analysis = *recorded.analysis;
  const ModelInputs inputs = load_model_inputs(catalog, analysis.device, analysis.clock.hz,
                                               options.constants, options.strict);
  KernelFigures figures;
  figures.why_not_audited =
      fmt::format("no machine code of it is stored for {}", analysis.device.architecture);
  return report_of_kernel(
      empty_report(analysis.device, analysis.clock, inputs.constants, inputs.coefficients),
      std::move(figures), recorded, inputs.coefficients, view);
}

/// An audit and what was asked beyond it.
struct Answer {
  LaunchSetup setup;
  LaunchAudit audit;
  std::optional<WhatIf> what_if;
  std::optional<PerformanceReport> page;  ///< where one is asked for
};

Answer audit(const AuditCommand& options, const spec::Catalog& catalog, const Device& device,
             const LoadedLaunch& loaded, const Recorded& recorded,
             const reports::LaunchAuditView& view, const CodeForArchitecture& code_for) {
  const Clock clock = clock_of(options, device, recorded);
  const std::vector<WhatIfChange> changes = parse_what_if(options.what_if);
  Answer answer;
  LaunchSetup& setup = answer.setup;
  setup.device = device;
  setup.clock_hz = clock.hz;
  ModelInputs inputs =
      load_model_inputs(catalog, device, setup.clock_hz, options.constants, options.strict);
  setup.constants = std::move(inputs.constants);
  setup.coefficients = std::move(inputs.coefficients);
  setup.options.emulation = options.machine.emulation();
  setup.options.emulation.find_defects = false;
  setup.profile = profile_launch(*loaded.module, *loaded.function, loaded.launch, device,
                                 setup.options.emulation);
  setup.options.l2 = l2_state(options, recorded);
  if (!options.measured.empty()) {
    setup.options.measured_s = parse_seconds(options.measured);
  } else if (recorded.kernel() != nullptr) {
    setup.options.measured_s = recorded.kernel()->median_s;
  }
  setup.options.counters = recorded.counters ? &*recorded.counters : nullptr;
  answer.audit = audit_setup(setup);
  if (!changes.empty()) {
    answer.what_if = answer_what_if(changes, setup, answer.audit, catalog, code_for);
  }
  std::vector<std::string>& warnings = answer.audit.warnings;
  warnings.insert(warnings.begin(), inputs.warnings.begin(), inputs.warnings.end());
  print_warnings(warnings);
  if (is_page(options.output)) {
    PerformanceReport report = empty_report(device, clock, setup.constants, setup.coefficients);
    report.warnings = warnings;
    KernelFigures figures =
        audited_figures(view.kernel, setup.profile, answer.audit, report.ceilings);
    figures.what_if = answer.what_if;
    answer.page =
        report_of_kernel(std::move(report), std::move(figures), recorded, setup.coefficients, view);
  }
  return answer;
}

/// Everything that is asked for where there is machine code.
void write_answer(const AuditCommand& options, const Answer& answer,
                  reports::LaunchAuditView& view) {
  write_picture(options.picture, answer.setup, answer.audit, view.title);
  if (answer.page) {
    write_page(*answer.page, options.output);
    return;
  }
  const LaunchProfile& profile = answer.setup.profile;
  reports::StallView stalls;
  if (options.stalls) {
    stalls.profile = profile_stalls(answer.audit.timeline, *profile.function, profile.module->sm);
    stalls.lines = profile.ledger.lines;
    stalls.all = options.all_instructions;
    view.stalls = &stalls;
  }
  view.what_if = answer.what_if ? &*answer.what_if : nullptr;
  write_report(reports::launch_audit_report(&answer.audit, view), options.output);
}

void audit_catalogue_kernel(const AuditCommand& options, const GlobalOptions& global) {
  // A mistyped kernel is told apart from one that was not measured.
  spec::Catalog catalog(find_specs(global.specs));
  const std::string& name = catalog.kernel(options.kernel).name;
  if (options.data.device.empty() && !spec::is_path(options.data.recording, ".json")) {
    fail(fmt::format("name a device with --device; there are {}", join(catalog.device_names())));
  }
  const Recorded recorded = find_recorded(options, catalog, name, global);
  const Device device =
      recorded.analysis ? recorded.analysis->device : catalog.device(options.data.device);
  reports::LaunchAuditView view;
  view.kernel = name;
  view.analysis = recorded.analysis ? &*recorded.analysis : nullptr;
  view.analysed = recorded.kernel();

  MachineOptions machine = options.machine;
  if (machine.arch.empty()) {
    machine.arch = stored_architecture(catalog, device);
  }
  const bool has_code = catalog.kernel(name).ledger.has_value() && !machine.arch.empty();
  if (!has_code) {
    if (recorded.kernel() == nullptr) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("there is neither machine code of {} for {} nor a recorded time; "
                              "give --cubin with --launch, or measure it",
                              name, device.architecture));
    }
    view.shape = recorded.kernel()->shape.to_string();
    view.title = fmt::format("{} at {} on {}", name, view.shape, device.title);
    if (const std::string option = option_for_code(options); !option.empty()) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("{} needs machine code, and there is none of {} for {}", option, name,
                              device.architecture));
    }
    if (is_page(options.output)) {
      write_page(report_without_code(options, catalog, recorded, view), options.output);
    } else {
      write_report(reports::launch_audit_report(nullptr, view), options.output);
    }
    return;
  }
  const std::string shape =
      recorded.kernel() != nullptr && kernels::find_kernel(name).family != "spmv"
          ? recorded.kernel()->shape.to_string()
          : options.shape;
  const LoadedLaunch loaded = load_catalogue_launch(catalog, name, shape, machine);
  view.shape = loaded.shape;
  view.origin = loaded.origin;
  view.title = fmt::format("{} at {} on {}", name, loaded.shape, device.title);
  const Answer answer =
      audit(options, catalog, device, loaded, recorded, view, [&](const std::string& architecture) {
        MachineOptions other = machine;
        other.arch = architecture;
        return load_catalogue_launch(catalog, name, shape, other);
      });
  write_answer(options, answer, view);
}

void audit_cubin_kernel(const AuditCommand& options, const GlobalOptions& global) {
  const spec::Catalog catalog(find_specs(global.specs));
  const LoadedLaunch loaded = load_cubin_launch(options.machine);
  const std::optional<Device> device =
      device_for_code(catalog, options.data.device, loaded.module->sm);
  if (!device) {
    throw Error(ErrorKind::unavailable,
                fmt::format("no device of the catalogue runs code for sm_{}; name one with "
                            "--device FILE.yaml",
                            loaded.module->sm));
  }
  reports::LaunchAuditView view;
  view.kernel = loaded.name;
  view.origin = loaded.origin;
  view.title = fmt::format("{} on {}", loaded.name, device->title);
  const Answer answer =
      audit(options, catalog, *device, loaded, {}, view, [&](const std::string& architecture) {
        MachineOptions other = options.machine;
        other.arch = architecture;
        return load_cubin_launch(other);
      });
  write_answer(options, answer, view);
}

/// Where what was asked for would not be seen.
void refuse_formats_without_a_place(const AuditCommand& options) {
  if (!options.what_if.empty() && is_picture(options.output)) {
    fail(
        "--what-if is no part of the roofline that --format svg draws; write html, table, markdown "
        "or json instead");
  }
  if (options.stalls && is_page(options.output)) {
    fail(fmt::format(
        "--stalls is no part of {}; write table, markdown, csv or json instead",
        is_picture(options.output) ? "the roofline that --format svg draws" : "the html page"));
  }
  if (!options.what_if.empty() && !is_page(options.output) &&
      options.output.resolved_format() == reports::Format::csv) {
    fail(
        "--what-if is no part of the table that --format csv writes; write html, table, markdown "
        "or json instead");
  }
}

void run_audit(const AuditCommand& options, const GlobalOptions& global) {
  if (options.kernel.empty() && options.machine.cubin.empty()) {
    fail("name a kernel of the catalogue (see 'perfmodel list kernels'), or a file with --cubin");
  }
  refuse_formats_without_a_place(options);
  if (options.kernel.empty()) {
    audit_cubin_kernel(options, global);
    return;
  }
  if (!options.machine.cubin.empty()) {
    fail(
        "a kernel of the catalogue is audited from the stored machine code; leave --cubin out, or "
        "name the kernel of the file with --kernel");
  }
  audit_catalogue_kernel(options, global);
}

}  // namespace

void add_audit(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<AuditCommand>();
  CLI::App* command = app.add_subcommand(
      "audit", "one kernel, yours or one of the catalogue: predicted time, verdict and evidence");
  command->add_option("kernel", options->kernel, "kernel by name (see 'perfmodel list kernels')")
      ->type_name("KERNEL");
  options->data.add_to(*command);
  options->data.add_costs_to(*command);
  command
      ->add_option("--shape", options->shape,
                   "a shape such as 4096x4096x4096; default: the calibration's")
      ->type_name("SHAPE");
  command
      ->add_option("--measured", options->measured,
                   "the time that you measured, such as 5.79ms; default: the recording's")
      ->type_name("TIME");
  command
      ->add_option("--cache", options->cache,
                   "what L2 holds when the kernel starts: nothing of its data (cold) or what the "
                   "launch before left there (warm); default: cold")
      ->check(CLI::IsMember({"cold", "warm"}))
      ->type_name("STATE");
  command
      ->add_option("--constants", options->constants,
                   "what 'perfmodel calibrate --device auto' wrote; default: the device's, shipped")
      ->type_name("FILE");
  command->add_flag("--strict", options->strict,
                    "refuse constants of another device or clock instead of warning");
  command
      ->add_option(
          "--what-if", options->what_if,
          "predict the launch changed, too: vectorize-shared, vectorize-global, pad-shared=128B (4 "
          "bytes behind each 128) or 128B+16B, no-bank-conflicts, no-register-bank-conflicts, "
          "coalesce, occupancy=BLOCKS (per SM) or PERCENT%, registers=N, clock=1.5GHz, l2=100MB, "
          "device=NAME; several with commas or by repeating the option")
      ->allow_extra_args(false)
      ->type_name("CHANGE,...");
  CLI::Option* const stalls =
      command->add_flag("--stalls", options->stalls,
                        "show how busy every unit is, why warps wait, by reason, loop and "
                        "instruction, beside what counters say where they were recorded");
  command
      ->add_flag("--all-instructions", options->all_instructions,
                 "show every instruction that ran, not only the hottest")
      ->needs(stalls);
  options->picture.add_to(*command);
  options->machine.add_code_to(*command);
  options->output.add_to(*command, {"html", "svg"});
  command->footer(
      "Examples:\n"
      "  perfmodel audit K5 --device rtx4090\n"
      "  perfmodel audit K1 --device h200 --shape 4097x4097x4097\n"
      "  perfmodel audit K6 --device a100-80 --format json\n"
      "  perfmodel audit K5 --device h200 --out ./my-k5.html\n"
      "  perfmodel audit K5 --device h200 --what-if vectorize-shared,vectorize-global\n"
      "  perfmodel audit K5-unpadded --device h200 --recording layouts --what-if pad-shared=128B\n"
      "  perfmodel audit K3 --device h200 --stalls\n"
      "  perfmodel audit K5 --device h200 --trace-events k5.json   # open in ui.perfetto.dev\n"
      "  perfmodel audit --cubin ./my.cubin --kernel saxpy --launch ./my-launch.yaml \\\n"
      "    --device h200 --measured 178us");
  command->callback([options, &global] { run_audit(*options, global); });
}

}  // namespace perfmodel::app
