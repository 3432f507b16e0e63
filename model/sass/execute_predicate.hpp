#pragma once

#include <cstdint>

#include "model/sass/execute_lanes.hpp"
#include "model/sass/instruction.hpp"

namespace perfmodel::sass::execution {

/// The value of a three-input truth table: bit (a << 2 | b << 1 | c).
constexpr std::uint32_t lookup(std::uint8_t lut, std::uint32_t a, std::uint32_t b,
                               std::uint32_t c) {
  std::uint32_t result = 0;
  for (std::uint32_t index = 0; index < 8; ++index) {
    if ((lut >> index & 1U) != 0) {
      result |=
          ((index & 4) != 0 ? a : ~a) & ((index & 2) != 0 ? b : ~b) & ((index & 1) != 0 ? c : ~c);
    }
  }
  return result;
}

inline void predicates_to_register(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const Row& kept = lanes.row(instruction.sources[0]);
  const Row& mask = lanes.row(instruction.sources[1]);
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    std::uint32_t bits = 0;
    for (std::uint32_t p = 0; p < 7; ++p) {
      bits |= (lanes.warp.predicates[p] >> lane & 1U) << p;
    }
    const std::uint32_t chosen = (mask[lane] & 0xffU) << instruction.shift;
    result[lane] = (kept[lane] & ~chosen) | (bits << instruction.shift & chosen);
  }
  lanes.write(result);
}

inline void register_to_predicates(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const Row& value = lanes.row(instruction.sources[0]);
  const Row& mask = lanes.row(instruction.sources[1]);
  lanes.for_each([&](std::uint32_t lane) {
    for (std::uint32_t p = 0; p < 7; ++p) {
      if ((mask[lane] >> p & 1U) != 0) {
        const std::uint32_t bit = value[lane] >> (instruction.shift + p) & 1U;
        lanes.warp.predicates[p] = (lanes.warp.predicates[p] & ~(1U << lane)) | bit << lane;
      }
    }
  });
}

inline void select(const Lanes& lanes, bool is_float) {
  const std::uint32_t first = lanes.predicate(lanes.instruction.predicates[0]);
  Row space_a;
  Row space_b;
  const Row& a =
      is_float ? lanes.operand<Kind::f32>(0, space_a) : lanes.operand<Kind::integer>(0, space_a);
  const Row& b =
      is_float ? lanes.operand<Kind::f32>(1, space_b) : lanes.operand<Kind::integer>(1, space_b);
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    result[lane] = (first & lane_bits[lane]) != 0 ? a[lane] : b[lane];
  }
  lanes.write(result);
}

}  // namespace perfmodel::sass::execution
