#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/shape.hpp"

namespace perfmodel::kernels {

/// Outcome of `Problem::check_projections`.
struct ProjectionCheck {
  double worst_scaled_error = 0;  ///< error over what rounding explains; above 1 is wrong
  std::string where;              ///< "row 17" or "column 3" of the worst one; empty if all are 0
  std::size_t checks = 0;         ///< projections compared

  [[nodiscard]] bool passed() const { return worst_scaled_error <= 1; }
};

/// One problem to solve on a device: deterministic inputs, the work in them, and the truth to check
/// results against. The output is a matrix of `rows` x `columns` floats (a vector has one column).
///
/// Inputs are made when first asked for, so that planning a large problem costs nothing. Not safe
/// to share between threads.
class Problem {
 public:
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  virtual ~Problem() = default;

  /// All extents that the kernels of the family may name.
  [[nodiscard]] virtual const Shape& shape() const = 0;
  [[nodiscard]] virtual std::int64_t output_rows() const = 0;
  [[nodiscard]] virtual std::int64_t output_columns() const = 0;
  /// Multiply-adds that the result needs.
  [[nodiscard]] virtual std::int64_t fmas() const = 0;
  /// Multiply-adds that `reference` spends on the CPU.
  [[nodiscard]] virtual std::int64_t reference_fmas() const { return fmas(); }

  /// The bytes to upload for one of the inputs that a Kernel names. Throws Error for a name that
  /// the family does not have. Valid as long as the problem lives.
  virtual std::span<const std::byte> input(std::string_view name) = 0;

  /// The whole result in double precision, row by row.
  virtual std::vector<double> reference() = 0;

  /// Compares projections of the result that together depend on every element, at a cost far below
  /// `reference`. A non-finite element fails. Throws Error unless `output` has exactly
  /// `output_elements()` elements.
  virtual ProjectionCheck check_projections(std::span<const float> output) = 0;

  [[nodiscard]] std::int64_t flops() const { return 2 * fmas(); }
  [[nodiscard]] std::int64_t output_elements() const { return output_rows() * output_columns(); }
};

/// Tolerances of a full comparison (`validate`): inputs are multiples of 1/32 of at most 1/2, so
/// that products are multiples of 2^-10 and fp32 sums stay exact up to |sum| = 2^14; what remains
/// for rounding is the sparse matrices' coefficients, and kernels that sum in pieces.
inline constexpr double default_atol = 1e-4;
inline constexpr double default_rtol = 1e-5;

}  // namespace perfmodel::kernels
