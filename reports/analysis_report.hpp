#pragma once

#include "model/analysis.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// Every kernel of an analysis: ranking, ledgers, roofline, predictions with their roles, unit
/// costs, errors of held-out kernels, verdicts. JSON schema perfmodel.analysis/1.
Report analysis_report(const Analysis& analysis);

}  // namespace perfmodel::reports
