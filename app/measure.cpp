#include <fmt/format.h>

#include <memory>

#include "app/counter_options.hpp"
#include "app/live_options.hpp"
#include "app/measured_rows.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/error.hpp"
#include "reports/plan_report.hpp"

namespace perfmodel::app {
namespace {

struct MeasureOptions {
  LiveOptions live;
  CounterOptions counters;
  OutputOptions output;
  std::string kernels = ladder_pattern;
  std::vector<std::string> shapes;
  std::vector<std::string> matrices = {"stencil-A", "stencil-B"};
  std::string record;
  bool check_only = false;
  bool plan = false;
};

/// Several devices get a file each: ladder.json becomes ladder-gpu1.json.
std::filesystem::path record_file(const MeasureOptions& options, int gpu) {
  std::filesystem::path file = options.record;
  if (file.empty() || options.live.gpus.size() == 1) {
    return file;
  }
  return file.parent_path() /
         fmt::format("{}-gpu{}{}", file.stem().string(), gpu, file.extension().string());
}

void print_plan(const MeasureOptions& options, const std::vector<profiling::ProblemTasks>& tasks) {
  std::vector<reports::PlannedRow> rows;
  for (const profiling::ProblemTasks& task : tasks) {
    for (const kernels::Kernel* kernel : task.kernels) {
      const kernels::Plan plan = kernel->plan(task.problem->shape(), {});
      reports::PlannedRow row;
      row.kernel = kernel->name;
      row.problem = task.label;
      row.device_bytes = plan.device_bytes;
      row.skip_reason = plan.skip_reason;
      row.library = plan.library;
      for (const kernels::Launch& launch : plan.launches) {
        row.launches.push_back({launch.grid, launch.block, launch.dynamic_shared_bytes});
      }
      rows.push_back(std::move(row));
    }
  }
  write_report(reports::plan_report(rows), options.output);
}

void run_measure(const MeasureOptions& options, const GlobalOptions& global) {
  spec::Catalog catalog(find_specs(global.specs));
  if (options.plan) {
    print_plan(options, find_tasks(options.kernels, options.shapes, options.matrices, catalog));
    return;
  }
  if (options.check_only && options.counters.wanted()) {
    fail("--check-only takes no counters; leave out one of the two");
  }
  const auto tasks = [&] {
    return find_tasks(options.kernels, options.shapes, options.matrices, catalog);
  };
  std::vector<profiling::CampaignResult> results;
  for (const int gpu : options.live.gpus) {
    LiveSession session = open_session(gpu, options.live.settings(), catalog);
    const std::filesystem::path file = record_file(options, gpu);
    if (options.counters.only()) {
      profiling::set_clock(session.planned);
      results.emplace_back().recording = session.planned;
    } else {
      results.push_back(run_with_progress(session, tasks(), file, options.check_only));
    }
    if (options.counters.wanted()) {
      count_with_progress(session, tasks(), results.back().recording, file, options.counters,
                          catalog);
    }
    const profiling::CampaignResult& result = results.back();
    if (result.resumed > 0) {
      fmt::print(stderr, "perfmodel: continued an interrupted run, {} kernels were done\n",
                 result.resumed);
    }
    if (options.check_only) {
      write_stdout(fmt::format("GPU {}: {} results checked, {} wrong, {} skipped, {} empty\n", gpu,
                               result.checked, result.wrong.size(),
                               result.recording.skipped.size() - result.wrong.size(),
                               result.empty.size()));
      continue;
    }
    const std::vector<reports::MeasuredRow> rows = measured_rows(result.recording, catalog);
    write_report(reports::measure_report(result.recording, rows, result.empty), options.output);
    print_warnings(profiling::quality_warnings(result.recording));
  }
  require_trustworthy(results, options.live.strict);
}

}  // namespace

void add_measure(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<MeasureOptions>();
  CLI::App* command = app.add_subcommand("measure", "run, verify and time kernels on a GPU");
  command
      ->add_option("-k,--kernels", options->kernels,
                   "kernels by regular expression; default: the ladder, K[0-6]c?")
      ->type_name("REGEX");
  command
      ->add_option("--shape", options->shapes,
                   "shapes in the kernels' order of extents, such as 4096x4096x4096,1024x1024x1024")
      ->delimiter(',')
      ->type_name("SHAPE,...");
  command
      ->add_option("--matrix", options->matrices,
                   "what sparse kernels run on: stencil-A, stencil-B or .mtx files")
      ->delimiter(',')
      ->type_name("MATRIX,...");
  command
      ->add_option("--record", options->record,
                   "keep raw samples in this recording (.json); goes on with an interrupted one")
      ->type_name("FILE");
  CLI::Option* plan = command->add_flag(
      "--plan", options->plan, "print grid, block and memory of each kernel; touches no GPU");
  command->add_flag("--check-only", options->check_only, "verify the results, take no times")
      ->excludes(plan);
  options->live.add_to(*command);
  options->counters.add_to(*command);
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel measure --plan\n"
      "  perfmodel measure --record ladder.json\n"
      "  perfmodel measure --kernels 'K[46]' --shape 1024x1024x1024,4097x4097x4100\n"
      "  perfmodel measure --kernels 'spmv-.*' --matrix stencil-A,my.mtx --strict\n"
      "  perfmodel measure --kernels K3 --counters auto --metrics shared,l1 --record k3.json\n"
      "  perfmodel measure --kernels K3 --counters only --metrics smsp__inst_executed.sum\n"
      "  perfmodel measure --check-only --shape 129x127x65 --gpu 0,1");
  command->callback([options, &global] { run_measure(*options, global); });
}

}  // namespace perfmodel::app
