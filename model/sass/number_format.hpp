#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace perfmodel::sass {

// 16-bit floating point, rounded to nearest even.

inline float float_from_half(std::uint16_t bits, bool bfloat) {
  return bfloat ? static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(bits))
                : static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}

inline std::uint16_t half_from_float(float value, bool bfloat) {
  return bfloat ? Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(value))
                : Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(value));
}

}  // namespace perfmodel::sass
