#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/measurement.hpp"

namespace perfmodel::profiling {

struct Merged {
  Recording recording;
  std::vector<std::string> warnings;  ///< what of the parts is not complete, a sentence each
};

/// Joins recordings of the same code with the same settings on devices of the same model, such as
/// the parts that several GPUs or nodes measured, each some of the kernels. Interrupted parts are
/// taken as far as they came; the result is then partial, too. A kernel that one part skipped and
/// another measured counts as measured, unless its result was wrong. Throws Error that names all
/// conflicts with their parts: another device, code or setting, a kernel that was measured twice
/// with different times, or measured in one part and wrong in another.
Merged merge_recordings(std::span<const Recording> parts);

}  // namespace perfmodel::profiling
