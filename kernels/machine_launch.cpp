#include "kernels/machine_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>

#include "kernels/gemv/tiles.hpp"
#include "kernels/sgemm/tiles.hpp"
#include "kernels/sizes.hpp"
#include "model/error.hpp"

namespace perfmodel::kernels {
namespace {

struct MachineName {
  std::string_view kernel;
  std::string_view function;  ///< in namespace perfmodel::kernels
};

/// One line per kernel of the catalogue that has device code, beside `named_codes` of launcher.cpp.
constexpr std::array machine_names = {
    MachineName{"K1", "sgemm_k1"},
    MachineName{"K2", "sgemm_k2"},
    MachineName{"K3", "sgemm_k3"},
    MachineName{"K3c", "sgemm_k3c"},
    MachineName{"K4", "sgemm_k4"},
    MachineName{"K5-unpadded", "sgemm_k5"},
    MachineName{"K5", "sgemm_k5"},
    MachineName{"K6", "sgemm_k6"},
    MachineName{"naive", "sgemm_naive"},
    MachineName{"tiled16", "sgemm_tiled16"},
    MachineName{"tiled", "sgemm_tiled"},
    MachineName{"sweep", "sgemm_sweep"},
    MachineName{"gemv-row", "gemv_row"},
    MachineName{"gemv-col", "gemv_col"},
    MachineName{"gemv-col-shared", "gemv_col_shared"},
    MachineName{"spmv-csr", "spmv_csr"},
    MachineName{"spmv-ell", "spmv_ell"},
    MachineName{"spmv-ell4", "spmv_ell4"},
};

/// Values of the int template parameters of a kernel's function; none where it is no template.
std::vector<std::int64_t> template_values(const Kernel& kernel, const Shape& shape) {
  if (kernel.name == "K5-unpadded") {
    return {ladder_tile};
  }
  if (kernel.name == "K5") {
    return {ladder_tile + 1};
  }
  if (kernel.name == "sweep") {
    return {checked_extent(shape, "block") / sweep_columns, checked_extent(shape, "tk"),
            checked_extent(shape, "coarsen")};
  }
  return {};
}

bool is_index(std::string_view input) {
  return input == "row_pointers" || input == "columns" || input == "ell_columns";
}

/// The Itanium ABI's code for the parameters "pointers to const float or int, float*, ints".
/// Repeated types are named by number (S2_: the third component that may be substituted), which
/// begin behind the function's own: perfmodel, perfmodel::kernels and, of a template, its name.
std::string mangled_parameters(const Kernel& kernel, bool is_template) {
  int next = is_template ? 2 : 1;
  const auto substitution = [](int number) {
    return number == 0 ? std::string("S_") : fmt::format("S{}_", number - 1);
  };
  std::string text;
  std::string int_pointer;
  std::string float_pointer;
  for (const std::string_view input : kernel.inputs) {
    std::string& known = is_index(input) ? int_pointer : float_pointer;
    if (!known.empty()) {
      text += known;
      continue;
    }
    text += is_index(input) ? "PKi" : "PKf";
    // The pointee (const float) is one component, the pointer the next.
    next += 2;
    known = substitution(next);
  }
  text += "Pf";
  text.append(kernel.scalars.size(), 'i');
  return text;
}

/// Bytes of an input, known without making it where its extents say so.
std::uint64_t lazy_bytes(std::string_view input, const Shape& shape) {
  const auto extent = [&](std::string_view name) { return checked_extent(shape, name); };
  if (input == "A") {
    return static_cast<std::uint64_t>(
        float_bytes(extent("m"), extent(shape.has("k") ? "k" : "n"), "A in bytes"));
  }
  if (input == "B") {
    return static_cast<std::uint64_t>(float_bytes(extent("k"), extent("n"), "B in bytes"));
  }
  if (input == "A_columns") {
    return static_cast<std::uint64_t>(
        float_bytes(gemv_pitch(static_cast<int>(extent("m"))), extent("n"), "A in bytes"));
  }
  return 0;
}

sass::BufferArgument input_buffer(std::string_view name, std::uint64_t seed, Problem& problem,
                                  Contents contents) {
  sass::BufferArgument buffer;
  buffer.seed = seed;
  const bool lazy = contents == Contents::indices && !is_index(name);
  const std::uint64_t bytes = lazy ? lazy_bytes(name, problem.shape()) : 0;
  if (bytes > 0) {
    buffer.size_bytes = bytes;
    buffer.fill = sass::Fill::random_f32;
    return buffer;
  }
  buffer.data = problem.input(name);
  buffer.size_bytes = buffer.data.size();
  buffer.fill = sass::Fill::data;
  return buffer;
}

sass::ValueArgument int_value(std::int64_t value) {
  sass::ValueArgument argument;
  const auto narrow = static_cast<std::int32_t>(value);
  argument.size_bytes = sizeof narrow;
  std::memcpy(argument.bytes.data(), &narrow, sizeof narrow);
  return argument;
}

}  // namespace

std::string machine_function(const Kernel& kernel, const Shape& problem_shape) {
  const auto* const entry = std::ranges::find(machine_names, kernel.name, &MachineName::kernel);
  if (entry == machine_names.end()) {
    throw Error(ErrorKind::unavailable,
                fmt::format("kernel {} is a library's: it has no machine code here", kernel.name));
  }
  const Plan plan = kernel.plan(problem_shape, {});
  if (plan.skipped()) {
    throw Error(ErrorKind::unavailable,
                fmt::format("kernel {} cannot run: {}", kernel.name, plan.skip_reason));
  }
  const std::vector<std::int64_t> values = template_values(kernel, problem_shape);
  std::string name =
      fmt::format("_ZN9perfmodel7kernels{}{}", entry->function.size(), entry->function);
  if (!values.empty()) {
    name += "I";
    for (const std::int64_t value : values) {
      name += fmt::format("Li{}E", value);
    }
    name += "E";
  }
  // A template's name holds its return type.
  return name + (values.empty() ? "E" : "Ev") + mangled_parameters(kernel, !values.empty());
}

std::vector<sass::Launch> machine_launches(const Kernel& kernel, Problem& problem,
                                           Contents contents) {
  const Plan plan = kernel.plan(problem.shape(), {});
  if (plan.skipped() || !plan.library.empty()) {
    throw Error(ErrorKind::unavailable,
                plan.skipped()
                    ? fmt::format("kernel {} cannot run: {}", kernel.name, plan.skip_reason)
                    : fmt::format("kernel {} is {}'s: it has no machine code here", kernel.name,
                                  plan.library));
  }
  if (plan.nothing_to_do()) {
    return {};
  }
  sass::Launch launch;
  for (const std::string_view input : kernel.inputs) {
    launch.arguments.emplace_back(input_buffer(input, launch.arguments.size(), problem, contents));
  }
  sass::BufferArgument output;
  output.size_bytes = 4 * static_cast<std::uint64_t>(problem.output_elements());
  launch.arguments.emplace_back(output);
  for (const std::string_view scalar : kernel.scalars) {
    launch.arguments.emplace_back(int_value(checked_extent(problem.shape(), scalar)));
  }
  std::vector<sass::Launch> launches;
  for (const Launch& one : plan.launches) {
    launch.grid = one.grid;
    launch.block = one.block;
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(one.dynamic_shared_bytes);
    launches.push_back(launch);
  }
  return launches;
}

}  // namespace perfmodel::kernels
