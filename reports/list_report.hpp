#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/cost_model.hpp"
#include "model/device.hpp"
#include "model/kernel_spec.hpp"
#include "model/measurement.hpp"
#include "model/metric_set.hpp"
#include "model/sass/load.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

// What the catalogue holds, one table each. JSON schema perfmodel.list/1.

Report device_list(std::span<const Device> devices);
Report kernel_list(std::span<const KernelSpec> kernels);
Report recording_list(std::span<const Recording> recordings);
Report model_list(std::span<const CostModel> models);
Report function_list(std::span<const sass::KernelSummary> functions);

/// The metrics of one chip, as the installed CUPTI knows them.
struct ChipMetrics {
  std::string chip;
  std::vector<MetricProperties> properties;  ///< of every metric, without roll-up
  std::vector<std::string> available;        ///< those of the sets that it has, in full
  std::size_t passes = 0;                    ///< that collecting all of these takes
};

/// The sets of metrics; with a chip also which of them it has and in which unit.
Report metric_list(std::span<const MetricSet> sets, const ChipMetrics* chip);
/// Every metric of a chip whose name or description contains `match`.
Report chip_metric_list(const ChipMetrics& chip, std::string_view match);

}  // namespace perfmodel::reports
