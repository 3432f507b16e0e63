#include <memory>

#include "app/commands.hpp"
#include "app/machine_ledger.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/spec/catalog.hpp"
#include "reports/ledger_report.hpp"

namespace perfmodel::app {
namespace {

struct LedgerOptions {
  OutputOptions output;
  MachineOptions machine;
  std::string kernel;
  std::string shape;
};

void run_source_ledger(const LedgerOptions& options, const GlobalOptions& global) {
  spec::Catalog catalog(find_specs(global.specs));
  const KernelSpec& kernel = catalog.kernel(options.kernel);
  const Shape shape =
      options.shape.empty() ? kernel.default_shape : Shape::parse(options.shape, kernel.dimensions);
  const SourceLedger ledger = evaluate_source_ledger(kernel, shape);
  write_report(reports::ledger_report(kernel, shape, ledger), options.output);
}

void run_ledger(const LedgerOptions& options, const GlobalOptions& global) {
  options.machine.check(options.kernel, options.shape);
  if (!options.machine.wanted()) {
    run_source_ledger(options, global);
  } else if (options.kernel.empty()) {
    run_cubin_ledger(options.machine, options.output, global);
  } else {
    run_catalogue_ledger(options.kernel, options.shape, options.machine, options.output, global);
  }
}

}  // namespace

void add_ledger(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<LedgerOptions>();
  CLI::App* command = app.add_subcommand(
      "ledger", "loads per FMA of a kernel, in its source and counted from its machine code");
  command
      ->add_option("kernel", options->kernel,
                   "kernel by name (see 'perfmodel list kernels') or a .yaml file")
      ->type_name("KERNEL");
  command
      ->add_option("--shape", options->shape,
                   "extents in the kernel's order, MxNxK, or by name: m=64,n=64,k=32")
      ->type_name("SHAPE");
  options->output.add_to(*command);
  options->machine.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel ledger K3\n"
      "  perfmodel ledger K5 --shape 1000x1000x1000\n"
      "  perfmodel ledger spmv-csr --shape rows=1048576,nnz=9424900\n"
      "  perfmodel ledger ./my-kernel.yaml --format json\n"
      "  perfmodel ledger K3 --arch sm_90\n"
      "  perfmodel ledger K6 --arch sm_89 --shape 512x512x512 --annotate\n"
      "  perfmodel ledger K6 --arch sm_90 --unique-bytes --device h200\n"
      "  perfmodel ledger spmv-csr --arch sm_90 --matrix stencil-A:64\n"
      "  perfmodel ledger --cubin ./my.cubin --list\n"
      "  perfmodel ledger --cubin ./my.cubin --kernel saxpy --launch ./my-launch.yaml\n"
      "  perfmodel ledger --cubin ./my.cubin --kernel saxpy --grid 32 --block 256 \\\n"
      "    --arg buffer:32768:random_f32 --arg buffer:32768:zeros --arg f32:0.5 --arg i32:8192");
  command->callback([options, &global] { run_ledger(*options, global); });
}

}  // namespace perfmodel::app
