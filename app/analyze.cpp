#include <memory>

#include "app/analysis_options.hpp"
#include "app/output.hpp"
#include "app/performance_report.hpp"
#include "app/specs_folder.hpp"
#include "reports/analysis_report.hpp"

namespace perfmodel::app {
namespace {

struct AnalyzeOptions {
  DataOptions data;
  OutputOptions output;
  std::string shape;
};

void run_analyze(const AnalyzeOptions& options, const GlobalOptions& global) {
  const Analysis analysis = run_analysis(options.data, options.shape, global);
  if (!is_page(options.output)) {
    write_report(reports::analysis_report(analysis), options.output);
    return;
  }
  spec::Catalog catalog(find_specs(global.specs));
  write_page(report_of_analysis(analysis, catalog), options.output);
}

}  // namespace

void add_analyze(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* command = app.add_subcommand(
      "analyze", "every kernel of a recording: ledgers, roofline, predictions, verdicts");
  options->data.add_to(*command);
  options->data.add_costs_to(*command);
  command
      ->add_option("--shape", options->shape,
                   "a measured shape such as 4096x4096x4096, or all; default: the calibration's")
      ->type_name("SHAPE");
  options->output.add_to(*command, {"html", "svg"});
  options->data.live.add_to(*command);
  command->footer(
      "The options from --gpu to --strict belong to --device auto.\n"
      "Examples:\n"
      "  perfmodel analyze --device rtx4090\n"
      "  perfmodel analyze --device rtx4090 --clock measured --format json\n"
      "  perfmodel analyze --device h200 --out ./my-report.html   # one page\n"
      "  perfmodel analyze --device rtx4090 --references K2,K3,K4,K5 --out report.md\n"
      "  perfmodel analyze --device rtx4090 --round-cycles   # as the published table was made\n"
      "  perfmodel analyze --device auto    # measure on this machine's GPU, then analyse");
  command->callback([options, &global] { run_analyze(*options, global); });
}

}  // namespace perfmodel::app
