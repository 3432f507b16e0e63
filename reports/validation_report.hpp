#pragma once

#include "model/validation.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// Every model's errors, reference and held-out kernels apart; the cases with `with_cases`. JSON
/// schema perfmodel.validation/1.
Report validation_report(const Validation& validation, bool with_cases);

}  // namespace perfmodel::reports
