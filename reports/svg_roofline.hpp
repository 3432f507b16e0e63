#pragma once

#include <string>

#include "model/performance_report.hpp"

namespace perfmodel::reports {

/// The hierarchical roofline as a picture for documents: log axes, the roofs of the set that the
/// report shows first, each kernel at every level of memory, named where it meets DRAM. Dark on
/// white, in no font of its own; names are text, never markup.
std::string svg_roofline(const PerformanceReport& report);

/// Text that may stand in XML: markup escaped, what XML cannot hold replaced by '?'.
std::string xml_text(std::string_view text);

}  // namespace perfmodel::reports
