#pragma once

#include <filesystem>
#include <string>

#include "model/throughput_model.hpp"

namespace perfmodel::spec {

/// Calibrated coefficients of the throughput model as YAML (schema perfmodel.coefficients/1, see
/// specs/README.md).
std::string write_coefficients(const ThroughputCoefficients& coefficients);

/// Reads what `write_coefficients` wrote. Throws Error with file:line:column.
ThroughputCoefficients read_coefficients(const std::filesystem::path& path);

}  // namespace perfmodel::spec
