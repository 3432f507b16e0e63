#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "model/measurement.hpp"
#include "profiling/import/number_format.hpp"

namespace perfmodel::profiling {

/// What an import may be told beyond the file.
struct ImportOptions {
  std::string file;                 ///< names the text in messages: "export.csv"
  std::filesystem::path folder;     ///< holds the file and what lies beside it; empty: none
  std::optional<Device> device;     ///< what was measured on; else found in the catalogue
  std::optional<std::int64_t> gpu;  ///< of several devices in the file, the one with this ID
  std::optional<DecimalMark> decimal_mark;  ///< else decided from the file
};

/// What another tool measured, as a recording of kind `imported`.
struct Imported {
  std::string tool;  ///< "Nsight Compute", "nvbench"
  Recording recording;
  std::vector<std::string> warnings;
};

/// Recognises the format of `bytes` and reads it: a CSV export of Nsight Compute (the pages raw and
/// details), or the JSON of nvbench. UTF-16 and byte order marks are understood. The device is
/// matched with `catalogue` by what the file says of it; an unknown one is kept by name, with a
/// warning. Throws Error that says what is wrong, where, and what to export instead.
Imported import_measurements(std::string_view bytes, const ImportOptions& options,
                             const std::vector<Device>& catalogue);

/// The same of one format; the text is UTF-8.
Imported import_ncu(std::string_view text, const ImportOptions& options);
Imported import_nvbench(std::string_view text, const ImportOptions& options);

}  // namespace perfmodel::profiling
