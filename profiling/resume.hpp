#pragma once

#include <string>

#include "model/measurement.hpp"

namespace perfmodel::profiling {

/// Checks that a run which would produce `planned` may go on in `existing`: same device, same code
/// and same settings, or the two halves of the file could not be compared. Figures that only one
/// of the two knows count as different. Throws Error that names the first difference and both
/// values.
void require_resumable(const Recording& existing, const Recording& planned);

/// Whether a kernel at a shape needs no further run: it was measured, or skipped for a reason that
/// holds again.
bool already_done(const Recording& recording, const std::string& kernel, const Shape& shape);

}  // namespace perfmodel::profiling
