#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/measurement.hpp"

namespace perfmodel::profiling {

/// Reads a recording (JSON, schema perfmodel.recording/1, see specs/README.md). Throws Error for a
/// truncated file, a newer version, an unknown key, an entry given twice or a figure that cannot
/// be a time.
Recording read_recording(const std::filesystem::path& path);

/// The same from text; `file` names it in messages and in the recording.
Recording parse_recording(std::string_view text, const std::filesystem::path& file);

/// The JSON text of a recording, one entry a line. Reading it back gives the same recording, bit by
/// bit. Throws Error for a figure that is not finite.
std::string format_recording(const Recording& recording);

/// Writes `path` as a whole or not at all (see `spec::write_file`), so that a run that is
/// interrupted between two calls leaves the state of the first one. Throws Error.
void write_recording(const std::filesystem::path& path, const Recording& recording);

}  // namespace perfmodel::profiling
