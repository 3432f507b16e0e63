#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "app/analysis_options.hpp"
#include "app/loaded_launch.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/error.hpp"
#include "model/recording_comparison.hpp"
#include "model/sass/emulate.hpp"
#include "model/spec/catalog.hpp"
#include "model/text.hpp"
#include "profiling/recording_file.hpp"
#include "reports/comparison_report.hpp"
#include "reports/github_annotations.hpp"
#include "reports/junit_report.hpp"

namespace perfmodel::app {
namespace {

struct CompareCommand {
  std::string a;
  std::string b;
  std::string fail_slower;
  std::string margin;
  std::string between_runs;
  bool machine_code = false;
  OutputOptions output;
};

/// "3%" or "3" as 0.03; nothing for no text.
std::optional<double> parse_percentage(std::string_view option, const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  double percent = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, percent);
  constexpr double most = 1000.0;
  const std::string_view unit(stop, end);
  const bool is_percentage =
      status == std::errc() && (unit.empty() || unit == "%") && percent >= 0.0 && percent <= most;
  if (!is_percentage) {
    fail(fmt::format("{} '{}' must be a percentage such as 3%", option, printable(text)));
  }
  return percent / 100.0;
}

/// A file, or DEVICE/NAME of the recordings that ship with the project.
Recording load(const std::string& argument, const spec::Catalog& catalog) {
  std::error_code status;
  const bool is_file = argument.ends_with(".json") || std::filesystem::exists(argument, status);
  const std::vector<std::string> parts = split(argument, '/');
  if (!is_file && (parts.size() != 2 || !is_plain_name(parts[0]) || !is_plain_name(parts[1]))) {
    fail(
        fmt::format("there is no recording '{}'; give a .json file that 'perfmodel measure' "
                    "wrote, or DEVICE/NAME such as h200/ladder",
                    printable(argument)));
  }
  Recording recording = profiling::read_recording(
      is_file ? std::filesystem::path(argument) : find_recording(catalog, parts[0], parts[1]));
  recording.name = printable(argument, 120);
  return recording;
}

/// The specifications that recordings name; what is not in the catalogue has none.
class Specifications {
 public:
  explicit Specifications(spec::Catalog& catalog)
      : catalog_(catalog), kernel_names_(catalog.kernel_names()) {
    for (const std::string& name : catalog.device_names()) {
      devices_.emplace(name, std::nullopt);
    }
  }

  const Device* device(const std::string& name) {
    const auto found = devices_.find(name);
    if (found == devices_.end()) {
      return nullptr;
    }
    if (!found->second) {
      found->second = catalog_.device(name);
    }
    return &*found->second;
  }

  const KernelSpec* kernel(const std::string& name) {
    return std::ranges::find(kernel_names_, name) == kernel_names_.end() ? nullptr
                                                                         : &catalog_.kernel(name);
  }

 private:
  spec::Catalog& catalog_;
  std::vector<std::string> kernel_names_;
  std::map<std::string, std::optional<Device>> devices_;
};

/// Emulates what a device runs for a kernel of the catalogue; nothing where that is not known, as
/// of a library, an architecture without stored code or a sparse matrix that no shape tells.
std::optional<LaunchCounts> count_machine_code(spec::Catalog& catalog, const Device& device,
                                               const KernelSpec& kernel, const Shape& shape) {
  MachineOptions options;
  options.arch = stored_architecture(catalog, device);
  try {
    const LoadedLaunch loaded =
        load_catalogue_launch(catalog, kernel.name, shape.to_string(), options);
    const sass::MachineLedger ledger =
        sass::count_launch(*loaded.module, *loaded.function, loaded.launch, options.emulation());
    const sass::MachineTotals& totals = ledger.totals;
    return LaunchCounts{{"warp instructions", totals.warp_instructions},
                        {"LSU wavefronts", totals.lsu_wavefronts},
                        {"shared load wavefronts", totals.shared_load_wavefronts},
                        {"global load sectors", totals.global_load_sectors},
                        {"global store sectors", totals.global_store_sectors},
                        {"registers per thread", static_cast<double>(ledger.registers)}};
  } catch (const Error&) {
    return std::nullopt;
  }
}

CompareOptions compare_options(const CompareCommand& command) {
  CompareOptions options;
  options.fail_slower = parse_percentage("--fail-slower", command.fail_slower);
  options.same_margin = parse_percentage("--margin", command.margin);
  options.between_runs = parse_percentage("--between-runs", command.between_runs);
  return options;
}

void write(const RecordingComparison& comparison, const OutputOptions& output) {
  const bool is_xml = std::filesystem::path(output.out).extension() == ".xml";
  if (output.format == "github") {
    write_text(reports::github_annotations(comparison), output);
  } else if (output.format == "junit" || (output.format.empty() && is_xml)) {
    write_text(reports::junit_report(comparison), output);
  } else {
    write_report(reports::comparison_report(comparison), output);
  }
}

/// The first few of those that `is_meant` names, and how many more there are.
template <typename Kernel, typename Predicate, typename Text>
std::string name_some(const std::vector<Kernel>& kernels, Predicate is_meant, Text text) {
  constexpr std::size_t most = 5;
  std::vector<std::string> named;
  std::size_t more = 0;
  for (const Kernel& kernel : kernels) {
    if (!is_meant(kernel)) {
      continue;
    }
    if (named.size() < most) {
      named.push_back(text(kernel));
    } else {
      ++more;
    }
  }
  return join(named) + (more == 0 ? "" : fmt::format(" and {} more", more));
}

void require_no_wrong_result(const RecordingComparison& comparison) {
  if (comparison.wrong_in_b() == 0) {
    return;
  }
  const std::string names = name_some(
      comparison.uncompared, [](const auto& kernel) { return kernel.wrong_in_b; },
      [](const auto& kernel) { return printable(kernel.label); });
  throw Error(ErrorKind::wrong_result, fmt::format("wrong results in B: {}", names));
}

void require_no_regression(const RecordingComparison& comparison) {
  if (comparison.regressions() == 0) {
    return;
  }
  const std::string names = name_some(
      comparison.kernels, [](const auto& kernel) { return kernel.is_regression; },
      [](const auto& kernel) {
        return fmt::format("{} {}", printable(kernel.label), reports::change_text(kernel));
      });
  throw Regression(fmt::format("slower by more than {:.3g} %: {}",
                               100.0 * comparison.fail_slower.value(), names));
}

void run_compare(const CompareCommand& command, const GlobalOptions& global) {
  const CompareOptions options = compare_options(command);
  spec::Catalog catalog(find_specs(global.specs));
  const Recording a = load(command.a, catalog);
  const Recording b = load(command.b, catalog);
  Specifications specifications(catalog);
  ComparisonSpecs specs;
  specs.device = [&](const std::string& name) { return specifications.device(name); };
  specs.kernel = [&](const std::string& name) { return specifications.kernel(name); };
  if (command.machine_code) {
    specs.machine = [&](const Device& device, const KernelSpec& kernel, const Shape& shape) {
      return count_machine_code(catalog, device, kernel, shape);
    };
  }
  const RecordingComparison comparison = compare_recordings(a, b, options, specs);
  write(comparison, command.output);
  print_warnings(comparison.warnings);
  require_no_wrong_result(comparison);
  require_no_regression(comparison);
}

}  // namespace

void add_compare(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<CompareCommand>();
  CLI::App* command = app.add_subcommand(
      "compare", "two recordings kernel by kernel: SAME, FASTER, SLOWER or UNSURE; a gate for CI");
  command
      ->add_option("a", options->a, "before: a recording (.json), or DEVICE/NAME of a shipped one")
      ->required()
      ->type_name("A");
  command->add_option("b", options->b, "after: likewise")->required()->type_name("B");
  command
      ->add_option("--fail-slower", options->fail_slower,
                   "exit with 5 where a kernel is certainly slower by more than this")
      ->type_name("PERCENT");
  command
      ->add_option("--margin", options->margin,
                   "SAME is what certainly stays within; default: 3% on one board, else 6%")
      ->type_name("PERCENT");
  command
      ->add_option("--between-runs", options->between_runs,
                   "by which two runs of the same code differ; default: 1% on one board, else 3%")
      ->type_name("PERCENT");
  command->add_flag("--machine-code", options->machine_code,
                    "between architectures, also compare what the stored machine code does; takes "
                    "up to a second per kernel");
  options->output.add_to(*command, {"github", "junit"});
  command->footer(
      "Decided from the raw samples: docs/comparison.md says how, and how often it is right.\n"
      "Kernels whose results were wrong are not compared; in B they make it exit with 4.\n"
      "Examples:\n"
      "  perfmodel measure --record before.json        # then change the code, and\n"
      "  perfmodel measure --record after.json\n"
      "  perfmodel compare before.json after.json --fail-slower 3%\n"
      "  perfmodel compare before.json after.json --format github\n"
      "  perfmodel compare before.json after.json --out compare.xml    # JUnit\n"
      "  perfmodel compare h200/ladder h200/counters    # recordings that ship with the project");
  command->callback([options, &global] { run_compare(*options, global); });
}

}  // namespace perfmodel::app
