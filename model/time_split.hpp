#pragma once

#include <vector>

#include "model/launch_audit.hpp"

namespace perfmodel {

/// The time of a launch by what it goes to: launching, and what the warps of the timeline do in the
/// rest, by resource. Adds up to 1; always in the same order, parts without time included.
std::vector<LimitShare> time_split(const LaunchAudit& audit);

}  // namespace perfmodel
