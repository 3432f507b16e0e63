#pragma once

#include <optional>

#include "app/loaded_launch.hpp"
#include "app/output.hpp"
#include "model/analysis.hpp"
#include "model/performance_report.hpp"
#include "model/spec/catalog.hpp"

namespace perfmodel::app {

/// Audits every kernel of the analysis that has machine code, on all cores with a progress line,
/// and brings all figures together. A kernel that cannot be audited says why.
PerformanceReport report_of_analysis(const Analysis& analysis, spec::Catalog& catalog);

/// A report without kernels.
PerformanceReport empty_report(const Device& device, const Clock& clock,
                               const std::optional<HardwareConstants>& constants,
                               const ThroughputCoefficients& coefficients);

/// Whether --format, or the ending of --out where there is none, is one of a performance report:
/// html or svg.
bool is_page(const OutputOptions& options);

/// Whether that is svg: the roofline alone.
bool is_picture(const OutputOptions& options);

/// As a page or a picture, by the format.
void write_page(const PerformanceReport& report, const OutputOptions& options);

}  // namespace perfmodel::app
