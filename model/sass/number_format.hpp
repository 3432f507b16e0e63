#pragma once

#include <cstdint>

#include "model/sass/instruction.hpp"

namespace perfmodel::sass {

// 16-bit floating point, rounded to nearest even where nothing else is said. `bfloat`: 8 bits of
// exponent instead of 5.

float float_from_half(std::uint16_t bits, bool bfloat);
std::uint16_t half_from_float(float value, bool bfloat);
std::uint16_t half_from_double(double value, bool bfloat, Rounding rounding = Rounding::nearest);

/// In single precision, cut off, with the last bit set where anything was lost: rounding that once
/// more gives what rounding `value` would.
float odd_float(double value);

/// a b + c in double precision, with the last bit set where it is not exact.
double odd_fused(double a, double b, double c);

}  // namespace perfmodel::sass
