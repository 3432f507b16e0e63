#pragma once

#include <filesystem>
#include <string_view>

namespace perfmodel::spec {

/// Writes a file as a whole or not at all: to a temporary name beside it, flushed to the disk, then
/// renamed. A device such as /dev/null is written in place. Throws Error if any of that fails.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace perfmodel::spec
