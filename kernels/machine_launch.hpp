#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/problem.hpp"
#include "model/sass/launch.hpp"

namespace perfmodel::kernels {

/// The mangled name of the device function that runs `kernel` at a problem's shape, as cubins and
/// listings have it; the same function that `device_function` of `kernels/launcher.hpp` gives.
/// Throws Error (unavailable) for a library's kernel, and bad_input for parameters that are not
/// built.
std::string machine_function(const Kernel& kernel, const Shape& problem_shape);

/// What the buffers of a launch hold.
enum class Contents : std::uint8_t {
  /// What decides addresses, the indices of sparse matrices. Dense matrices, which only hold
  /// values,
  /// are random numbers and never made.
  indices,
  all,  ///< every input as the problem has it
};

/// The launches that a kernel's plan makes for the problem, in stream order, with its inputs, an
/// uninitialised output, and its extents as arguments. Buffers point into `problem`, which must
/// outlive them. Empty when there is nothing to do. Throws Error (unavailable) when the plan is
/// skipped or a library's.
std::vector<sass::Launch> machine_launches(const Kernel& kernel, Problem& problem,
                                           Contents contents);

}  // namespace perfmodel::kernels
