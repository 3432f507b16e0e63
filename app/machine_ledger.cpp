#include "app/machine_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

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

/// specs/listings/ARCH.json.gz; throws Error with the architectures that there are.
std::filesystem::path stored_listing(const std::filesystem::path& specs, const std::string& arch) {
  constexpr std::string_view ending = ".json.gz";
  std::vector<std::string> known;
  std::error_code status;
  for (const auto& entry : std::filesystem::directory_iterator(specs / "listings", status)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) {
      known.push_back(name.substr(0, name.size() - ending.size()));
    }
  }
  std::ranges::sort(known);
  const std::string wanted = arch.starts_with("sm_") ? arch : "sm_" + arch;
  if (std::ranges::find(known, wanted) == known.end()) {
    fail(fmt::format("there is no stored machine code for '{}'{}; there is {}", printable(arch),
                     did_you_mean(wanted, known), known.empty() ? "none" : join(known)));
  }
  return specs / "listings" / (wanted + std::string(ending));
}

/// Modules that hold the kernel; `kernel` empty: all of the file.
std::vector<sass::Module> load_code(const std::filesystem::path& file, const std::string& arch,
                                    const std::string& kernel) {
  sass::LoadOptions options;
  if (!arch.empty()) {
    options.arch = arch;
  }
  if (!kernel.empty()) {
    options.kernel = kernel;
  }
  return sass::load_modules(file, options);
}

void save_listing(const MachineOptions& options, const std::vector<sass::Module>& modules) {
  if (!options.save_listing.empty()) {
    sass::write_listing_file(options.save_listing, modules);
    fmt::print(stderr, "perfmodel: stored the machine code in {}\n", options.save_listing);
  }
}

const sass::Module& only_module(const std::vector<sass::Module>& modules, const std::string& file) {
  std::vector<std::string> archs;
  for (const sass::Module& module : modules) {
    archs.push_back(module.arch);
  }
  if (archs.size() == 1) {
    return modules.front();
  }
  std::ranges::sort(archs);
  if (std::ranges::adjacent_find(archs) != archs.end()) {
    fail(
        fmt::format("{} has several kernels of that name for one architecture: {}; name it in "
                    "full with --kernel",
                    printable(file, 400), join(archs)));
  }
  fail(fmt::format("{} has the kernel for several architectures; choose one with --arch: {}",
                   printable(file, 400), join(archs)));
}

/// The only kernel of a file where none is named.
std::string only_kernel(const MachineOptions& options) {
  std::vector<std::string> names;
  for (const sass::KernelSummary& summary : sass::list_kernels(options.cubin)) {
    if (std::ranges::find(names, summary.name) == names.end()) {
      names.push_back(summary.name);
    }
  }
  if (names.size() != 1) {
    for (std::string& name : names) {
      name = printable(sass::short_name(name));
    }
    constexpr std::size_t most_shown = 10;
    const std::size_t shown = std::min(names.size(), most_shown);
    fail(fmt::format("name the kernel with --kernel: {} has {}{}", printable(options.cubin, 400),
                     join(std::span(names).first(shown)),
                     shown < names.size()
                         ? fmt::format(" and {} more (see --list)", names.size() - shown)
                         : ""));
  }
  return names.front();
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

/// The device that --device names, or the first one of the code's architecture, where there is one.
std::optional<Device> wave_device(const spec::Catalog& catalog, const std::string& wanted, int sm) {
  constexpr int generation = 10;
  if (!wanted.empty()) {
    Device device = catalog.device(wanted);
    const int own = compute_capability(device.architecture);
    if (own / generation != sm / generation || own < sm) {
      fail(
          fmt::format("--device {} is {} and does not run code for sm_{}; choose another with "
                      "--device (see 'perfmodel list devices') or other code with --arch",
                      printable(device.name), printable(device.architecture), sm));
    }
    return device;
  }
  for (const std::string& name : catalog.device_names()) {
    Device device = catalog.device(name);
    if (compute_capability(device.architecture) == sm) {
      return device;
    }
  }
  return std::nullopt;
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
      wave_device(spec::Catalog(find_specs(specs)), options.device, module.sm);
  sass::LaunchFootprint footprint(module, function, launch, options.emulation());
  reports::UniqueBytesView view;
  view.block = footprint.of_range(launch.blocks() / 2, 1);
  if (device) {
    const std::int64_t blocks_per_sm = resident_blocks_per_sm(
        *device, {launch.threads_per_block(), function.registers,
                  std::int64_t{function.static_shared_bytes} + launch.dynamic_shared_bytes});
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

/// "stored listing, ptxas 13.0.88".
std::string origin_of(const std::string& file, const sass::Module& module) {
  return module.compiler.empty() ? file : fmt::format("{}, {}", file, module.compiler);
}

std::unique_ptr<kernels::Problem> problem_of(const kernels::Kernel& kernel,
                                             const std::string& shape, const std::string& matrix,
                                             const KernelSpec& spec) {
  if (kernel.family == "spmv") {
    if (!shape.empty()) {
      fail(fmt::format("--shape with kernel {}: a sparse kernel runs on a matrix, see --matrix",
                       kernel.name));
    }
    return kernels::make_spmv_problem(kernels::load_matrix(matrix.empty() ? "stencil-A" : matrix));
  }
  if (!matrix.empty()) {
    fail(fmt::format("--matrix with kernel {}, which is not sparse; see --shape", kernel.name));
  }
  return kernels::make_problem(
      kernel, shape.empty() ? spec.default_shape : Shape::parse(shape, spec.dimensions));
}

}  // namespace

CatalogueLedger count_catalogue_kernel(spec::Catalog& catalog, const std::string& kernel_name,
                                       const std::string& shape_text,
                                       const MachineOptions& options) {
  const KernelSpec& spec = catalog.kernel(kernel_name);
  const kernels::Kernel& kernel = kernels::find_kernel(spec.name);
  const std::unique_ptr<kernels::Problem> problem =
      problem_of(kernel, shape_text, options.matrix, spec);
  const Shape shape = kernels::recorded_shape(kernel, problem->shape());
  const SourceLedger source = evaluate_source_ledger(spec, shape);
  const std::string function_name = kernels::machine_function(kernel, problem->shape());
  const std::vector<sass::Launch> launches =
      kernels::machine_launches(kernel, *problem, kernels::Contents::indices);
  if (launches.size() != 1) {
    fail(fmt::format("kernel {} at {} makes {} launches, a ledger is of one", kernel.name,
                     shape.key(), launches.size()));
  }

  const bool stored = options.cubin.empty();
  const std::filesystem::path file =
      stored ? stored_listing(catalog.root(), options.arch) : std::filesystem::path(options.cubin);
  const std::vector<sass::Module> modules = load_code(file, options.arch, function_name);
  const sass::Module& module = only_module(modules, file.string());
  save_listing(options, modules);
  const sass::Function& function = sass::find_function(module, function_name);
  sass::MachineLedger machine = count_with_progress(module, function, launches.front(), options);
  std::optional<reports::UniqueBytesView> unique =
      unique_bytes(module, function, launches.front(), options, catalog.root().string());
  sass::LedgerComparison comparison =
      sass::compare_ledgers(source, spec.ledger->element_bytes, machine);
  return {spec,
          shape,
          source,
          std::move(machine),
          std::move(comparison),
          std::move(unique),
          origin_of(stored ? "the stored listing" : options.cubin, module)};
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
  const spec::LaunchDescription description = options.launch();
  std::string wanted = options.function.empty() ? description.kernel : options.function;
  if (wanted.empty()) {
    wanted = only_kernel(options);
  }
  const std::vector<sass::Module> modules = load_code(options.cubin, options.arch, wanted);
  const sass::Module& module = only_module(modules, options.cubin);
  save_listing(options, modules);
  const sass::Function& function = sass::find_function(module, wanted);
  sass::MachineLedger machine = count_with_progress(module, function, description.launch, options);
  return {std::move(machine), unique_bytes(module, function, description.launch, options, specs),
          origin_of(options.cubin, module)};
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
