#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/measurement.hpp"

namespace perfmodel::profiling {

/// What two recordings must agree on for their times to be comparable, and how they do not.
struct Difference {
  std::string what;    ///< "driver"
  std::string before;  ///< empty: unknown
  std::string now;     ///< likewise
};

/// What the difference between two devices of one model is called.
inline constexpr std::string_view device_uuid = "device UUID";

/// A value of a difference as messages show it: quoted, or "unknown".
std::string shown(const std::string& value);

/// All differences in device, code and settings; figures that only one of the two knows count.
std::vector<Difference> differences(const Recording& existing, const Recording& planned);

/// Checks that a run which would produce `planned` may go on in `existing`: same device, same code
/// and same settings, or the two halves of the file could not be compared. Throws Error that
/// names the first of the `differences` and both values.
void require_resumable(const Recording& existing, const Recording& planned);

/// Whether a kernel at a shape needs no further run: it was measured, or skipped for a reason that
/// holds again.
bool already_done(const Recording& recording, const std::string& kernel, const Shape& shape);

}  // namespace perfmodel::profiling
