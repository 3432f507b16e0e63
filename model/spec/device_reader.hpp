#pragma once

#include <filesystem>

#include "model/device.hpp"

namespace perfmodel::spec {

/// Reads `specs/devices/*.yaml` (schema perfmodel.device/1, see specs/README.md). Throws Error.
Device read_device(const std::filesystem::path& path);

}  // namespace perfmodel::spec
