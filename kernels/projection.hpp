#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/problem.hpp"

namespace perfmodel::kernels {

/// Adds one comparison, of "row 17" say, to `check`. An error of 0 scales to 0 whatever is allowed;
/// one that is not finite to infinity.
void add_projection(ProjectionCheck& check, double actual, double expected, double allowed,
                    std::string_view axis, std::int64_t index);

/// Throws Error unless `given` is the size of the problem's output.
void require_output_size(const Problem& problem, std::size_t given);

}  // namespace perfmodel::kernels
