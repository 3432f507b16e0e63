#pragma once

#include <string>

#include "model/performance_report.hpp"

namespace perfmodel::reports {

/// One page that needs nothing else: markup, style, scripts, Chart.js with its licence, and the
/// figures as JSON (page_data.hpp). Its content security policy admits these scripts by their hash
/// and forbids every request. Throws Error unavailable where perfmodel was built without Chart.js.
std::string html_report(const PerformanceReport& report);

}  // namespace perfmodel::reports
