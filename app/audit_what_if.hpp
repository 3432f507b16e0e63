#pragma once

#include <functional>
#include <span>
#include <string>

#include "app/loaded_launch.hpp"
#include "model/spec/catalog.hpp"
#include "model/what_if.hpp"

namespace perfmodel::app {

/// The launch of an audit, compiled for an architecture ("sm_90"). Throws Error where there is no
/// such code.
using CodeForArchitecture = std::function<LoadedLaunch(const std::string& architecture)>;

/// What the changes would bring to `setup`, whose audit is `before`. Another device's figures come
/// from the catalogue, its code from `code_for`; where there is none, the code stays and a note
/// says so. Throws Error as `make_changes` does, and for a device that is not known.
WhatIf answer_what_if(std::span<const WhatIfChange> changes, const LaunchSetup& setup,
                      const LaunchAudit& before, const spec::Catalog& catalog,
                      const CodeForArchitecture& code_for);

}  // namespace perfmodel::app
