#pragma once

#include "model/comparison.hpp"
#include "model/finding.hpp"
#include "model/launch_audit.hpp"
#include "model/measurement.hpp"
#include "model/verdict.hpp"
#include "reports/document.hpp"

namespace perfmodel::reports {

// What each verdict means to its reader.

Tone tone_of(VerdictClass verdict_class);
Tone tone_of(LimitClass limit_class);
Tone tone_of(Change change);
Tone tone_of(FindingStatus status);
Tone tone_of(VerificationStatus status);

}  // namespace perfmodel::reports
