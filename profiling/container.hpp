#pragma once

#include <filesystem>
#include <vector>

namespace perfmodel::profiling {

/// Files that container engines leave inside a container; any of them tells.
std::vector<std::filesystem::path> container_marks();

/// Whether the environment variables speak of a container.
bool has_container_variables();

/// Whether this process runs in a container, by either.
bool runs_in_container();

}  // namespace perfmodel::profiling
