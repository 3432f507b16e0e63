#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel::profiling {

/// One figure of a launch as it stands in the file.
struct NcuCell {
  std::uint32_t metric = 0;  ///< index into NcuTable::metrics
  std::uint32_t unit = 0;    ///< index into NcuTable::units
  std::size_t line = 0;
  std::string text;
};

/// One kernel launch of an export.
struct NcuLaunch {
  std::string id;
  std::string kernel;
  std::string grid;
  std::string block;
  std::string device;              ///< number of the device; some exports have its name here
  std::string compute_capability;  ///< "9.0"
  std::vector<NcuCell> cells;      ///< those without a figure left out
};

/// The launches of a CSV export of Nsight Compute, nothing interpreted yet.
struct NcuTable {
  std::vector<std::string> metrics;  ///< each once
  std::vector<std::string> units;    ///< each once
  std::vector<NcuLaunch> launches;
  std::vector<std::string> unknown_labels;  ///< of page details: shown names of unknown metrics
};

/// Whether any line of the text is the header of such an export.
bool has_ncu_header(std::string_view text);

/// Reads page raw (a row per launch, a row of units below the header) and page details (a row per
/// metric). Output of the profiler and of the program before, between and after the rows is
/// skipped, and several exports may follow each other. Throws Error for a cut or edited table;
/// `file` names the text.
NcuTable read_ncu_table(std::string_view text, std::string_view file);

}  // namespace perfmodel::profiling
