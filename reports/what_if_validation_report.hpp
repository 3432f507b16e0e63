#pragma once

#include "model/what_if_validation.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// Gains predicted and measured, and how well ratios of times are predicted. JSON schema
/// perfmodel.what-if-validation/1.
Report what_if_validation_report(const WhatIfValidation& validation);

}  // namespace perfmodel::reports
