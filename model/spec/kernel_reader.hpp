#pragma once

#include <filesystem>

#include "model/kernel_spec.hpp"

namespace perfmodel::spec {

/// Reads `specs/kernels/*.yaml` (schema perfmodel.kernel/1, see specs/README.md). Throws Error.
KernelSpec read_kernel(const std::filesystem::path& path);

}  // namespace perfmodel::spec
