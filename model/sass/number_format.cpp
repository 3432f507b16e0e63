#include "model/sass/number_format.hpp"

#include <Eigen/Core>
#include <bit>
#include <cmath>

namespace perfmodel::sass {

float float_from_half(std::uint16_t bits, bool bfloat) {
  return bfloat ? static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(bits))
                : static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}

std::uint16_t half_from_float(float value, bool bfloat) {
  return bfloat ? Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(value))
                : Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(value));
}

float odd_float(double value) {
  const auto nearest = static_cast<float>(value);
  if (double{nearest} == value || std::isnan(value) || std::isinf(value)) {
    return nearest;
  }
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool beyond = std::fabs(double{nearest}) > std::fabs(value);
  return std::bit_cast<float>((beyond ? bits - 1 : bits) | 1U);
}

double odd_fused(double a, double b, double c) {
  const double product = a * b;  // exact for factors of up to 24 bits
  const double sum = product + c;
  const double back = sum - product;
  const double rest = (product - (sum - back)) + (c - back);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (rest == 0 || (bits & 1U) != 0 || !std::isfinite(sum)) {
    return sum;
  }
  return std::bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

std::uint16_t half_from_double(double value, bool bfloat, Rounding rounding) {
  const std::uint16_t nearest = half_from_float(odd_float(value), bfloat);
  if (rounding == Rounding::nearest || !std::isfinite(value)) {
    return nearest;
  }
  // Where the nearest lies on the wrong side, its neighbour on the other side is right.
  const bool down = rounding == Rounding::down || (rounding == Rounding::zero && value > 0);
  const auto rounded = double{float_from_half(nearest, bfloat)};
  if (down ? rounded <= value : rounded >= value) {
    return nearest;
  }
  const bool grows = down == ((nearest & 0x8000U) != 0);
  return static_cast<std::uint16_t>(grows ? nearest + 1 : nearest - 1);
}

}  // namespace perfmodel::sass
