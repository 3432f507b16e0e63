#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace perfmodel::kernels {

/// How far a result may be from the reference: atol + rtol * |reference|.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

struct Mismatch {
  std::int64_t row = 0;
  std::int64_t column = 0;
  double expected = 0;
  double actual = 0;
};

struct Validation {
  std::int64_t checked = 0;
  std::int64_t failed = 0;
  double max_abs_error = 0;     ///< infinite as soon as one result is not finite
  double max_scaled_error = 0;  ///< error over what is allowed: 0/0 = 0, x/0 = infinite
  std::optional<Mismatch> first;

  [[nodiscard]] bool passed() const { return failed == 0; }
};

/// Compares every element; a non-finite result always fails. Throws Error when the sizes differ,
/// `columns` does not divide them, or a tolerance is negative or not finite.
Validation validate(std::span<const float> actual, std::span<const double> reference,
                    std::int64_t columns, Tolerance tolerance);

}  // namespace perfmodel::kernels
