#pragma once

#include <span>

#include "model/cost_model.hpp"
#include "model/device.hpp"
#include "model/kernel_spec.hpp"
#include "model/measurement.hpp"
#include "model/sass/load.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

// What the catalogue holds, one table each. JSON schema perfmodel.list/1.

Report device_list(std::span<const Device> devices);
Report kernel_list(std::span<const KernelSpec> kernels);
Report recording_list(std::span<const Recording> recordings);
Report model_list(std::span<const CostModel> models);
Report function_list(std::span<const sass::KernelSummary> functions);

}  // namespace perfmodel::reports
