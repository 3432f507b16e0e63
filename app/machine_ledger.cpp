#include "app/machine_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "app/loaded_launch.hpp"
#include "app/progress.hpp"
#include "app/specs_folder.hpp"
#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "kernels/spmv/matrix.hpp"
#include "kernels/spmv/problem.hpp"
#include "model/error.hpp"
#include "model/occupancy.hpp"
#include "model/sass/compare_ledgers.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/footprint.hpp"
#include "model/sass/listing_file.hpp"
#include "model/sass/load.hpp"
#include "model/spec/catalog.hpp"
#include "model/text.hpp"
#include "reports/list_report.hpp"
#include "reports/machine_ledger_report.hpp"

namespace perfmodel::app {
namespace {

void save_listing(const MachineOptions& options, const std::vector<sass::Module>& modules) {
  if (!options.save_listing.empty()) {
    sass::write_listing_file(options.save_listing, modules);
    fmt::print(stderr, "perfmodel: stored the machine code in {}\n", options.save_listing);
  }
}

sass::MachineLedger count_with_progress(const sass::Module& module, const sass::Function& function,
                                        const sass::Launch& launch, const MachineOptions& options) {
  std::mutex mutex;
  std::optional<Progress> progress;
  sass::EmulationOptions emulation = options.emulation();
  const std::string label = sass::short_name(function.name);
  emulation.progress = [&](std::uint64_t done, std::uint64_t total) {
    const std::scoped_lock lock(mutex);
    if (!progress) {
      progress.emplace(total, standard_error_terminal());
    }
    progress->update(done, "blocks of " + label);
  };
  return sass::count_launch(module, function, launch, emulation);
}

/// Nothing unless --unique-bytes asks for it.
std::optional<reports::UniqueBytesView> unique_bytes(const sass::Module& module,
                                                     const sass::Function& function,
                                                     const sass::Launch& launch,
                                                     const MachineOptions& options,
                                                     const std::string& specs) {
  if (!options.unique_bytes) {
    return std::nullopt;
  }
  const std::optional<Device> device =
      device_for_code(spec::Catalog(find_specs(specs)), options.device, module.sm);
  sass::LaunchFootprint footprint(module, function, launch, options.emulation());
  reports::UniqueBytesView view;
  view.block = footprint.of_range(launch.blocks() / 2, 1);
  if (device) {
    const std::int64_t blocks_per_sm = resident_blocks_per_sm(
        *device, {launch.threads_per_block(), function.registers,
                  std::int64_t{sass::own_static_shared_bytes(module.sm, function)} +
                      launch.dynamic_shared_bytes});
    const auto blocks = static_cast<std::uint64_t>(blocks_per_sm * device->sm_count.value);
    view.wave = {device->name, device->sm_count.value, blocks_per_sm,
                 footprint.of_range(0, blocks)};
  }
  view.launch = footprint.of_range(0, launch.blocks());
  return view;
}

/// What a reader of the totals alone would miss.
void warn_of_doubts(const sass::MachineLedger& ledger) {
  std::vector<std::string> warnings;
  if (!ledger.defects.empty()) {
    warnings.push_back(fmt::format("{} defect{} found while emulating, see the report",
                                   ledger.defects.size(), ledger.defects.size() == 1 ? "" : "s"));
  }
  if (ledger.results_affected) {
    warnings.emplace_back(
        "addresses or control flow depend on instructions that are not computed: counts may be "
        "wrong");
  }
  if (!ledger.unknown.empty()) {
    warnings.push_back(
        fmt::format("{} unknown opcodes were counted and skipped", ledger.unknown.size()));
  }
  print_warnings(warnings);
}

}  // namespace

CatalogueLedger count_catalogue_kernel(spec::Catalog& catalog, const std::string& kernel_name,
                                       const std::string& shape_text,
                                       const MachineOptions& options) {
  const KernelSpec& spec = catalog.kernel(kernel_name);
  if (!spec.ledger) {
    (void)evaluate_source_ledger(spec, spec.default_shape);  // says why there is none
  }
  const LoadedLaunch loaded = load_catalogue_launch(catalog, kernel_name, shape_text, options);
  const SourceLedger source = evaluate_source_ledger(spec, loaded.recorded_shape);
  save_listing(options, loaded.modules);
  sass::MachineLedger machine =
      count_with_progress(*loaded.module, *loaded.function, loaded.launch, options);
  std::optional<reports::UniqueBytesView> unique = unique_bytes(
      *loaded.module, *loaded.function, loaded.launch, options, catalog.root().string());
  sass::LedgerComparison comparison =
      sass::compare_ledgers(source, spec.ledger->element_bytes, machine);
  return {spec,
          loaded.recorded_shape,
          source,
          std::move(machine),
          std::move(comparison),
          std::move(unique),
          loaded.origin};
}

void run_catalogue_ledger(const std::string& kernel_name, const std::string& shape_text,
                          const MachineOptions& options, const OutputOptions& output,
                          const GlobalOptions& global) {
  spec::Catalog catalog(find_specs(global.specs));
  const CatalogueLedger counted = count_catalogue_kernel(catalog, kernel_name, shape_text, options);
  const reports::MachineLedgerSource both{counted.spec, counted.shape, counted.source,
                                          counted.comparison};
  reports::MachineLedgerView view;
  view.kernel = counted.spec.name;
  view.origin = counted.origin;
  view.source = &both;
  view.unique_bytes = counted.unique ? &*counted.unique : nullptr;
  view.annotate = options.annotate;
  write_report(reports::machine_ledger_report(counted.machine, view), output);
  warn_of_doubts(counted.machine);
}

CubinLedger count_cubin_kernel(const MachineOptions& options, const std::string& specs) {
  const LoadedLaunch loaded = load_cubin_launch(options);
  save_listing(options, loaded.modules);
  sass::MachineLedger machine =
      count_with_progress(*loaded.module, *loaded.function, loaded.launch, options);
  return {std::move(machine),
          unique_bytes(*loaded.module, *loaded.function, loaded.launch, options, specs),
          loaded.origin};
}

void run_cubin_ledger(const MachineOptions& options, const OutputOptions& output,
                      const GlobalOptions& global) {
  if (options.list) {
    const std::optional<std::string> arch =
        options.arch.empty() ? std::nullopt : std::optional(options.arch);
    write_report(
        reports::function_list(sass::list_kernels(options.cubin, sass::tool_places(), arch)),
        output);
    return;
  }
  if (!options.has_launch()) {
    save_listing(options, load_code(options.cubin, options.arch, options.function));
    return;
  }
  const CubinLedger counted = count_cubin_kernel(options, global.specs);
  reports::MachineLedgerView view;
  view.unique_bytes = counted.unique ? &*counted.unique : nullptr;
  view.origin = counted.origin;
  view.annotate = options.annotate;
  write_report(reports::machine_ledger_report(counted.machine, view), output);
  warn_of_doubts(counted.machine);
}

}  // namespace perfmodel::app
