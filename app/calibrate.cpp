#include <filesystem>
#include <memory>
#include <utility>

#include "app/analysis_options.hpp"
#include "app/output.hpp"
#include "model/spec/cost_table_file.hpp"
#include "model/spec/write_file.hpp"
#include "reports/calibration_report.hpp"

namespace perfmodel::app {
namespace {

struct CalibrateOptions {
  DataOptions data;
  OutputOptions output;
  std::string save;
};

void run_calibrate(CalibrateOptions options, const GlobalOptions& global) {
  // --out costs.yaml means the same as --save costs.yaml.
  if (options.save.empty() && options.output.format.empty() &&
      std::filesystem::path(options.output.out).extension() == ".yaml") {
    std::swap(options.save, options.output.out);
  }
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

}  // namespace

void add_calibrate(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command =
      app.add_subcommand("calibrate", "solve the price of each load from reference kernels");
  options->data.add_to(*command);
  command
      ->add_option("--save", options->save,
                   "also write the prices as YAML, for --costs of analyze and audit")
      ->type_name("FILE");
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel calibrate --device rtx4090\n"
      "  perfmodel calibrate --device rtx4090 --save costs.yaml\n"
      "  perfmodel analyze --device rtx4090 --costs costs.yaml\n"
      "  perfmodel calibrate --device rtx4090 --model load-count --references K2,K3,K3c,K4,K5");
  command->callback([options, &global] { run_calibrate(*options, global); });
}

}  // namespace perfmodel::app
