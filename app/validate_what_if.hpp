#pragma once

#include <string>

#include "app/commands.hpp"
#include "model/what_if_validation.hpp"

namespace perfmodel::app {

/// Changes whose gain the recordings of the device hold, because another of their kernels is the
/// one with the change: predicted against measured. `validation`: of all recordings. Throws Error.
WhatIfValidation validate_what_ifs(const std::string& device, const std::string& constants_file,
                                   const Validation& validation, const GlobalOptions& global);

}  // namespace perfmodel::app
