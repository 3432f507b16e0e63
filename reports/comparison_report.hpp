#pragma once

#include <string>

#include "model/recording_comparison.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// Every kernel of two recordings: verdict, change with its interval, place under the roofs, what
/// changed in the ledger, and the conditions that differ.
Report comparison_report(const RecordingComparison& comparison);

// Sentences that the formats share.

/// "3 kernels: 1 SLOWER, 0 FASTER, 2 SAME, 0 UNSURE; 1 not compared".
std::string comparison_summary(const RecordingComparison& comparison);

/// "+5.2 % (+4.1 to +6.3 %)", or "+5.2 %" where nothing says how sure that is.
std::string change_text(const KernelComparison& kernel);

/// "7.011 ms against 6.664 ms".
std::string times_text(const KernelComparison& kernel);

}  // namespace perfmodel::reports
