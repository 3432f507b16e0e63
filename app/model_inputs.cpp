#include "app/model_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "model/error.hpp"
#include "model/spec/coefficients_file.hpp"
#include "model/text.hpp"
#include "profiling/constants_file.hpp"

namespace perfmodel::app {
namespace {

/// Beyond this, cycles measured at one clock say little about another: memory does not follow.
constexpr double most_clock_difference = 0.03;

std::vector<std::string> doubts(const HardwareConstants& constants, const Device& device,
                                double clock_hz) {
  std::vector<std::string> found;
  if (constants.device != device.name) {
    found.push_back(fmt::format("the constants were measured on {}, not on {}",
                                printable(constants.device), device.name));
  }
  if (constants.sm_clock_hz &&
      std::abs(*constants.sm_clock_hz / clock_hz - 1) > most_clock_difference) {
    found.push_back(
        fmt::format("the constants were measured at {:.4g} GHz, and {:.4g} GHz are asked for",
                    *constants.sm_clock_hz / 1e9, clock_hz / 1e9));
  }
  for (const std::string& violation : limit_violations(constants)) {
    found.push_back(violation);
  }
  return found;
}

}  // namespace

ModelInputs load_model_inputs(const spec::Catalog& catalog, const Device& device, double clock_hz,
                              const std::string& constants_file, bool strict) {
  ModelInputs inputs;
  const std::filesystem::path own = catalog.root() / "constants" / (device.name + ".json");
  if (!constants_file.empty()) {
    inputs.constants = profiling::read_constants(constants_file);
  } else if (std::filesystem::exists(own)) {
    inputs.constants = profiling::read_constants(own);
  }
  if (inputs.constants) {
    inputs.warnings = doubts(*inputs.constants, device, clock_hz);
    if (strict && !inputs.warnings.empty()) {
      fail(fmt::format("--strict: {}", join(inputs.warnings, "; ")));
    }
  }
  const std::filesystem::path folder = catalog.root() / "coefficients";
  const std::filesystem::path calibrated = folder / (device.name + ".yaml");
  constexpr std::string_view other = "h200";
  if (std::filesystem::exists(calibrated)) {
    inputs.coefficients = spec::read_coefficients(calibrated);
  } else {
    inputs.coefficients = spec::read_coefficients(folder / fmt::format("{}.yaml", other));
    // Nothing was calibrated here: what overlaps may differ by as much as it is.
    inputs.coefficients.std_error =
        std::max(inputs.coefficients.std_error, inputs.coefficients.exposed_share / 2);
  }
  return inputs;
}

}  // namespace perfmodel::app
