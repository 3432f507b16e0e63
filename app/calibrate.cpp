#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/analysis_options.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "app/specs_folder.hpp"
#include "kernels/microbench/microbenchmark.hpp"
#include "model/error.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/cost_table_file.hpp"
#include "model/spec/write_file.hpp"
#include "model/text.hpp"
#include "profiling/constants_file.hpp"
#include "profiling/measure_constants.hpp"
#include "reports/calibration_report.hpp"
#include "reports/constants_report.hpp"

namespace perfmodel::app {
namespace {

struct CalibrateOptions {
  DataOptions data;
  OutputOptions output;
  std::string save;
  std::string only = ".*";
  int gpu = 0;
  bool list = false;
};

/// --out costs.yaml means the same as --save costs.yaml, as does any ending that only a file which
/// is read back can have.
void save_instead_of_out(CalibrateOptions& options, std::string_view ending) {
  if (options.save.empty() && options.output.format.empty() &&
      std::filesystem::path(options.output.out).extension() == ending) {
    std::swap(options.save, options.output.out);
  }
}

bool is_yaml(const std::string& file) { return std::filesystem::path(file).extension() == ".yaml"; }

/// Whether the prices of loads are asked for rather than the device's constants: always for a
/// recording, and for a live device where an option has to do with prices.
bool wants_prices(const CalibrateOptions& options) {
  const DataOptions& data = options.data;
  return data.device != "auto" || !data.models.empty() || !data.references.empty() ||
         !data.clock.empty() || !data.recording.empty() || data.rounded_to_decimals ||
         is_yaml(options.save) || is_yaml(options.output.out);
}

void list_microbenchmarks(const CalibrateOptions& options) {
  std::vector<reports::ListedMicrobenchmark> rows;
  for (const kernels::Microbenchmark* one : kernels::matching_microbenchmarks(options.only)) {
    rows.push_back({one->name, one->unit, one->proves});
  }
  write_report(reports::microbenchmark_list(rows), options.output);
}

void measure_device(CalibrateOptions options, const GlobalOptions& global) {
  save_instead_of_out(options, ".json");
  const std::vector<const kernels::Microbenchmark*> benchmarks =
      kernels::matching_microbenchmarks(options.only);
  FoundDevice found = find_live_device(options.gpu, spec::Catalog(find_specs(global.specs)));
  HardwareConstants planned;
  planned.device = found.device.name;
  planned.memory_clock_hz = found.live.attributes.memory_clock_hz;
  planned.attributes = found.live.attributes;
  planned.environment = std::move(found.environment);
  const std::unique_ptr<profiling::MicrobenchRunner> runner =
      profiling::open_microbench_runner(found.live, found.device);
  HardwareConstants constants;
  {
    Progress progress(benchmarks.size(), standard_error_terminal());
    constants =
        profiling::measure_constants(*runner, benchmarks, found.device, std::move(planned),
                                     [&](std::size_t done, std::size_t, const std::string& name) {
                                       progress.update(done, name);
                                     });
  }
  const std::string text = profiling::format_constants(constants);
  if (!options.save.empty()) {
    spec::write_file(options.save, text);
  }
  write_report(reports::constants_report(constants, nlohmann::ordered_json::parse(text)),
               options.output);
  print_warnings(throttling_warnings(constants));
  const std::vector<std::string> violations = limit_violations(constants);
  if (!violations.empty()) {
    throw Error(ErrorKind::wrong_result, join(violations, "; "));
  }
}

void price_loads(CalibrateOptions options, const GlobalOptions& global) {
  save_instead_of_out(options, ".yaml");
  options.data.live.gpus = {options.gpu};
  const Analysis analysis = run_analysis(options.data, "", global);
  if (!options.save.empty()) {
    std::vector<CostTable> tables;
    for (const ModelAnalysis& model : analysis.models) {
      if (model.costs) {
        tables.push_back(*model.costs);
      }
    }
    spec::write_file(options.save, spec::write_cost_tables(tables));
  }
  write_report(reports::calibration_report(analysis), options.output);
}

void run_calibrate(const CalibrateOptions& options, const GlobalOptions& global) {
  if (options.list) {
    list_microbenchmarks(options);
  } else if (wants_prices(options)) {
    price_loads(options, global);
  } else {
    measure_device(options, global);
  }
}

}  // namespace

void add_calibrate(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command = app.add_subcommand(
      "calibrate",
      "solve the price of each load from reference kernels, or measure a device's constants");
  options->data.add_to(*command);
  command
      ->add_option("--save", options->save,
                   "also write the prices (.yaml, for --costs of analyze and audit) or, with "
                   "--device auto, the constants (.json)")
      ->type_name("FILE");
  command
      ->add_option("--only", options->only,
                   "with --device auto: micro-benchmarks by regular expression; default: all")
      ->type_name("REGEX");
  command->add_flag("--list", options->list, "list the micro-benchmarks; touches no GPU");
  command
      ->add_option("--gpu", options->gpu, "with --device auto: device by CUDA's number; default: 0")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  options->output.add_to(*command);
  command->footer(
      "With --device auto, micro-benchmarks measure what the hardware can do: rates, latencies "
      "and\n"
      "costs, each beside its physical limit and the datasheet. A value beyond its limit is an\n"
      "error. With a recorded device, or with --model, --references, --clock, --round-cycles or a\n"
      ".yaml file to save, the ladder's times (measured now for auto) give the price of each "
      "load.\n"
      "Examples:\n"
      "  perfmodel calibrate --device auto --save constants.json\n"
      "  perfmodel calibrate --device auto --only 'dram.*|l2.*'\n"
      "  perfmodel calibrate --list\n"
      "  perfmodel calibrate --device rtx4090\n"
      "  perfmodel calibrate --device rtx4090 --save costs.yaml\n"
      "  perfmodel analyze --device rtx4090 --costs costs.yaml\n"
      "  perfmodel calibrate --device rtx4090 --model load-count --references K2,K3,K3c,K4,K5");
  command->callback([options, &global] { run_calibrate(*options, global); });
}

}  // namespace perfmodel::app
