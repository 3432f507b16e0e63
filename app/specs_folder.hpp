#pragma once

#include <filesystem>
#include <string>

namespace perfmodel::app {

/// The folder with `devices/`, `kernels/` and `recordings/`: `given` (--specs), else
/// $PERFMODEL_SPECS, else found from the program: `share/perfmodel/specs` of its installation or
/// `specs` of the source tree it was built in. Throws Error where none is found.
std::filesystem::path find_specs(const std::string& given);

}  // namespace perfmodel::app
