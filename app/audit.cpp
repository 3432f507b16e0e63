#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/analysis_options.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/error.hpp"
#include "model/spec/catalog.hpp"
#include "model/text.hpp"
#include "reports/audit_report.hpp"

namespace perfmodel::app {
namespace {

struct AuditOptions {
  DataOptions data;
  OutputOptions output;
  std::string kernel;
  std::string shape;
};

void run_audit(const AuditOptions& options, const GlobalOptions& global) {
  // A mistyped kernel is told apart from one that was not measured.
  spec::Catalog catalog(find_specs(global.specs));
  const std::string& name = catalog.kernel(options.kernel).name;

  const Analysis analysis = run_analysis(options.data, options.shape, global);
  std::vector<std::string> measured;
  for (const KernelAnalysis& kernel : analysis.kernels) {
    if (kernel.name == name) {
      write_report(reports::audit_report(analysis, kernel), options.output);
      return;
    }
    measured.push_back(kernel.name);
  }
  throw Error(
      ErrorKind::unavailable,
      fmt::format("recording {} has no time of {} at this shape; it has {}", analysis.recording,
                  name, measured.empty() ? "no kernel of the catalogue" : join(measured)));
}

}  // namespace

void add_audit(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<AuditOptions>();
  CLI::App* command = app.add_subcommand(
      "audit", "one kernel: bandwidth-bound or instruction-bound, with the evidence line by line");
  command->add_option("kernel", options->kernel, "kernel by name (see 'perfmodel list kernels')")
      ->required()
      ->type_name("KERNEL");
  options->data.add_to(*command);
  options->data.add_costs_to(*command);
  command
      ->add_option("--shape", options->shape,
                   "a measured shape such as 4096x4096x4096; default: the calibration's")
      ->type_name("SHAPE");
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel audit K5 --device rtx4090\n"
      "  perfmodel audit K1 --device rtx4090 --shape 4097x4097x4097\n"
      "  perfmodel audit K6 --device rtx4090 --format json");
  command->callback([options, &global] { run_audit(*options, global); });
}

}  // namespace perfmodel::app
