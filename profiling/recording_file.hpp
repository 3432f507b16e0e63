#pragma once

#include <filesystem>
#include <string>

#include "model/measurement.hpp"
#include "model/spec/node.hpp"

namespace perfmodel::profiling {

/// Reads a recording (JSON, schema perfmodel.recording/1, see specs/README.md). Throws Error for a
/// truncated file, a newer version, an entry given twice or a figure that cannot be a time.
Recording read_recording(const std::filesystem::path& path);

/// The same for a document that is already parsed; `name` becomes the recording's.
Recording to_recording(const spec::Document& document, std::string name);

}  // namespace perfmodel::profiling
