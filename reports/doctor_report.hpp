#pragma once

#include <span>

#include "model/finding.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// A table of checks, then the remedies of those that failed, a paragraph each so that commands
/// can be copied. JSON schema perfmodel.doctor/1.
Report doctor_report(std::span<const Finding> findings);

}  // namespace perfmodel::reports
