#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/device.hpp"
#include "model/hardware_constants.hpp"
#include "model/spec/catalog.hpp"
#include "model/throughput_model.hpp"

namespace perfmodel::app {

/// What the models of a launch need beside the launch.
struct ModelInputs {
  std::optional<HardwareConstants> constants;  ///< nothing: none were measured on this device
  ThroughputCoefficients coefficients;
  std::vector<std::string> warnings;
};

/// Reads the constants of a device (`constants_file`; empty: specs/constants/DEVICE.json, where
/// there is one) and the coefficients that were calibrated on it, or on another device. Doubts,
/// such as constants of another device or clock, or measured under throttling, are warnings;
/// `strict` makes them an Error.
ModelInputs load_model_inputs(const spec::Catalog& catalog, const Device& device, double clock_hz,
                              const std::string& constants_file, bool strict);

}  // namespace perfmodel::app
