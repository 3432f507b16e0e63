#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/measurement.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// What an import found in the results of another tool. JSON schema perfmodel.import/1.
Report import_report(const Recording& recording, std::string_view tool,
                     std::span<const std::string> warnings);

}  // namespace perfmodel::reports
