#include <fmt/format.h>

#include <memory>

#include "app/live_options.hpp"
#include "app/measured_rows.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "reports/measure_report.hpp"

namespace perfmodel::app {
namespace {

struct StudyOptions {
  LiveOptions live;
  OutputOptions output;
  std::int64_t largest = 4096;
  std::string record;
};

void run_study(const StudyOptions& options, const GlobalOptions& global) {
  spec::Catalog catalog(find_specs(global.specs));
  constexpr std::int64_t smallest = 128;
  std::vector<std::string> shapes;
  for (std::int64_t size = smallest; size <= options.largest; size *= 2) {
    shapes.push_back(fmt::format("{0}x{0}x{0}", size));
  }
  LiveSession session = open_session(options.live.gpus.front(), options.live.settings(), catalog);
  const profiling::CampaignResult result = run_with_progress(
      session, find_tasks("naive|tiled16", shapes, {}, catalog), options.record, false);
  write_report(reports::study_report(result.recording, measured_rows(result.recording, catalog)),
               options.output);
  print_warnings(profiling::quality_warnings(result.recording));
  require_trustworthy({&result, 1}, options.live.strict);
}

}  // namespace

void add_study(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<StudyOptions>();
  CLI::App* command =
      app.add_subcommand("study", "how a naive and a tiled GEMM scale with size on a GPU");
  command->add_option("--max-n", options->largest, "largest size, doubling from 128; default: 4096")
      ->check(CLI::Range(128, 65536))
      ->type_name("N");
  command->add_option("--record", options->record, "keep raw samples in this recording (.json)")
      ->type_name("FILE");
  options->live.add_to(*command);
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel study\n"
      "  perfmodel study --max-n 2048 --format csv");
  command->callback([options, &global] { run_study(*options, global); });
}

}  // namespace perfmodel::app
