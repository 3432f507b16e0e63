#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/performance_report.hpp"

namespace perfmodel::reports {

/// What the page shows, schema perfmodel.page/1: SI units, shares as fractions, figures rounded to
/// six digits. An internal format between this program and its page; programs read
/// perfmodel.analysis/1 instead.
nlohmann::ordered_json page_data(const PerformanceReport& report);

/// JSON that may stand in a script element of any page: neither tags nor line separators, bytes
/// that are no UTF-8 replaced.
std::string script_safe(const nlohmann::ordered_json& json);

}  // namespace perfmodel::reports
