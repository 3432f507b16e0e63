#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/rational.hpp"
#include "model/shape.hpp"

namespace perfmodel {

/// An exact count written in the extents of a shape, such as "m * k * ceil_div(n, 32)".
///
/// Grammar: whole numbers, dimension names, + - * / with the usual precedence, parentheses, and
/// ceil_div(a, b), round_up(a, multiple), min(a, b), max(a, b). Division is exact: nnz / rows may
/// be a fraction.
class Expression {
 public:
  /// Throws Error (with the column inside the text) on a syntax error or a name that is not one of
  /// `dimensions`. Texts longer than 512 bytes are refused, which also bounds the nesting.
  static Expression parse(std::string_view text, std::span<const std::string> dimensions);

  /// Throws Error on a division by zero.
  [[nodiscard]] Rational evaluate(const Shape& shape) const;

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;

  enum class Op : std::uint8_t {
    number,
    dimension,
    add,
    subtract,
    multiply,
    divide,
    ceil_div,
    round_up,
    min,
    max
  };
  struct Step {
    Op op = Op::number;
    Rational number;        ///< for Op::number
    std::string dimension;  ///< for Op::dimension
  };

  std::string text_;
  std::vector<Step> steps_;  ///< in postfix order
};

}  // namespace perfmodel
