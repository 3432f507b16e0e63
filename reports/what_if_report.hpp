#pragma once

#include <nlohmann/json.hpp>

#include "model/what_if.hpp"
#include "reports/document.hpp"

namespace perfmodel::reports {

/// What some changes would bring: gain, verdict, and the figures that moved.
void add_what_if(Document& document, const LaunchAudit& before, const WhatIf& what_if);

/// The same for programs, the `what_if` of perfmodel.audit/2.
nlohmann::ordered_json what_if_json(const WhatIf& what_if);

}  // namespace perfmodel::reports
