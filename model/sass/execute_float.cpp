#include "model/sass/execute_float.hpp"

#include <array>
#include <bit>
#include <cmath>

namespace perfmodel::sass::execution {

void unusual_float(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const RoundingScope scope(instruction.rounding);
  Row space_a;
  Row space_b;
  Row space_c;
  const Row& a = lanes.operand<Kind::f32>(0, space_a);
  const Row& b = lanes.operand<Kind::f32>(1, space_b);
  const Row& c = lanes.operand<Kind::f32>(2, space_c);
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    // Volatile: the compiler does not know that the rounding was changed.
    volatile float x = as_float(a[lane]);
    volatile float y = as_float(b[lane]);
    volatile float z = as_float(c[lane]);
    if (instruction.flush) {
      x = flushed(x);
      y = flushed(y);
      z = flushed(z);
    }
    const volatile float value = instruction.op == Op::fadd   ? x + y
                                 : instruction.op == Op::fmul ? x * y
                                                              : std::fma(x, y, z);
    result[lane] = as_bits(finish_float(instruction, value));
  }
  lanes.write(result);
}

void packed_float(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const RoundingScope scope(instruction.rounding);
  std::array<Row, 2> results{};
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      const auto value = [&](std::size_t index) {
        const Source& source = instruction.sources[index];
        float x = as_float(lanes.row(source, half)[lane]);
        x = source.absolute ? std::fabs(x) : x;
        x = source.negate ? -x : x;
        return instruction.flush ? flushed(x) : x;
      };
      const volatile float x = value(0);
      const volatile float y = value(1);
      const volatile float z = instruction.op == Op::ffma2 ? value(2) : 0.0F;
      const volatile float r = instruction.op == Op::fadd2   ? x + y
                               : instruction.op == Op::fmul2 ? x * y
                                                             : std::fma(x, y, z);
      results[half][lane] = as_bits(finish_float(instruction, r));
    }
  }
  lanes.write(results[0]);
  lanes.write(results[1], 1);
}

void double_arithmetic(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const RoundingScope scope(instruction.rounding);
  const Op op = instruction.op;
  lanes.for_each([&](std::uint32_t lane) {
    const volatile double a = lanes.number(0, lane);
    const volatile double b = lanes.number(1, lane);
    const volatile double c = op == Op::dfma ? lanes.number(2, lane) : 0.0;
    double result = 0;
    if (op == Op::dadd) {
      result = a + b;
    } else if (op == Op::dmul) {
      result = a * b;
    } else if (op == Op::dfma) {
      result = std::fma(a, b, c);
    } else {
      const bool least = (lanes.predicate(instruction.predicates[0]) >> lane & 1U) != 0;
      result = least ? std::fmin(a, b) : std::fmax(a, b);
    }
    lanes.write_wide(lane, std::bit_cast<std::uint64_t>(result));
  });
}

void compare_floats(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool wide = instruction.op == Op::dsetp;
  std::uint32_t verdict = 0;
  std::uint32_t neither = 0;  // MIN, MAX: lanes without any number
  Row space_a;
  Row space_b;
  const Row& a = lanes.operand<Kind::f32>(0, space_a);
  const Row& b = lanes.operand<Kind::f32>(1, space_b);
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    double x = wide ? lanes.number(0, lane) : double{as_float(a[lane])};
    double y = wide ? lanes.number(1, lane) : double{as_float(b[lane])};
    if (instruction.flush) {
      x = double{flushed(static_cast<float>(x))};
      y = double{flushed(static_cast<float>(y))};
    }
    const bool unordered = std::isnan(x) || std::isnan(y);
    if (instruction.compare == Compare::min || instruction.compare == Compare::max) {
      const bool less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
      const bool first = instruction.compare == Compare::min ? less : !less;
      verdict |= static_cast<std::uint32_t>(!std::isnan(x) && (std::isnan(y) || first)) << lane;
      neither |= static_cast<std::uint32_t>(std::isnan(x) && std::isnan(y)) << lane;
      continue;
    }
    verdict |= static_cast<std::uint32_t>(compares(instruction.compare, x < y, x == y, unordered))
               << lane;
  }
  if (instruction.compare == Compare::min || instruction.compare == Compare::max) {
    const std::uint32_t with = lanes.predicate(instruction.predicates[0]);
    lanes.write_predicate(0, combined(instruction.combine, verdict, with));
    lanes.write_predicate(1, combined(instruction.combine, neither, with));
    return;
  }
  if (instruction.op == Op::fset) {
    const std::uint32_t lanes_true =
        combined(instruction.combine, verdict, lanes.predicate(instruction.predicates[0]));
    const std::uint32_t yes = instruction.high ? as_bits(1.0F) : full_mask;
    Row result;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      result[lane] = (lanes_true >> lane & 1U) != 0 ? yes : 0;
    }
    lanes.write(result);
    return;
  }
  write_comparison(lanes, verdict);
}

void float_extreme(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const std::uint32_t least = lanes.predicate(instruction.predicates[0]);
  Row space_a;
  Row space_b;
  const Row& a = lanes.operand<Kind::f32>(0, space_a);
  const Row& b = lanes.operand<Kind::f32>(1, space_b);
  const auto extreme = [&](std::uint32_t left, std::uint32_t right, std::uint32_t lane) {
    float x = as_float(left);
    float y = as_float(right);
    if (instruction.flush) {
      x = flushed(x);
      y = flushed(y);
    }
    const bool want_least = (least >> lane & 1U) != 0;
    if (instruction.extended && (std::isnan(x) || std::isnan(y))) {
      return 0x7fffffffU;
    }
    if (x == 0 && y == 0) {
      return std::signbit(x) == want_least ? as_bits(x) : as_bits(y);
    }
    return as_bits(want_least ? std::fmin(x, y) : std::fmax(x, y));
  };
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    result[lane] = extreme(a[lane], b[lane], lane);
  }
  if (instruction.op == Op::fmnmx3) {
    Row space_c;
    const Row& c = lanes.operand<Kind::f32>(2, space_c);
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      result[lane] = extreme(result[lane], c[lane], lane);
    }
  }
  lanes.write(result);
}

// Special operands, or exponents near the ends of the range.
void check_division(Lanes lanes) {
  Row space_a;
  Row space_b;
  const Row& a = lanes.operand<Kind::f32>(0, space_a);
  const Row& b = lanes.operand<Kind::f32>(1, space_b);
  std::uint32_t slow = 0;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const auto left = static_cast<int>(a[lane] >> 23 & 0xffU);
    const auto right = static_cast<int>(b[lane] >> 23 & 0xffU);
    // Zeros too: the fast path would lose the sign of one.
    const bool special = left == 255 || right == 255 || right == 0;
    const bool extreme = left - right >= 126 || left - right <= -125 || left <= 23 || right >= 252;
    slow |= static_cast<std::uint32_t>(special || extreme) << lane;
  }
  lanes.write_predicate(0, slow);
}

namespace {

float mufu(Function1 function, float x) {
  x = flushed(x);
  constexpr float two_pi = 6.283185307179586F;
  switch (function) {
    case Function1::rcp:
      return flushed(1.0F / x);
    case Function1::rsq:
      return 1.0F / std::sqrt(x);
    case Function1::sqrt:
      return std::sqrt(x);
    case Function1::ex2:
      return flushed(std::exp2(x));
    case Function1::lg2:
      return std::log2(x);
    case Function1::sin:
      // Sine and cosine take their argument in turns: RRO or a product came before.
      return std::sin(x * two_pi);
    case Function1::cos:
      return std::cos(x * two_pi);
    case Function1::tanh:
      return std::tanh(x);
    default:
      return 0;
  }
}

}  // namespace

void special_function(Lanes lanes) {
  const Function1 function = lanes.instruction.function;
  if (function == Function1::rcp64h || function == Function1::rsq64h) {
    // The high half of an approximation to about 20 bits, refined by the code that follows.
    lanes.map1<Kind::f32>([&](std::uint32_t high) {
      const double x = as_double(0, high);
      const double value = function == Function1::rcp64h ? 1.0 / x : 1.0 / std::sqrt(x);
      return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32);
    });
    return;
  }
  lanes.map1<Kind::f32>([&](std::uint32_t a) { return as_bits(mufu(function, as_float(a))); });
}

}  // namespace perfmodel::sass::execution
