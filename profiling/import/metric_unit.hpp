#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace perfmodel::profiling {

/// How a figure in some unit becomes one in base units: seconds, bytes, hertz, counts.
struct UnitScale {
  double factor = 1.0;
  bool scaled = false;    ///< has a prefix, so that the figure was rounded to a few digits
  bool is_time = false;   ///< a duration
  bool is_hertz = false;  ///< per second
};

/// "nsecond", "us", "Kbyte", "Gbyte/s", "cycle/nsecond", "Mhz", "inst", "byte/block", "%", "" as
/// Nsight Compute writes them. K is 1000. Percentages stay what they are. Nothing for a unit whose
/// size is not known.
std::optional<UnitScale> parse_unit(std::string_view text);

}  // namespace perfmodel::profiling
