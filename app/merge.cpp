#include "profiling/merge.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "model/error.hpp"
#include "model/text.hpp"
#include "profiling/recording_file.hpp"

namespace perfmodel::app {
namespace {

struct MergeCommand {
  std::string out;
  std::vector<std::string> parts;
};

void run_merge(const MergeCommand& command) {
  // With OUT forgotten, the first part stands in its place and would be lost.
  if (std::filesystem::exists(command.out)) {
    fail(fmt::format("{}: exists already; name a new file first, then the recordings to merge",
                     printable(command.out)));
  }
  std::vector<Recording> parts;
  for (const std::string& file : command.parts) {
    parts.push_back(profiling::read_recording(file));
    // Parts from several folders may have one name, so conflicts tell them apart by their paths.
    parts.back().name = printable(file);
  }
  const profiling::Merged merged = profiling::merge_recordings(parts);
  profiling::write_recording(command.out, merged.recording);
  print_warnings(merged.warnings);
  write_stdout(fmt::format("{}: {} kernels measured, {} skipped, from {} recordings\n",
                           printable(command.out), merged.recording.entries.size(),
                           merged.recording.skipped.size(), parts.size()));
}

}  // namespace

void add_merge(CLI::App& app) {
  auto options = std::make_shared<MergeCommand>();
  CLI::App* command =
      app.add_subcommand("merge", "join recordings that several GPUs or nodes measured");
  command->add_option("out", options->out, "write the whole to this new file (.json)")
      ->required()
      ->type_name("OUT");
  command->add_option("recordings", options->parts, "recordings to join (.json)")
      ->required()
      ->type_name("FILE");
  command->footer(
      "The parts must be of the same code, settings, driver and model of GPU, and measure no "
      "kernel\n"
      "at a shape twice. Interrupted parts are taken as far as they came.\n"
      "Examples:\n"
      "  perfmodel measure --gpu 0 --kernels 'K[0-3]c?' --record part-0.json &\n"
      "  perfmodel measure --gpu 1 --kernels 'K[4-6]' --record part-1.json; wait\n"
      "  perfmodel merge my-ladder.json part-0.json part-1.json");
  command->callback([options] { run_merge(*options); });
}

}  // namespace perfmodel::app
