#pragma once

#include <string>

#include "model/recording_comparison.hpp"

namespace perfmodel::reports {

/// JUnit XML: a test case per kernel. A regression is a failure, wrong results in B are an error,
/// UNSURE and what only one recording holds are skipped.
std::string junit_report(const RecordingComparison& comparison);

}  // namespace perfmodel::reports
