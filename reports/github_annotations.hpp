#pragma once

#include <string>

#include "model/recording_comparison.hpp"

namespace perfmodel::reports {

/// Workflow commands of GitHub, which a job's log turns into annotations: an error per regression
/// and per wrong result, a warning per other slower kernel and per doubt about the recordings, a
/// notice that sums up. Nothing of a kernel's name can end a command or begin another.
std::string github_annotations(const RecordingComparison& comparison);

}  // namespace perfmodel::reports
