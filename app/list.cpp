#include <fmt/format.h>

#include <memory>

#include "app/commands.hpp"
#include "app/counter_options.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/error.hpp"
#include "model/spec/catalog.hpp"
#include "model/text.hpp"
#include "profiling/counters/counters.hpp"
#include "profiling/recording_file.hpp"
#include "reports/list_report.hpp"

namespace perfmodel::app {
namespace {

struct ListOptions {
  OutputOptions output;
  std::string what;
  std::string device;
  std::string match;
  bool all = false;
};

/// The metrics of the catalogue, or with `--all` every one of the chip. What the chip has is found
/// out without a GPU, by the installed CUPTI.
reports::Report metrics_of(const ListOptions& options, const spec::Catalog& catalog) {
  if (options.device.empty()) {
    if (options.all) {
      fail("--all lists the metrics of one chip; name its device with --device");
    }
    return reports::metric_list(catalog.metric_sets(), nullptr);
  }
  const Device device = catalog.device(options.device);
  if (device.chip.empty()) {
    throw Error(
        ErrorKind::unavailable,
        fmt::format("the specification of {} does not name its chip; add a key 'chip', such "
                    "as {}",
                    device.name, join(profiling::known_chips())));
  }
  reports::ChipMetrics chip{device.chip, profiling::chip_metrics(device.chip), {}, 0};
  if (options.all) {
    return reports::chip_metric_list(chip, options.match);
  }
  const profiling::MetricConfiguration configuration =
      profiling::configure_metrics(device.chip, find_metrics({}, catalog.metric_sets()));
  chip.available = configuration.metrics;
  chip.passes = configuration.passes;
  return reports::metric_list(catalog.metric_sets(), &chip);
}

reports::Report list_of(const ListOptions& options, const GlobalOptions& global) {
  const std::string& what = options.what;
  if (what != "metrics" && (!options.device.empty() || options.all || !options.match.empty())) {
    fail("--device, --all and --match belong to 'perfmodel list metrics'");
  }
  if (what == "models") {
    return reports::model_list(cost_models());
  }
  spec::Catalog catalog(find_specs(global.specs));
  if (what == "metrics") {
    return metrics_of(options, catalog);
  }
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
  CLI::App* command =
      app.add_subcommand("list", "devices, kernels, recordings, models or hardware metrics known");
  command->add_option("what", options->what, "devices, kernels, recordings, models or metrics")
      ->required()
      ->check(CLI::IsMember({"devices", "kernels", "recordings", "models", "metrics"}))
      ->type_name("WHAT");
  command
      ->add_option("-d,--device", options->device,
                   "of metrics: those of this device's chip; needs CUPTI, but no GPU")
      ->type_name("NAME");
  command->add_flag("--all", options->all, "of metrics: every one of the chip");
  command
      ->add_option("--match", options->match, "with --all: names or descriptions that contain this")
      ->type_name("TEXT");
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel list devices\n"
      "  perfmodel list kernels --format csv\n"
      "  perfmodel list metrics\n"
      "  perfmodel list metrics --device h200 --all --match bank_conflicts");
  command->callback(
      [options, &global] { write_report(list_of(*options, global), options->output); });
}

}  // namespace perfmodel::app
