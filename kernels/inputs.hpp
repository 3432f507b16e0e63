#pragma once

#include <cstdint>

namespace perfmodel::kernels {

/// Scatters an index over 64 bits (the finaliser of a splitmix generator), so that inputs look
/// random, need no state, and are the same on every machine.
constexpr std::uint64_t scatter(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Element `index` (row-major) of a left operand: one of -16/32, -15/32, ..., 16/32.
constexpr float left_element(std::uint64_t index) {
  return static_cast<float>(static_cast<int>(scatter(index) % 33) - 16) / 32.0F;
}

/// Element `index` of a right operand: one of -15/32, ..., 15/32, from another sequence.
constexpr float right_element(std::uint64_t index) {
  return static_cast<float>(static_cast<int>(scatter(~index) % 31) - 15) / 32.0F;
}

/// +1 or -1, from a sequence that neither operand uses.
constexpr double sign_of(std::uint64_t index) {
  return (scatter(index ^ 0x5851f42d4c957f2du) & 1u) != 0 ? 1.0 : -1.0;
}

/// Products of the elements above are multiples of this; an output that is off at all is off by at
/// least as much, and half of it tells wrong from right. Their fp32 sums are exact in any order up
/// to 2^14, which a sum of k scattered terms (about sqrt(k) / 11) does not reach.
inline constexpr double product_quantum = 1.0 / 1024;

}  // namespace perfmodel::kernels
