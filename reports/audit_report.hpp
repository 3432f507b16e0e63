#pragma once

#include "model/analysis.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// One kernel: its verdict and the evidence line by line. JSON schema perfmodel.audit/1.
Report audit_report(const Analysis& analysis, const KernelAnalysis& kernel);

}  // namespace perfmodel::reports
