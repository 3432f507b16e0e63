#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "model/sass/execute_float.hpp"
#include "model/sass/number_format.hpp"

namespace perfmodel::sass::execution {

namespace {

std::int64_t integer_from(Number number, std::uint64_t bits) {
  switch (number) {
    case Number::u8:
      return static_cast<std::uint8_t>(bits);
    case Number::s8:
      return static_cast<std::int8_t>(bits);
    case Number::u16:
      return static_cast<std::uint16_t>(bits);
    case Number::s16:
      return static_cast<std::int16_t>(bits);
    case Number::s32:
      return static_cast<std::int32_t>(bits);
    case Number::u32:
      return static_cast<std::uint32_t>(bits);
    default:
      return static_cast<std::int64_t>(bits);
  }
}

double rounded_to_integer(Rounding rounding, double value) {
  switch (rounding) {
    case Rounding::nearest:
      return std::nearbyint(value);
    case Rounding::down:
      return std::floor(value);
    case Rounding::up:
      return std::ceil(value);
    case Rounding::zero:
      return std::trunc(value);
  }
  return value;
}

/// Out of range gives the nearest value; not a number gives the top bit alone where the source or
/// the result has 64 bits, else zero (as an H200 does).
std::uint64_t clamped_integer(Number number, Number from, double value) {
  if (std::isnan(value)) {
    const bool wide = number == Number::s64 || number == Number::u64;
    return wide ? std::uint64_t{1} << 63 : from == Number::f64 ? std::uint64_t{1} << 31 : 0;
  }
  switch (number) {
    case Number::u64:
      return value <= 0        ? 0
             : value >= 0x1p64 ? std::numeric_limits<std::uint64_t>::max()
                               : static_cast<std::uint64_t>(value);
    case Number::s64:
      return value >= 0x1p63 ? static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
             : value <= -0x1p63 ? std::uint64_t{1} << 63
                                : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    case Number::u32:
      return static_cast<std::uint64_t>(std::clamp(value, 0.0, 4294967295.0));
    case Number::u16:
      return static_cast<std::uint64_t>(std::clamp(value, 0.0, 65535.0));
    case Number::u8:
      return static_cast<std::uint64_t>(std::clamp(value, 0.0, 255.0));
    case Number::s16:
      return static_cast<std::uint32_t>(
          static_cast<std::int32_t>(std::clamp(value, -32768.0, 32767.0)));
    case Number::s8:
      return static_cast<std::uint32_t>(
          static_cast<std::int32_t>(std::clamp(value, -128.0, 127.0)));
    default:
      return static_cast<std::uint32_t>(
          static_cast<std::int32_t>(std::clamp(value, -2147483648.0, 2147483647.0)));
  }
}

}  // namespace

void convert(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const Source& source = instruction.sources[0];
  const RoundingScope scope(instruction.op == Op::f2i || instruction.op == Op::frnd
                                ? Rounding::nearest
                                : instruction.rounding);
  lanes.for_each([&](std::uint32_t lane) {
    std::uint64_t bits = lanes.row(source)[lane];
    const bool wide_source = instruction.from == Number::f64 || instruction.from == Number::u64 ||
                             instruction.from == Number::s64;
    if (wide_source) {
      bits |= std::uint64_t{lanes.row(source, 1)[lane]} << 32;
    }
    bits >>= 8 * source.byte;
    if (instruction.op == Op::i2f) {
      const std::int64_t integer = integer_from(instruction.from, bits);
      const bool is_u64 = instruction.from == Number::u64;
      const std::int64_t value = source.negate ? -integer : integer;
      if (instruction.to == Number::f64) {
        const volatile double result = is_u64
                                           ? static_cast<double>(static_cast<std::uint64_t>(value))
                                           : static_cast<double>(value);
        lanes.write_wide(lane, std::bit_cast<std::uint64_t>(double{result}));
        return;
      }
      const volatile float result = is_u64 ? static_cast<float>(static_cast<std::uint64_t>(value))
                                           : static_cast<float>(value);
      lanes.warp.rows[instruction.destination][lane] =
          instruction.to == Number::f32
              ? as_bits(result)
              : half_from_double(static_cast<double>(value), instruction.to == Number::bf16,
                                 instruction.rounding);
      return;
    }
    double value = 0;
    switch (instruction.from) {
      case Number::f64:
        value = std::bit_cast<double>(bits);
        break;
      case Number::f16:
      case Number::bf16:
        value = double{
            float_from_half(static_cast<std::uint16_t>(bits), instruction.from == Number::bf16)};
        break;
      default:
        value = double{as_float(static_cast<std::uint32_t>(bits))};
        if (instruction.flush) {
          value = double{flushed(static_cast<float>(value))};
        }
    }
    value = source.absolute ? std::fabs(value) : value;
    value = source.negate ? -value : value;
    if (instruction.op == Op::f2i) {
      const std::uint64_t result = clamped_integer(instruction.to, instruction.from,
                                                   rounded_to_integer(instruction.rounding, value));
      if (instruction.to == Number::u64 || instruction.to == Number::s64) {
        lanes.write_wide(lane, result);
      } else {
        lanes.warp.rows[instruction.destination][lane] = static_cast<std::uint32_t>(result);
      }
      return;
    }
    if (instruction.op == Op::frnd) {
      value = rounded_to_integer(instruction.rounding, value);
    }
    if (instruction.to == Number::f64) {
      lanes.write_wide(lane, std::bit_cast<std::uint64_t>(value));
      return;
    }
    if (instruction.to != Number::f32) {
      value = instruction.saturate ? (value > 0 ? std::min(value, 1.0) : 0.0) : value;
      lanes.warp.rows[instruction.destination][lane] =
          half_from_double(value, instruction.to == Number::bf16,
                           instruction.op == Op::frnd ? Rounding::nearest : instruction.rounding);
      return;
    }
    const volatile double exact = value;
    const float narrow = finish_float(instruction, static_cast<float>(exact));
    lanes.warp.rows[instruction.destination][lane] = as_bits(narrow);
  });
}

void pack_halves(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool bfloat = instruction.to == Number::bf16;
  lanes.map2<Kind::f32>([&](std::uint32_t high, std::uint32_t low) {
    float upper = as_float(high);
    float lower = as_float(low);
    if (instruction.relu) {
      upper = upper <= 0 ? 0 : upper;
      lower = lower <= 0 ? 0 : lower;
    }
    const auto narrow = [&](float value) {
      return std::uint32_t{half_from_double(double{value}, bfloat, instruction.rounding)};
    };
    return narrow(upper) << 16 | narrow(lower);
  });
}

}  // namespace perfmodel::sass::execution
