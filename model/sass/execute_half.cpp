#include <algorithm>
#include <array>
#include <cmath>

#include "model/sass/execute_float.hpp"
#include "model/sass/number_format.hpp"

namespace perfmodel::sass::execution {

void half_arithmetic(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool bfloat = instruction.packed_bf16;
  Row space_a;
  Row space_b;
  Row space_c;
  const Row& a = lanes.operand<Kind::f16x2>(0, space_a);
  const Row& b = lanes.operand<Kind::f16x2>(1, space_b);
  const Row& c = lanes.operand<Kind::f16x2>(2, space_c);
  const auto value = [&](std::uint32_t lane, std::uint32_t shift) {
    const auto get = [&](const Row& row) {
      return double{float_from_half(static_cast<std::uint16_t>(row[lane] >> shift), bfloat)};
    };
    // Rounded once only, at the end.
    double result = instruction.op == Op::hadd2   ? odd_fused(get(a), 1, get(b))
                    : instruction.op == Op::hmul2 ? get(a) * get(b)
                                                  : odd_fused(get(a), get(b), get(c));
    if (instruction.relu && result <= 0) {
      result = 0;
    }
    if (instruction.saturate) {
      result = result > 0 ? std::min(result, 1.0) : 0.0;  // a NaN becomes zero
    }
    return result;
  };
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    result[lane] = instruction.widen
                       ? as_bits(static_cast<float>(value(lane, 0)))
                       : std::uint32_t{half_from_double(value(lane, 16), bfloat)} << 16 |
                             half_from_double(value(lane, 0), bfloat);
  }
  lanes.write(result);
}

void half_comparison(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool bfloat = instruction.packed_bf16;
  Row space_a;
  Row space_b;
  const Row& a = lanes.operand<Kind::f16x2>(0, space_a);
  const Row& b = lanes.operand<Kind::f16x2>(1, space_b);
  const std::uint32_t with = lanes.predicate(instruction.predicates[0]);
  Row result;
  std::array<std::uint32_t, 2> verdicts{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    result[lane] = 0;
    for (std::uint32_t half = 0; half < 2; ++half) {
      const auto left = static_cast<std::uint16_t>(a[lane] >> 16 * half);
      const auto right = static_cast<std::uint16_t>(b[lane] >> 16 * half);
      const float x = float_from_half(left, bfloat);
      const float y = float_from_half(right, bfloat);
      const bool unordered = std::isnan(x) || std::isnan(y);
      verdicts[half] |=
          static_cast<std::uint32_t>(compares(instruction.compare, x < y, x == y, unordered))
          << lane;
      const bool least = (with >> lane & 1U) != 0;
      const bool left_less = x < y || (x == y && std::signbit(x));
      const bool keep_left = std::isnan(y) || (!std::isnan(x) && left_less == least);
      const bool no_number = instruction.extended ? unordered : std::isnan(x) && std::isnan(y);
      result[lane] |= std::uint32_t{no_number   ? std::uint16_t{0x7fff}
                                    : keep_left ? left
                                                : right}
                      << 16 * half;
    }
  }
  if (instruction.op == Op::hmnmx2) {
    lanes.write(result);
    return;
  }
  if (instruction.op == Op::hset2) {
    const std::uint32_t yes = !instruction.high ? 0xffffU : half_from_float(1.0F, bfloat);
    const std::uint32_t low = combined(instruction.combine, verdicts[0], with);
    const std::uint32_t high = combined(instruction.combine, verdicts[1], with);
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      result[lane] = (low >> lane & 1U) * yes | (high >> lane & 1U) * yes << 16;
    }
    lanes.write(result);
    return;
  }
  lanes.write_predicate(0, combined(instruction.combine, verdicts[0], with));
  lanes.write_predicate(1, combined(instruction.combine, verdicts[1], with));
}

}  // namespace perfmodel::sass::execution
