#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "model/sass/execute_lanes.hpp"
#include "model/sass/instruction.hpp"

namespace perfmodel::sass::execution {

inline void add3(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool carries = instruction.predicate_destinations[0] % 8 != predicate_true ||
                       instruction.predicate_destinations[1] % 8 != predicate_true;
  if (!instruction.extended && !carries) {
    lanes.map3<Kind::integer>(
        [](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return a + b + c; });
    return;
  }
  Row carry;
  Row carry2;
  flags_of(instruction.extended ? lanes.predicate(instruction.predicates[0]) : 0, carry);
  flags_of(instruction.extended ? lanes.predicate(instruction.predicates[1]) : 0, carry2);
  const std::uint32_t negated = (instruction.sources[0].negate ? 1U : 0U) +
                                (instruction.sources[1].negate ? 1U : 0U) +
                                (instruction.sources[2].negate ? 1U : 0U);
  const auto flip = [](const Source& source) {
    return source.negate || source.invert ? full_mask : 0;
  };
  const Row& a = lanes.row(instruction.sources[0]);
  const Row& b = lanes.row(instruction.sources[1]);
  const Row& c = lanes.row(instruction.sources[2]);
  const std::uint32_t flip_a = flip(instruction.sources[0]);
  const std::uint32_t flip_b = flip(instruction.sources[1]);
  const std::uint32_t flip_c = flip(instruction.sources[2]);
  Row sum;
  Row wraps;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    // -x is ~x + 1: the ones join the carries.
    const std::uint32_t ones = carry[lane] + carry2[lane] + negated;
    const std::uint32_t first = (a[lane] ^ flip_a) + ones;
    const std::uint32_t second = first + (b[lane] ^ flip_b);
    const std::uint32_t third = second + (c[lane] ^ flip_c);
    sum[lane] = third;
    wraps[lane] =
        (first < ones ? 1U : 0U) + (second < first ? 1U : 0U) + (third < second ? 1U : 0U);
  }
  lanes.write(sum);
  lanes.write_predicate(0, mask_of(wraps));
  if (instruction.predicate_destinations[1] % 8 != predicate_true) {
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      wraps[lane] = wraps[lane] > 1 ? 1 : 0;
    }
    lanes.write_predicate(1, mask_of(wraps));
  }
}

inline void add64(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const std::uint32_t carry_in =
      instruction.extended ? lanes.predicate(instruction.predicates[0]) : 0;
  std::uint32_t carry_out = 0;
  lanes.for_each([&](std::uint32_t lane) {
    // -x is ~x + 1: the ones join the carry.
    std::uint64_t sum = carry_in >> lane & 1U;
    for (const Source& source : instruction.sources) {
      sum += source.negate ? 1 : 0;
    }
    std::uint32_t wraps = 0;
    for (const Source& source : instruction.sources) {
      const std::uint64_t raw =
          std::uint64_t{lanes.row(source, 1)[lane]} << 32 | lanes.row(source)[lane];
      const std::uint64_t value = source.negate || source.invert ? ~raw : raw;
      sum += value;
      wraps += sum < value ? 1 : 0;
    }
    carry_out |= wraps != 0 ? 1U << lane : 0;
    lanes.write_wide(lane, sum);
  });
  lanes.write_predicate(0, carry_out);
}

inline void multiply_add(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  if (!instruction.extended) {
    lanes.map3<Kind::integer>(
        [](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return a * b + c; });
    return;
  }
  Row carry;
  flags_of(lanes.predicate(instruction.predicates[0]), carry);
  Row space_a;
  Row space_b;
  Row space_c;
  const Row& a = lanes.operand<Kind::integer>(0, space_a);
  const Row& b = lanes.operand<Kind::integer>(1, space_b);
  const Row& c = lanes.operand<Kind::integer>(2, space_c);
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    result[lane] = a[lane] * b[lane] + c[lane] + carry[lane];
  }
  lanes.write(result);
}

inline void multiply_add_wide(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  Row carry_in{};
  if (instruction.extended) {
    flags_of(lanes.predicate(instruction.predicates[0]), carry_in);
  }
  Row space_a;
  Row space_b;
  const Row& a = lanes.operand<Kind::integer>(0, space_a);
  const Row& b = lanes.operand<Kind::integer>(1, space_b);
  const Row& c_low = lanes.row(instruction.sources[2]);
  const Row& c_high = lanes.row(instruction.sources[2], 1);
  const std::uint64_t negate = instruction.sources[2].negate ? 1 : 0;
  // The high half of a signed product is the unsigned one's, less each factor where the other is
  // negative.
  const std::uint32_t sign_mask = instruction.from == Number::s32 ? full_mask : 0;
  Row carry;
  Row low;
  Row high;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint32_t x = a[lane];
    const std::uint32_t y = b[lane];
    const std::uint32_t excess =
        ((static_cast<std::int32_t>(x) < 0 ? y : 0) + (static_cast<std::int32_t>(y) < 0 ? x : 0)) &
        sign_mask;
    const std::uint64_t product = std::uint64_t{x} * y - (std::uint64_t{excess} << 32);
    const std::uint64_t third =
        ((std::uint64_t{c_high[lane]} << 32 | c_low[lane]) ^ (0 - negate)) + negate;
    const std::uint64_t partial = product + third;
    const std::uint64_t sum = partial + carry_in[lane];
    carry[lane] = static_cast<std::uint32_t>((partial < product ? 1 : 0) | (sum < partial ? 1 : 0));
    low[lane] = static_cast<std::uint32_t>(sum);
    high[lane] = static_cast<std::uint32_t>(sum >> 32);
  }
  if (instruction.predicate_destinations[0] % 8 != predicate_true) {
    lanes.write_predicate(0, mask_of(carry));
  }
  if (instruction.op == Op::imad_hi) {
    lanes.write(high);
    return;
  }
  lanes.write(low);
  lanes.write(high, 1);
}

inline void load_effective_address(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const Source& shifted = instruction.sources[0];
  const Source& added = instruction.sources[1];
  const Row& a = lanes.row(shifted);
  const Row& b = lanes.row(added);
  const std::uint32_t shift = instruction.shift;
  Row value;
  if (instruction.op == Op::lea_hi) {
    const Row& c = lanes.row(instruction.sources[2]);
    const std::uint64_t negate = shifted.negate ? 1 : 0;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      const std::uint32_t upper =
          instruction.sign_extend
              ? static_cast<std::uint32_t>(static_cast<std::int32_t>(a[lane]) >> 31)
              : c[lane];
      const std::uint64_t pair = ((std::uint64_t{upper} << 32 | a[lane]) ^ (0 - negate)) + negate;
      value[lane] = static_cast<std::uint32_t>(pair << shift >> 32);
    }
  } else {
    const std::uint32_t flip = shifted.negate ? full_mask : 0;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      value[lane] = (a[lane] << shift) ^ flip;
    }
  }
  // -x is ~x + 1: the ones join the carry.
  const std::uint32_t ones =
      (shifted.negate && instruction.op == Op::lea ? 1U : 0U) + (added.negate ? 1U : 0U);
  const std::uint32_t flip = added.negate || added.invert ? full_mask : 0;
  Row carry{};
  if (instruction.extended) {
    flags_of(lanes.predicate(instruction.predicates[0]), carry);
  }
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint32_t partial = value[lane] + (b[lane] ^ flip);
    const std::uint32_t extra = carry[lane] + ones;
    result[lane] = partial + extra;
    carry[lane] = static_cast<std::uint32_t>((partial < value[lane] ? 1 : 0) |
                                             (result[lane] < partial ? 1 : 0));
  }
  lanes.write(result);
  if (instruction.predicate_destinations[0] % 8 != predicate_true) {
    lanes.write_predicate(0, mask_of(carry));
  }
}

inline void shift_funnel(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool wide = instruction.from == Number::u64 || instruction.from == Number::s64;
  const bool is_signed = instruction.from == Number::s32 || instruction.from == Number::s64;
  const std::uint32_t width = wide ? 64 : 32;
  const std::uint32_t wrap_mask = instruction.wrap ? width - 1 : full_mask;
  const std::uint32_t down = instruction.high ? 32 : 0;
  // A shift of the 64-bit pair by up to its width; in two steps, because the host's stop at 63.
  const auto amount = [&](std::uint32_t count) { return std::min(count & wrap_mask, width); };
  const auto pair = [](std::uint32_t low, std::uint32_t upper) {
    return std::uint64_t{upper} << 32 | low;
  };
  if (instruction.left) {
    lanes.map3<Kind::integer>([&](std::uint32_t low, std::uint32_t count, std::uint32_t upper) {
      const std::uint32_t by = amount(count);
      return static_cast<std::uint32_t>(pair(low, upper) << by / 2 << (by - by / 2) >> down);
    });
  } else if (is_signed) {
    lanes.map3<Kind::integer>([&](std::uint32_t low, std::uint32_t count, std::uint32_t upper) {
      const std::uint32_t by = std::min(amount(count), 63U);
      return static_cast<std::uint32_t>(
          static_cast<std::uint64_t>(static_cast<std::int64_t>(pair(low, upper)) >> by) >> down);
    });
  } else {
    lanes.map3<Kind::integer>([&](std::uint32_t low, std::uint32_t count, std::uint32_t upper) {
      const std::uint32_t by = amount(count);
      return static_cast<std::uint32_t>(pair(low, upper) >> by / 2 >> (by - by / 2) >> down);
    });
  }
}

inline void logic3(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  Row space_a;
  Row space_b;
  Row space_c;
  const Row& a = lanes.operand<Kind::integer>(0, space_a);
  const Row& b = lanes.operand<Kind::integer>(1, space_b);
  const Row& c = lanes.operand<Kind::integer>(2, space_c);
  Row result;
  const std::uint8_t lut = instruction.lut;
  // Each term of the truth table that is set, as masks: no branch inside the loop.
  std::array<std::uint32_t, 8> terms{};
  for (std::uint32_t index = 0; index < 8; ++index) {
    terms[index] = (lut >> index & 1U) != 0 ? full_mask : 0;
  }
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint32_t x = a[lane];
    const std::uint32_t y = b[lane];
    const std::uint32_t z = c[lane];
    result[lane] = (terms[0] & ~x & ~y & ~z) | (terms[1] & ~x & ~y & z) | (terms[2] & ~x & y & ~z) |
                   (terms[3] & ~x & y & z) | (terms[4] & x & ~y & ~z) | (terms[5] & x & ~y & z) |
                   (terms[6] & x & y & ~z) | (terms[7] & x & y & z);
  }
  if (instruction.predicate_destinations[0] % 8 != predicate_true) {
    lanes.write_predicate(0, combined(instruction.combine, mask_of(result),
                                      lanes.predicate(instruction.predicates[0])));
  }
  lanes.write(result);
}

inline void integer_extreme(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool adds = instruction.op == Op::viaddmnmx;
  const std::uint32_t flip = instruction.from == Number::s32 ? sign_bit : 0;
  Row least;
  flags_of(lanes.predicate(instruction.predicates[0]), least);
  Row space_a;
  Row space_b;
  Row space_c;
  const Row& a = lanes.operand<Kind::integer>(0, space_a);
  const Row& b = lanes.operand<Kind::integer>(1, space_b);
  const Row& c = lanes.operand<Kind::integer>(2, space_c);
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint32_t left = a[lane] + (adds ? b[lane] : 0);
    const std::uint32_t right = adds ? c[lane] : b[lane];
    const std::uint32_t less = (left ^ flip) < (right ^ flip) ? 1 : 0;
    const std::uint32_t chosen = less == least[lane] ? left : right;
    result[lane] = instruction.relu && static_cast<std::int32_t>(chosen) < 0 ? 0 : chosen;
  }
  lanes.write(result);
}

inline void compare_integers(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool wide = instruction.from == Number::u64 || instruction.from == Number::s64;
  const bool is_signed = instruction.from == Number::s32 || instruction.from == Number::s64;
  std::uint32_t less = 0;
  std::uint32_t equal = 0;
  if (wide) {
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      const std::uint64_t a = lanes.wide(0, lane);
      const std::uint64_t b = lanes.wide(1, lane);
      const bool below =
          is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
      less |= static_cast<std::uint32_t>(below) << lane;
      equal |= static_cast<std::uint32_t>(a == b) << lane;
    }
  } else {
    Row space_a;
    Row space_b;
    const Row& a = lanes.operand<Kind::integer>(0, space_a);
    const Row& b = lanes.operand<Kind::integer>(1, space_b);
    const std::uint32_t flip = is_signed ? sign_bit : 0;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      less |= (a[lane] ^ flip) < (b[lane] ^ flip) ? lane_bits[lane] : 0;
      equal |= a[lane] == b[lane] ? lane_bits[lane] : 0;
    }
  }
  // With .EX this compares the high halves, and the verdict on the low ones decides a tie.
  const std::uint32_t low = instruction.extended ? lanes.predicate(instruction.predicates[1]) : 0;
  std::uint32_t verdict = 0;
  switch (instruction.compare) {
    case Compare::lt:
      verdict = less | (instruction.extended ? equal & low : 0);
      break;
    case Compare::le:
      verdict = less | (instruction.extended ? equal & low : equal);
      break;
    case Compare::gt:
      verdict = (~less & ~equal) | (instruction.extended ? equal & low : 0);
      break;
    case Compare::ge:
      verdict = (~less & ~equal) | (instruction.extended ? equal & low : equal);
      break;
    case Compare::eq:
      verdict = equal & (instruction.extended ? low : full_mask);
      break;
    case Compare::ne:
      verdict = ~equal | (instruction.extended ? low : 0);
      break;
    case Compare::t:
      verdict = full_mask;
      break;
    default:
      verdict = 0;
  }
  write_comparison(lanes, verdict);
}

inline std::uint32_t permuted(std::uint32_t a, std::uint32_t selector, std::uint32_t c) {
  const std::uint64_t bytes = std::uint64_t{c} << 32 | a;
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t choice = selector >> 4 * i & 0xfU;
    std::uint32_t byte = static_cast<std::uint32_t>(bytes >> 8 * (choice & 7)) & 0xffU;
    if ((choice & 8) != 0) {
      byte = (byte & 0x80U) != 0 ? 0xffU : 0;
    }
    result |= byte << 8 * i;
  }
  return result;
}

/// What the other modes of PRMT choose, as a selector: bytes from the chosen one on, up or down;
/// one byte or half four or two times; or the chosen byte to the left or right edge.
inline std::uint32_t permute_selector(Permute mode, std::uint32_t selector) {
  if (mode == Permute::index) {
    return selector;
  }
  const std::uint32_t chosen = selector & 3U;
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t byte = mode == Permute::f4e   ? chosen + i
                               : mode == Permute::b4e ? (chosen + 8 - i) & 7U
                               : mode == Permute::rc8 ? chosen
                               : mode == Permute::ecl ? std::max(i, chosen)
                               : mode == Permute::ecr ? std::min(i, chosen)
                                                      : 2 * (chosen & 1U) + i % 2;
    result |= byte << 4 * i;
  }
  return result;
}

inline std::uint32_t leading_one(std::uint32_t value, bool is_signed, bool as_shift) {
  if (is_signed && static_cast<std::int32_t>(value) < 0) {
    value = ~value;
  }
  if (value == 0) {
    return full_mask;
  }
  const auto position = static_cast<std::uint32_t>(31 - std::countl_zero(value));
  return as_shift ? 31 - position : position;
}

inline std::uint32_t reversed_bits(std::uint32_t value) {
  std::uint32_t result = 0;
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    result |= (value >> bit & 1U) << (31 - bit);
  }
  return result;
}

inline void dot4(const Lanes& lanes) {
  const bool signed_a = lanes.instruction.from == Number::s8;
  const bool signed_b = lanes.instruction.to == Number::s8;
  lanes.map3<Kind::integer>([&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t sum = c;
    for (std::uint32_t shift = 0; shift < 32; shift += 8) {
      const auto left = static_cast<std::uint8_t>(a >> shift);
      const auto right = static_cast<std::uint8_t>(b >> shift);
      const std::int32_t x = signed_a ? static_cast<std::int8_t>(left) : std::int32_t{left};
      const std::int32_t y = signed_b ? static_cast<std::int8_t>(right) : std::int32_t{right};
      sum += static_cast<std::uint32_t>(x * y);
    }
    return sum;
  });
}

inline void dot2(const Lanes& lanes) {
  const bool signed_a = lanes.instruction.from == Number::s16;
  const bool signed_b = lanes.instruction.to == Number::s8;
  const std::uint32_t first = lanes.instruction.high ? 16 : 0;
  lanes.map3<Kind::integer>([&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    std::uint32_t sum = c;
    for (std::uint32_t i = 0; i < 2; ++i) {
      const auto left = static_cast<std::uint16_t>(a >> 16 * i);
      const auto right = static_cast<std::uint8_t>(b >> (first + 8 * i));
      const std::int32_t x = signed_a ? static_cast<std::int16_t>(left) : std::int32_t{left};
      const std::int32_t y = signed_b ? static_cast<std::int8_t>(right) : std::int32_t{right};
      sum += static_cast<std::uint32_t>(x * y);
    }
    return sum;
  });
}

inline void wide_extreme(const Lanes& lanes) {
  const bool is_signed = lanes.instruction.from == Number::s64;
  const std::uint32_t least = lanes.predicate(lanes.instruction.predicates[0]);
  lanes.for_each([&](std::uint32_t lane) {
    const std::uint64_t a = lanes.wide(0, lane);
    const std::uint64_t b = lanes.wide(1, lane);
    const bool below =
        is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
    lanes.write_wide(lane, below == ((least >> lane & 1U) != 0) ? a : b);
  });
}

/// Sums, extremes and differences of integers of 8, 16 or 32 bits.
void packed_integers(Lanes lanes);

}  // namespace perfmodel::sass::execution
