#pragma once

#include <vector>

#include "model/spec/catalog.hpp"
#include "reports/measure_report.hpp"

namespace perfmodel::app {

/// The entries of a recording with the work that their specifications say they do; functions that
/// are none of the catalogue are left out.
std::vector<reports::MeasuredRow> measured_rows(const Recording& recording, spec::Catalog& catalog);

}  // namespace perfmodel::app
