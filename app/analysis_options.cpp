#include "app/analysis_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/error.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/cost_table_file.hpp"
#include "model/text.hpp"
#include "profiling/recording_file.hpp"

namespace perfmodel::app {
void DataOptions::add_to(CLI::App& command) {
  command
      .add_option("-d,--device", device,
                  "device by name (see 'perfmodel list devices'), a .yaml file, or auto: measure "
                  "this machine's GPU now")
      ->type_name("NAME");
  command
      .add_option("-r,--recording", recording,
                  "recording of that device by name, or a .json file; default: its ladder")
      ->type_name("NAME");
  command
      .add_option("--clock", clock,
                  "clock basis of the device (such as measured), or a frequency such as "
                  "2.64GHz; default: the recording's")
      ->type_name("CLOCK");
  command.add_option("--model", models, "cost models; default: all")
      ->delimiter(',')
      ->type_name("NAME,...");
  command
      .add_option("--references", references,
                  "kernels to calibrate on; default: each model's own (K2,K3,K4)")
      ->delimiter(',')
      ->type_name("KERNEL,...");
  command
      .add_flag_function(
          "--round-cycles{2},--round-beats{2}",
          [this](std::int64_t decimals) { rounded_to_decimals = static_cast<int>(decimals); },
          "round cycles per warp-FMA before solving, to 2 decimals unless =N is given")
      ->check(CLI::Range(0, 12))
      ->type_name("");
}

void DataOptions::add_costs_to(CLI::App& command) {
  command.add_option("--costs", costs, "use prices that 'perfmodel calibrate' wrote")
      ->type_name("FILE")
      ->excludes(command.get_option("--references"))
      ->excludes(command.get_option("--model"));
}

std::filesystem::path find_recording(const spec::Catalog& catalog, const std::string& device,
                                     const std::string& name) {
  const std::vector<std::filesystem::path> files = catalog.recording_files(device);
  if (files.empty()) {
    throw Error(ErrorKind::unavailable,
                fmt::format("there is no recording of {}; recorded are {}; name your own with "
                            "--recording FILE",
                            device, join(catalog.recorded_devices())));
  }
  std::vector<std::string> names;
  for (const auto& file : files) {
    names.push_back(file.stem().string());
  }
  std::string wanted = name;
  if (name.empty()) {
    wanted = files.size() == 1 ? names.front() : "ladder";
  }
  const auto found = std::ranges::find(names, wanted);
  if (found == names.end()) {
    fail(name.empty() ? fmt::format("{} has several recordings; choose one with --recording: {}",
                                    device, join(names))
                      : fmt::format("{} has no recording '{}'{}; it has {}", device,
                                    printable(name), did_you_mean(name, names), join(names)));
  }
  return files[static_cast<std::size_t>(found - names.begin())];
}

Analysis run_analysis(const DataOptions& options, const std::string& shape,
                      const GlobalOptions& global) {
  spec::Catalog catalog(find_specs(global.specs));
  const bool from_file = spec::is_path(options.recording, ".json");
  if (options.device.empty() && !from_file) {
    fail(fmt::format("name a device with --device; there are {}", join(catalog.device_names())));
  }
  Device device;
  Recording recording;
  if (options.device == "auto") {
    if (!options.recording.empty()) {
      fail("--device auto measures now; leave --recording out, or name its device");
    }
    LiveSession session = open_session(options.live.gpus.front(), options.live.settings(), catalog);
    const profiling::CampaignResult result = run_with_progress(
        session, find_tasks(ladder_pattern, {ladder_shape}, {}, catalog), "", false);
    require_trustworthy({&result, 1}, options.live.strict);
    device = std::move(session.device);
    recording = result.recording;
  } else if (from_file) {
    recording = profiling::read_recording(options.recording);
    device = catalog.device(options.device.empty() ? recording.device : options.device);
  } else {
    device = catalog.device(options.device);
    recording = profiling::read_recording(find_recording(catalog, device.name, options.recording));
  }

  AnalysisOptions analysis_options;
  analysis_options.models = options.models;
  analysis_options.references = options.references;
  analysis_options.clock = options.clock;
  analysis_options.shape = shape;
  analysis_options.rounded_to_decimals = options.rounded_to_decimals;
  if (!options.costs.empty()) {
    analysis_options.costs = spec::read_cost_tables(options.costs);
  }
  Analysis analysis = analyze(
      device, recording,
      [&](const std::string& name) -> const KernelSpec& { return catalog.kernel(name); },
      analysis_options);
  const std::vector<std::string> quality = profiling::quality_warnings(recording);
  analysis.warnings.insert(analysis.warnings.begin(), quality.begin(), quality.end());
  print_warnings(analysis.warnings);
  return analysis;
}

}  // namespace perfmodel::app
