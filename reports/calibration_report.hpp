#pragma once

#include <vector>

#include "model/analysis.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// The prices of every model with their references. JSON schema perfmodel.calibration/1.
Report calibration_report(const Analysis& analysis);

/// Adds the table of unit costs, and a line for every model that could not be calibrated.
void append_unit_costs(Document& document, const std::vector<ModelAnalysis>& models);

}  // namespace perfmodel::reports
