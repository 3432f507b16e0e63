#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/hardware_constants.hpp"

namespace perfmodel::profiling {

/// Constants as JSON (schema perfmodel.constants/1, see specs/README.md): one a line, with every
/// digit that reading them back needs. Throws Error for a figure that is not finite.
std::string format_constants(const HardwareConstants& constants);

/// The same into a file, as a whole or not at all.
void write_constants(const std::filesystem::path& path, const HardwareConstants& constants);

/// Reads what `write_constants` wrote. Throws Error "file:line:column: what" for malformed files,
/// unknown or missing keys with the nearest valid one, values that are not finite, a value that is
/// not the median of its samples, and constants given twice.
HardwareConstants read_constants(const std::filesystem::path& path);

/// The same from text; `file` names it in messages.
HardwareConstants parse_constants(std::string_view text, const std::string& file);

}  // namespace perfmodel::profiling
