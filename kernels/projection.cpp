#include "kernels/projection.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "model/error.hpp"

namespace perfmodel::kernels {

void add_projection(ProjectionCheck& check, double actual, double expected, double allowed,
                    std::string_view axis, std::int64_t index) {
  ++check.checks;
  const double error = std::abs(actual - expected);
  double scaled = std::numeric_limits<double>::infinity();
  if (error == 0) {
    scaled = 0;
  } else if (std::isfinite(error) && allowed > 0) {
    scaled = error / allowed;
  }
  if (scaled > check.worst_scaled_error) {
    check.worst_scaled_error = scaled;
    check.where = fmt::format("{} {}", axis, index);
  }
}

void require_output_size(const Problem& problem, std::size_t given) {
  if (static_cast<std::int64_t>(given) != problem.output_elements()) {
    fail(fmt::format("the output has {} elements, not {}", problem.output_elements(), given));
  }
}

}  // namespace perfmodel::kernels
