#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "model/calibration.hpp"

namespace perfmodel::spec {

/// Calibrated prices as YAML (schema perfmodel.costs/1, see specs/README.md), with every digit
/// that reading them back needs.
std::string write_cost_tables(std::span<const CostTable> tables);

/// Reads what `write_cost_tables` wrote. Throws Error, also for a model, or a column of a model,
/// that this version does not have.
std::vector<CostTable> read_cost_tables(const std::filesystem::path& path);

}  // namespace perfmodel::spec
