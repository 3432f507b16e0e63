#include <memory>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/spec/catalog.hpp"
#include "reports/ledger_report.hpp"

namespace perfmodel::app {
namespace {

struct LedgerOptions {
  OutputOptions output;
  std::string kernel;
  std::string shape;
};

void run_ledger(const LedgerOptions& options, const GlobalOptions& global) {
  spec::Catalog catalog(find_specs(global.specs));
  const KernelSpec& kernel = catalog.kernel(options.kernel);
  const Shape shape =
      options.shape.empty() ? kernel.default_shape : Shape::parse(options.shape, kernel.dimensions);
  const SourceLedger ledger = evaluate_source_ledger(kernel, shape);
  write_report(reports::ledger_report(kernel, shape, ledger), options.output);
}

}  // namespace

void add_ledger(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<LedgerOptions>();
  CLI::App* command =
      app.add_subcommand("ledger", "loads per FMA and bytes per output of a kernel");
  command
      ->add_option("kernel", options->kernel,
                   "kernel by name (see 'perfmodel list kernels') or a .yaml file")
      ->required()
      ->type_name("KERNEL");
  command
      ->add_option("--shape", options->shape,
                   "extents in the kernel's order, MxNxK, or by name: m=64,n=64,k=32")
      ->type_name("SHAPE");
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel ledger K3\n"
      "  perfmodel ledger K5 --shape 1000x1000x1000\n"
      "  perfmodel ledger spmv-csr --shape rows=1048576,nnz=9424900\n"
      "  perfmodel ledger ./my-kernel.yaml --format json");
  command->callback([options, &global] { run_ledger(*options, global); });
}

}  // namespace perfmodel::app
