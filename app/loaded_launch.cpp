#include "app/loaded_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "kernels/spmv/matrix.hpp"
#include "kernels/spmv/problem.hpp"
#include "model/error.hpp"
#include "model/occupancy.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "model/text.hpp"

namespace perfmodel::app {
namespace {

/// Compute capabilities 9.0 to 9.9 are one generation.
constexpr int generation = 10;

/// The architectures of specs/listings, such as "sm_90".
std::vector<std::string> stored_architectures(const std::filesystem::path& specs) {
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
  return known;
}

/// specs/listings/ARCH.json.gz; throws Error with the architectures that there are.
std::filesystem::path stored_listing(const std::filesystem::path& specs, const std::string& arch) {
  const std::vector<std::string> known = stored_architectures(specs);
  const std::string wanted = arch.starts_with("sm_") ? arch : "sm_" + arch;
  if (std::ranges::find(known, wanted) == known.end()) {
    fail(fmt::format("there is no stored machine code for '{}'{}; there is {}", printable(arch),
                     did_you_mean(wanted, known), known.empty() ? "none" : join(known)));
  }
  return specs / "listings" / (wanted + ".json.gz");
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

LoadedLaunch load_catalogue_launch(spec::Catalog& catalog, const std::string& kernel_name,
                                   const std::string& shape_text, const MachineOptions& options) {
  const KernelSpec& spec = catalog.kernel(kernel_name);
  const kernels::Kernel& kernel = kernels::find_kernel(spec.name);
  LoadedLaunch loaded;
  loaded.name = spec.name;
  loaded.problem = problem_of(kernel, shape_text, options.matrix, spec);
  loaded.recorded_shape = kernels::recorded_shape(kernel, loaded.problem->shape());
  loaded.shape = loaded.recorded_shape.to_string();
  const std::string function_name = kernels::machine_function(kernel, loaded.problem->shape());
  std::vector<sass::Launch> launches =
      kernels::machine_launches(kernel, *loaded.problem, kernels::Contents::indices);
  if (launches.size() != 1) {
    fail(fmt::format("kernel {} at {} makes {} launches, a ledger is of one", kernel.name,
                     loaded.recorded_shape.key(), launches.size()));
  }
  loaded.launch = std::move(launches.front());
  const bool stored = options.cubin.empty();
  const std::filesystem::path file =
      stored ? stored_listing(catalog.root(), options.arch) : std::filesystem::path(options.cubin);
  loaded.modules = load_code(file, options.arch, function_name);
  loaded.module = &only_module(loaded.modules, file.string());
  loaded.function = &sass::find_function(*loaded.module, function_name);
  loaded.origin = origin_of(stored ? "the stored listing" : options.cubin, *loaded.module);
  return loaded;
}

LoadedLaunch load_cubin_launch(const MachineOptions& options) {
  LoadedLaunch loaded;
  loaded.description = options.launch();
  std::string wanted = options.function.empty() ? loaded.description.kernel : options.function;
  if (wanted.empty()) {
    wanted = only_kernel(options);
  }
  loaded.launch = loaded.description.launch;
  loaded.modules = load_code(options.cubin, options.arch, wanted);
  loaded.module = &only_module(loaded.modules, options.cubin);
  loaded.function = &sass::find_function(*loaded.module, wanted);
  loaded.name = sass::short_name(loaded.function->name);
  loaded.origin = origin_of(options.cubin, *loaded.module);
  return loaded;
}

std::string stored_architecture(const spec::Catalog& catalog, const Device& device) {
  const int own = compute_capability(device.architecture);
  int best = 0;
  for (const std::string& name : stored_architectures(catalog.root())) {
    const int sm = compute_capability(name);
    if (sm / generation == own / generation && sm <= own) {
      best = std::max(best, sm);
    }
  }
  return best == 0 ? "" : fmt::format("sm_{}", best);
}

/// The device that --device names, or the first one of the code's architecture, where there is one.
std::optional<Device> device_for_code(const spec::Catalog& catalog, const std::string& wanted,
                                      int sm) {
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

}  // namespace perfmodel::app
