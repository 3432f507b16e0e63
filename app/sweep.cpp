#include <memory>

#include "app/live_options.hpp"
#include "app/measured_rows.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "kernels/sgemm/kernels.hpp"
#include "reports/measure_report.hpp"

namespace perfmodel::app {
namespace {

struct SweepOptions {
  LiveOptions live;
  OutputOptions output;
  std::string shape = "4096x4096x4096";
  std::string record;
};

void run_sweep(const SweepOptions& options, const GlobalOptions& global) {
  spec::Catalog catalog(find_specs(global.specs));
  const std::vector<std::string> dimensions = {"m", "n", "k"};
  const Shape product = Shape::parse(options.shape, dimensions);
  std::vector<std::string> shapes;
  for (const Shape& shape :
       kernels::sweep_shapes(product.extent("m"), product.extent("n"), product.extent("k"))) {
    shapes.push_back(shape.to_string());
  }
  LiveSession session = open_session(options.live.gpus.front(), options.live.settings(), catalog);
  const profiling::CampaignResult result =
      run_with_progress(session, find_tasks("sweep", shapes, {}, catalog), options.record, false);
  write_report(reports::sweep_report(result.recording, measured_rows(result.recording, catalog)),
               options.output);
  print_warnings(profiling::quality_warnings(result.recording));
  require_trustworthy({&result, 1}, options.live.strict);
}

}  // namespace

void add_sweep(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command =
      app.add_subcommand("sweep", "the 27 points of a GEMM design space on a GPU, ranked");
  command->add_option("--shape", options->shape, "MxNxK; default: 4096x4096x4096")
      ->type_name("SHAPE");
  command->add_option("--record", options->record, "keep raw samples in this recording (.json)")
      ->type_name("FILE");
  options->live.add_to(*command);
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel sweep\n"
      "  perfmodel sweep --shape 2048x2048x2048 --out sweep.csv");
  command->callback([options, &global] { run_sweep(*options, global); });
}

}  // namespace perfmodel::app
