// Exports of Nsight Compute: any bytes are either launches or refused with an Error, and what was
// imported can be written as a recording and read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/error.hpp"
#include "profiling/import/import.hpp"
#include "profiling/recording_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perfmodel;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  profiling::ImportOptions options;
  options.file = "f.csv";
  profiling::Imported imported;
  try {
    imported = profiling::import_measurements(text, options, {});
  } catch (const Error&) {
    return 0;
  }
  imported.recording.name = "f";
  const Recording read =
      profiling::parse_recording(profiling::format_recording(imported.recording), "f.json");
  if (read != imported.recording) {
    std::abort();
  }
  return 0;
}
