#include <memory>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/spec/catalog.hpp"
#include "profiling/recording_file.hpp"
#include "reports/list_report.hpp"

namespace perfmodel::app {
namespace {

struct ListOptions {
  OutputOptions output;
  std::string what;
};

reports::Report list_of(const std::string& what, const GlobalOptions& global) {
  if (what == "models") {
    return reports::model_list(cost_models());
  }
  spec::Catalog catalog(find_specs(global.specs));
  if (what == "devices") {
    std::vector<Device> devices;
    for (const std::string& name : catalog.device_names()) {
      devices.push_back(catalog.device(name));
    }
    return reports::device_list(devices);
  }
  if (what == "kernels") {
    std::vector<KernelSpec> kernels;
    for (const std::string& name : catalog.kernel_names()) {
      kernels.push_back(catalog.kernel(name));
    }
    return reports::kernel_list(kernels);
  }
  std::vector<Recording> recordings;
  for (const std::string& device : catalog.recorded_devices()) {
    for (const auto& file : catalog.recording_files(device)) {
      recordings.push_back(profiling::read_recording(file));
    }
  }
  return reports::recording_list(recordings);
}

}  // namespace

void add_list(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "devices, kernels, recordings or models known");
  command->add_option("what", options->what, "devices, kernels, recordings or models")
      ->required()
      ->check(CLI::IsMember({"devices", "kernels", "recordings", "models"}))
      ->type_name("WHAT");
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel list devices\n"
      "  perfmodel list kernels --format csv");
  command->callback(
      [options, &global] { write_report(list_of(options->what, global), options->output); });
}

}  // namespace perfmodel::app
