#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "model/error.hpp"
#include "model/sass/block.hpp"
#include "model/sass/block_access.hpp"
#include "model/sass/block_state.hpp"
#include "model/sass/number_format.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::uint32_t sign_bit = 0x80000000U;

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }
double as_double(std::uint32_t low, std::uint32_t high) {
  return std::bit_cast<double>(std::uint64_t{high} << 32 | low);
}

/// The lanes whose flag is not zero.
inline std::uint32_t mask_of(const Row& flags) {
  std::uint32_t mask = 0;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    mask |= flags[lane] != 0 ? lane_bits[lane] : 0;
  }
  return mask;
}

/// 1 for the lanes of the mask, else 0.
inline void flags_of(std::uint32_t mask, Row& flags) {
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    flags[lane] = (mask & lane_bits[lane]) != 0 ? 1 : 0;
  }
}

/// What a source's modifiers mean.
enum class Kind : std::uint8_t { integer, f32, f16x2 };

/// One instruction's view of its warp: operands in, result out.
struct Lanes {
  const LaunchContext& context;
  Warp& warp;
  const Instruction& instruction;
  std::uint32_t mask;    ///< lanes that take part
  std::uint32_t active;  ///< lanes of the group, whatever the guard says

  [[nodiscard]] const Row& row(const Source& source, std::size_t next = 0) const {
    return source.pool ? context.pool[source.row + next] : warp.rows[source.row + next];
  }

  /// The operand with its modifiers applied; `space` holds it where they change anything.
  template <Kind K>
  const Row& operand(std::size_t index, Row& space) const {
    const Source& source = instruction.sources[index];
    const Row& raw = row(source);
    if (source.plain()) {
      return raw;
    }
    modify<K>(source, raw, space);
    return space;
  }

  template <Kind K>
  [[gnu::noinline]] static void modify(const Source& source, const Row& raw, Row& space) {
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      std::uint32_t value = raw[lane];
      if constexpr (K == Kind::f16x2) {
        const std::uint32_t low = value & 0xffffU;
        const std::uint32_t high = value >> 16;
        value = source.half == 1   ? low << 16 | low
                : source.half == 2 ? high << 16 | high
                : source.half == 3 ? low << 16 | high
                                   : value;
        value = source.absolute ? value & 0x7fff7fffU : value;
        value = source.negate ? value ^ 0x80008000U : value;
      } else if constexpr (K == Kind::f32) {
        value = source.absolute ? value & ~sign_bit : value;
        value = source.negate ? value ^ sign_bit : value;
      } else {
        const auto negative = static_cast<std::int32_t>(value) < 0;
        value = source.absolute && negative ? 0 - value : value;
        value = source.negate ? 0 - value : value;
        value = source.invert ? ~value : value;
      }
      space[lane] = value;
    }
  }

  [[nodiscard]] std::uint32_t predicate(const PredicateSource& source) const {
    const std::uint32_t lanes = warp.predicates[source.index];
    return source.negate ? ~lanes : lanes;
  }

  void write(const Row& result, std::size_t next = 0) const {
    Row& to = warp.rows[instruction.destination + next];
    if (mask == full_mask) {
      for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
        to[lane] = result[lane];
      }
      return;
    }
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      to[lane] = (mask & lane_bits[lane]) != 0 ? result[lane] : to[lane];
    }
  }

  void write_predicate(std::size_t which, std::uint32_t lanes) const {
    const std::uint8_t index = instruction.predicate_destinations[which];
    if (index % 8 != predicate_true) {
      std::uint32_t& to = warp.predicates[index];
      to = (to & ~mask) | (lanes & mask);
    }
  }

  template <Kind K, class F>
  void map1(F f) const {
    Row space;
    const Row& a = operand<K>(0, space);
    Row result;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      result[lane] = f(a[lane]);
    }
    write(result);
  }

  template <Kind K, class F>
  void map2(F f) const {
    Row space_a;
    Row space_b;
    const Row& a = operand<K>(0, space_a);
    const Row& b = operand<K>(1, space_b);
    Row result;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      result[lane] = f(a[lane], b[lane]);
    }
    write(result);
  }

  template <Kind K, class F>
  void map3(F f) const {
    Row space_a;
    Row space_b;
    Row space_c;
    const Row& a = operand<K>(0, space_a);
    const Row& b = operand<K>(1, space_b);
    const Row& c = operand<K>(2, space_c);
    Row result;
    for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
      result[lane] = f(a[lane], b[lane], c[lane]);
    }
    write(result);
  }

  /// 64-bit integer operand with its sign applied.
  [[nodiscard]] std::uint64_t wide(std::size_t index, std::uint32_t lane) const {
    const Source& source = instruction.sources[index];
    std::uint64_t value = std::uint64_t{row(source, 1)[lane]} << 32 | row(source)[lane];
    value = source.invert ? ~value : value;
    return source.negate ? 0 - value : value;
  }

  [[nodiscard]] double number(std::size_t index, std::uint32_t lane) const {
    const Source& source = instruction.sources[index];
    double value = as_double(row(source)[lane], row(source, 1)[lane]);
    value = source.absolute ? std::fabs(value) : value;
    return source.negate ? -value : value;
  }

  void write_wide(std::uint32_t lane, std::uint64_t value) const {
    warp.rows[instruction.destination][lane] = static_cast<std::uint32_t>(value);
    warp.rows[instruction.destination + 1][lane] = static_cast<std::uint32_t>(value >> 32);
  }

  template <class F>
  void for_each(F f) const {
    for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
      f(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    }
  }
};

/// Changes the rounding of the host while it lives.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) {
    if (rounding != Rounding::nearest) {
      changed_ = true;
      std::fesetround(rounding == Rounding::down ? FE_DOWNWARD
                      : rounding == Rounding::up ? FE_UPWARD
                                                 : FE_TOWARDZERO);
    }
  }
  ~RoundingScope() {
    if (changed_) {
      std::fesetround(FE_TONEAREST);
    }
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool changed_ = false;
};

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

float finish_float(const Instruction& instruction, float value) {
  if (instruction.flush) {
    value = flushed(value);
  }
  if (instruction.saturate) {
    value = value > 0 ? std::min(value, 1.0F) : 0.0F;  // a NaN becomes zero
  }
  return value;
}

bool compares(Compare compare, bool less, bool equal, bool unordered) {
  const bool greater = !less && !equal && !unordered;
  switch (compare) {
    case Compare::f:
      return false;
    case Compare::lt:
      return less;
    case Compare::eq:
      return equal;
    case Compare::le:
      return less || equal;
    case Compare::gt:
      return greater;
    case Compare::ne:
      return less || greater;
    case Compare::ge:
      return greater || equal;
    case Compare::num:
      return !unordered;
    case Compare::nan:
      return unordered;
    case Compare::ltu:
      return less || unordered;
    case Compare::equ:
      return equal || unordered;
    case Compare::leu:
      return less || equal || unordered;
    case Compare::gtu:
      return greater || unordered;
    case Compare::neu:
      return !equal;
    case Compare::geu:
      return greater || equal || unordered;
    case Compare::t:
      return true;
    case Compare::min:
    case Compare::max:
      break;
  }
  return false;
}

std::uint32_t combined(Combine combine, std::uint32_t left, std::uint32_t right) {
  switch (combine) {
    case Combine::and_:
      return left & right;
    case Combine::or_:
      return left | right;
    case Combine::xor_:
      return left ^ right;
  }
  return left;
}

void write_comparison(const Lanes& lanes, std::uint32_t verdict) {
  const std::uint32_t with = lanes.predicate(lanes.instruction.predicates[0]);
  lanes.write_predicate(0, combined(lanes.instruction.combine, verdict, with));
  lanes.write_predicate(1, combined(lanes.instruction.combine, ~verdict, with));
}

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

// --- integer ---------------------------------------------------------------------------------

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

std::uint32_t permuted(std::uint32_t a, std::uint32_t selector, std::uint32_t c) {
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
std::uint32_t permute_selector(Permute mode, std::uint32_t selector) {
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

std::uint32_t leading_one(std::uint32_t value, bool is_signed, bool as_shift) {
  if (is_signed && static_cast<std::int32_t>(value) < 0) {
    value = ~value;
  }
  if (value == 0) {
    return full_mask;
  }
  const auto position = static_cast<std::uint32_t>(31 - std::countl_zero(value));
  return as_shift ? 31 - position : position;
}

std::uint32_t reversed_bits(std::uint32_t value) {
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

/// Sums, extremes and differences of integers of 8, 16 or 32 bits.
[[gnu::noinline]] void packed_integers(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const std::uint32_t bits = instruction.element_bits;
  const std::uint32_t unused = 32 - bits;
  const bool is_signed = instruction.from == Number::s32;
  const std::uint32_t least = lanes.predicate(instruction.predicates[0]);
  const auto element = [&](std::size_t index, std::uint32_t lane, std::uint32_t shift) {
    const std::uint32_t value = lanes.row(instruction.sources[index])[lane] >> shift << unused;
    const std::int64_t number = is_signed ? std::int64_t{static_cast<std::int32_t>(value) >> unused}
                                          : std::int64_t{value >> unused};
    return instruction.sources[index].negate ? -number : number;
  };
  const auto wrapped = [&](std::int64_t value) {
    const std::uint32_t low = static_cast<std::uint32_t>(value) << unused;
    return is_signed ? std::int64_t{static_cast<std::int32_t>(low) >> unused}
                     : std::int64_t{low >> unused};
  };
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    std::uint32_t packed = 0;
    std::int64_t sum = 0;
    for (std::uint32_t shift = 0; shift < 32; shift += bits) {
      const std::int64_t a = element(0, lane, shift);
      const std::int64_t b = element(1, lane, shift);
      const auto extreme = [&](std::int64_t x, std::int64_t y) {
        return (least >> lane & 1U) != 0 ? std::min(x, y) : std::max(x, y);
      };
      std::int64_t value = 0;
      switch (instruction.packed) {
        case Packed::add:
          value = a + b;
          break;
        case Packed::extreme:
          value = extreme(a, b);
          break;
        case Packed::add_extreme:
          value = extreme(wrapped(a + b), element(2, lane, shift));
          break;
        case Packed::extreme3:
          value = extreme(extreme(a, b), element(2, lane, shift));
          break;
        case Packed::difference:
          value = a < b ? b - a : a - b;
          sum += value;
          break;
      }
      value = instruction.relu ? std::max<std::int64_t>(value, 0) : value;
      packed |= static_cast<std::uint32_t>(value) << unused >> unused << shift;
    }
    if (instruction.packed == Packed::difference) {
      // Of words the third operand is added; of bytes, where they are summed up.
      const std::uint32_t added = lanes.row(instruction.sources[2])[lane];
      packed = instruction.high ? static_cast<std::uint32_t>(sum) + added
               : bits == 32     ? packed + added
                                : packed;
    }
    result[lane] = packed;
  }
  lanes.write(result);
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

// --- floating point --------------------------------------------------------------------------

/// Results for single-precision instructions with a rounding, a flush or a saturation.
[[gnu::noinline]] void unusual_float(const Lanes& lanes) {
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

inline bool usual_float(const Instruction& instruction) {
  return instruction.rounding == Rounding::nearest && !instruction.flush && !instruction.saturate;
}

inline void fused_multiply_add(const Lanes& lanes) {
  lanes.map3<Kind::f32>([](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return as_bits(__builtin_fmaf(as_float(a), as_float(b), as_float(c)));
  });
}

/// Two single-precision results side by side (sm_100 and later).
[[gnu::noinline]] void packed_float(const Lanes& lanes) {
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

[[gnu::noinline]] void double_arithmetic(const Lanes& lanes) {
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

[[gnu::noinline]] void compare_floats(const Lanes& lanes) {
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

[[gnu::noinline]] void float_extreme(const Lanes& lanes) {
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

/// Whether a / b needs the slow path: special operands, or exponents near the ends of the range.
[[gnu::noinline]] void check_division(const Lanes& lanes) {
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

[[gnu::noinline]] void special_function(const Lanes& lanes) {
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

[[gnu::noinline]] void half_arithmetic(const Lanes& lanes) {
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

[[gnu::noinline]] void half_comparison(const Lanes& lanes) {
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

// --- conversions -----------------------------------------------------------------------------

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

[[gnu::noinline]] void convert(const Lanes& lanes) {
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

[[gnu::noinline]] void pack_halves(const Lanes& lanes) {
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

// --- across lanes ----------------------------------------------------------------------------

void shuffle(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const Row value = lanes.row(instruction.sources[0]);
  const Row& shift = lanes.row(instruction.sources[1]);
  const Row& control = lanes.row(instruction.sources[2]);
  Row result = value;
  std::uint32_t inside = 0;
  lanes.for_each([&](std::uint32_t lane) {
    const std::uint32_t by = shift[lane] & 31U;
    const std::uint32_t clamp = control[lane] & 31U;
    const std::uint32_t segment = control[lane] >> 8 & 31U;
    const std::uint32_t highest = (lane & segment) | (clamp & ~segment);
    const std::uint32_t lowest = lane & segment;
    std::int32_t from = 0;
    bool valid = false;
    const auto self = static_cast<std::int32_t>(lane);
    switch (instruction.shuffle) {
      case ShuffleMode::up:
        from = self - static_cast<std::int32_t>(by);
        valid = std::cmp_greater_equal(from, highest);
        break;
      case ShuffleMode::down:
        from = self + static_cast<std::int32_t>(by);
        valid = std::cmp_less_equal(from, highest);
        break;
      case ShuffleMode::bfly:
        from = self ^ static_cast<std::int32_t>(by);
        valid = std::cmp_less_equal(from, highest);
        break;
      case ShuffleMode::idx:
        from = static_cast<std::int32_t>(lowest | (by & ~segment & 31U));
        valid = std::cmp_less_equal(from, highest);
        break;
    }
    if (valid) {
      inside |= 1U << lane;
      result[lane] = value[static_cast<std::size_t>(from) % warp_lanes];
    }
  });
  lanes.write(result);
  lanes.write_predicate(0, inside);
}

void vote(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const std::uint32_t voters = lanes.active & lanes.mask;
  const std::uint32_t yes = lanes.predicate(instruction.predicates[0]) & voters;
  const bool verdict = instruction.vote == VoteMode::any   ? yes != 0
                       : instruction.vote == VoteMode::all ? yes == voters
                                                           : yes == 0 || yes == voters;
  Row ballot;
  ballot.fill(yes);
  lanes.write(ballot);
  lanes.write_predicate(0, verdict ? full_mask : 0);
}

void reduce(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const Row& value = lanes.row(instruction.sources[0]);
  bool first = true;
  std::uint32_t result = 0;
  lanes.for_each([&](std::uint32_t lane) {
    const std::uint32_t next = value[lane];
    if (std::exchange(first, false)) {
      result = next;
      return;
    }
    const bool less = instruction.from == Number::s32
                          ? static_cast<std::int32_t>(next) < static_cast<std::int32_t>(result)
                          : next < result;
    switch (instruction.atomic) {
      case AtomicOp::add:
        result += next;
        break;
      case AtomicOp::min:
        result = less ? next : result;
        break;
      case AtomicOp::max:
        result = less ? result : next;
        break;
      case AtomicOp::or_:
        result |= next;
        break;
      case AtomicOp::xor_:
        result ^= next;
        break;
      default:
        result &= next;
    }
  });
  lanes.warp.rows[instruction.destination].fill(result);
}

void match(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool wide = instruction.from == Number::u64;
  const auto value = [&](std::uint32_t lane) {
    return wide ? lanes.wide(0, lane) : std::uint64_t{lanes.row(instruction.sources[0])[lane]};
  };
  Row result{};
  lanes.for_each([&](std::uint32_t lane) {
    lanes.for_each([&](std::uint32_t other) {
      result[lane] |= static_cast<std::uint32_t>(value(lane) == value(other)) << other;
    });
  });
  if (instruction.vote == VoteMode::all) {
    std::uint32_t all = 0;
    lanes.for_each([&](std::uint32_t lane) {
      const bool same = result[lane] == lanes.mask;
      all |= static_cast<std::uint32_t>(same) << lane;
      result[lane] = same ? lanes.mask : 0;
    });
    lanes.write_predicate(0, all);
  }
  lanes.write(result);
}

void query_space(const Lanes& lanes) {
  const MemorySpace wanted = lanes.instruction.space;
  std::uint32_t inside = 0;
  lanes.for_each([&](std::uint32_t lane) {
    const std::uint64_t address =
        lanes.wide(0, lane) + static_cast<std::uint64_t>(lanes.instruction.address.offset);
    inside |= space_of(address) == wanted ? 1U << lane : 0;
  });
  lanes.write_predicate(0, inside);
}

/// The first lane's value, in every lane.
void to_uniform(const Lanes& lanes) {
  const Row& value = lanes.row(lanes.instruction.sources[0]);
  const std::uint32_t first =
      value[static_cast<std::size_t>(std::countr_zero(lanes.active | sign_bit))];
  lanes.warp.rows[lanes.instruction.destination].fill(first);
}

void special_register(const Lanes& lanes, const std::array<std::uint32_t, 3>& block,
                      std::uint64_t executed) {
  const Launch& launch = *lanes.context.launch;
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint32_t thread = lanes.warp.number * warp_lanes + lane;
    const std::uint32_t x = launch.block[0];
    const std::uint32_t y = launch.block[1];
    std::uint32_t value = 0;
    switch (lanes.instruction.special) {
      case Special::tid_x:
        value = thread % x;
        break;
      case Special::tid_y:
        value = thread / x % y;
        break;
      case Special::tid_z:
        value = thread / x / y;
        break;
      case Special::ctaid_x:
      case Special::ctaid_y:
      case Special::ctaid_z:
        value = block[static_cast<std::size_t>(lanes.instruction.special) -
                      static_cast<std::size_t>(Special::ctaid_x)];
        break;
      case Special::ntid_x:
      case Special::ntid_y:
      case Special::ntid_z:
        value = launch.block[static_cast<std::size_t>(lanes.instruction.special) -
                             static_cast<std::size_t>(Special::ntid_x)];
        break;
      case Special::nctaid_x:
      case Special::nctaid_y:
      case Special::nctaid_z:
        value = launch.grid[static_cast<std::size_t>(lanes.instruction.special) -
                            static_cast<std::size_t>(Special::nctaid_x)];
        break;
      case Special::laneid:
        value = lane;
        break;
      case Special::warpid:
        value = lanes.warp.number;
        break;
      case Special::eqmask:
        value = 1U << lane;
        break;
      case Special::ltmask:
        value = (1U << lane) - 1;
        break;
      case Special::lemask:
        value = (2U << lane) - 1;
        break;
      case Special::gtmask:
        value = ~((2U << lane) - 1);
        break;
      case Special::gemask:
        value = ~((1U << lane) - 1);
        break;
      case Special::clock:
        value = static_cast<std::uint32_t>(executed);
        break;
      case Special::shared_window:
        value = static_cast<std::uint32_t>(shared_window >> 32);
        break;
      case Special::local_window:
        value = static_cast<std::uint32_t>(local_window >> 32);
        break;
      case Special::smid:
      case Special::zero:
        value = 0;
        break;
    }
    result[lane] = value;
  }
  lanes.write(result);
  if (lanes.instruction.high) {
    lanes.write(Row{}, 1);
  }
}

void predicates_to_register(const Lanes& lanes) {
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

void register_to_predicates(const Lanes& lanes) {
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

void select(const Lanes& lanes, bool is_float) {
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

/// Whatever is not computed becomes zero, and predicates true, so that waiting loops end.
void write_nothing(const Lanes& lanes) {
  if (lanes.instruction.has_destination) {
    for (std::size_t row = 0; row < lanes.instruction.zeroed_rows; ++row) {
      lanes.write(Row{}, row);
    }
  }
  lanes.write_predicate(0, full_mask);
}

/// Everything that changes only registers and predicates. Inlined into one function per
/// instruction set of the host.
[[gnu::always_inline]] inline void compute(const Lanes& lanes,
                                           const std::array<std::uint32_t, 3>& block,
                                           std::uint64_t executed) {
  const Instruction& instruction = lanes.instruction;
  switch (instruction.op) {
    case Op::mov:
      lanes.map1<Kind::integer>([](std::uint32_t a) { return a; });
      break;
    case Op::mov64:
      lanes.for_each([&](std::uint32_t lane) { lanes.write_wide(lane, lanes.wide(0, lane)); });
      break;
    case Op::sel:
      select(lanes, false);
      break;
    case Op::sel64: {
      const std::uint32_t first = lanes.predicate(instruction.predicates[0]);
      lanes.for_each([&](std::uint32_t lane) {
        lanes.write_wide(lane, lanes.wide((first >> lane & 1U) != 0 ? 0 : 1, lane));
      });
      break;
    }
    case Op::fsel:
      select(lanes, true);
      break;
    case Op::iadd3:
      add3(lanes);
      break;
    case Op::iadd64:
      add64(lanes);
      break;
    case Op::imad:
      multiply_add(lanes);
      break;
    case Op::imad_wide:
    case Op::imad_hi:
      multiply_add_wide(lanes);
      break;
    case Op::lea:
    case Op::lea_hi:
      load_effective_address(lanes);
      break;
    case Op::shf:
      shift_funnel(lanes);
      break;
    case Op::lop3:
      logic3(lanes);
      break;
    case Op::imnmx:
    case Op::viaddmnmx:
      integer_extreme(lanes);
      break;
    case Op::imnmx64:
      wide_extreme(lanes);
      break;
    case Op::packed_integer:
      packed_integers(lanes);
      break;
    case Op::isetp:
      compare_integers(lanes);
      break;
    case Op::iabs:
      lanes.map1<Kind::integer>(
          [](std::uint32_t a) { return static_cast<std::int32_t>(a) < 0 ? 0 - a : a; });
      break;
    case Op::popc:
      lanes.map1<Kind::integer>(
          [](std::uint32_t a) { return static_cast<std::uint32_t>(std::popcount(a)); });
      break;
    case Op::flo:
      lanes.map1<Kind::integer>([&](std::uint32_t a) {
        return leading_one(a, instruction.from == Number::s32, instruction.sign_extend);
      });
      break;
    case Op::brev:
      lanes.map1<Kind::integer>([](std::uint32_t a) { return reversed_bits(a); });
      break;
    case Op::prmt:
      lanes.map3<Kind::integer>([&](std::uint32_t a, std::uint32_t selector, std::uint32_t c) {
        return permuted(a, permute_selector(instruction.permute, selector), c);
      });
      break;
    case Op::sgxt:
      lanes.map2<Kind::integer>([&](std::uint32_t a, std::uint32_t width) {
        const std::uint32_t bits = instruction.wrap ? width % 32 : std::min(width, 32U);
        if (bits == 0) {
          return 0U;
        }
        const std::uint32_t unused = 32 - bits;
        return instruction.from == Number::s32
                   ? static_cast<std::uint32_t>(static_cast<std::int32_t>(a << unused) >>
                                                static_cast<std::int32_t>(unused))
                   : a << unused >> unused;
      });
      break;
    case Op::bmsk:
      lanes.map2<Kind::integer>([&](std::uint32_t start, std::uint32_t width) {
        const std::uint32_t from = instruction.wrap ? start % 32 : start;
        const std::uint64_t ones =
            (std::uint64_t{1} << std::min(instruction.wrap ? width % 32 : width, 32U)) - 1;
        return from >= 32 ? 0U : static_cast<std::uint32_t>(ones << from);
      });
      break;
    case Op::dp4a:
      dot4(lanes);
      break;
    case Op::dp2a:
      dot2(lanes);
      break;
    case Op::plop3: {
      const std::uint32_t a = lanes.predicate(instruction.predicates[0]);
      const std::uint32_t b = lanes.predicate(instruction.predicates[1]);
      const std::uint32_t c = lanes.predicate(instruction.predicates[2]);
      lanes.write_predicate(0, lookup(instruction.lut, a, b, c));
      lanes.write_predicate(1, lookup(instruction.lut2, a, b, c));
      break;
    }
    case Op::p2r:
      predicates_to_register(lanes);
      break;
    case Op::r2p:
      register_to_predicates(lanes);
      break;
    case Op::fadd:
      if (usual_float(instruction)) {
        lanes.map2<Kind::f32>(
            [](std::uint32_t a, std::uint32_t b) { return as_bits(as_float(a) + as_float(b)); });
      } else {
        unusual_float(lanes);
      }
      break;
    case Op::fmul:
      if (usual_float(instruction)) {
        lanes.map2<Kind::f32>(
            [](std::uint32_t a, std::uint32_t b) { return as_bits(as_float(a) * as_float(b)); });
      } else {
        unusual_float(lanes);
      }
      break;
    case Op::ffma:
      if (usual_float(instruction)) {
        fused_multiply_add(lanes);
      } else {
        unusual_float(lanes);
      }
      break;
    case Op::fadd2:
    case Op::fmul2:
    case Op::ffma2:
      packed_float(lanes);
      break;
    case Op::fmnmx:
    case Op::fmnmx3:
      float_extreme(lanes);
      break;
    case Op::fsetp:
    case Op::fset:
    case Op::dsetp:
      compare_floats(lanes);
      break;
    case Op::fchk:
      check_division(lanes);
      break;
    case Op::mufu:
      special_function(lanes);
      break;
    case Op::dadd:
    case Op::dmul:
    case Op::dfma:
    case Op::dmnmx:
      double_arithmetic(lanes);
      break;
    case Op::hadd2:
    case Op::hmul2:
    case Op::hfma2:
      half_arithmetic(lanes);
      break;
    case Op::hmnmx2:
    case Op::hsetp2:
    case Op::hset2:
      half_comparison(lanes);
      break;
    case Op::i2f:
    case Op::f2i:
    case Op::f2f:
    case Op::frnd:
      convert(lanes);
      break;
    case Op::f2fp:
      pack_halves(lanes);
      break;
    case Op::s2r:
    case Op::cs2r:
      special_register(lanes, block, executed);
      break;
    case Op::r2ur:
      to_uniform(lanes);
      break;
    case Op::vote:
      vote(lanes);
      break;
    case Op::redux:
      reduce(lanes);
      break;
    case Op::shfl:
      shuffle(lanes);
      break;
    case Op::match:
      match(lanes);
      break;
    case Op::qspc:
      query_space(lanes);
      break;
    case Op::elect: {
      const std::uint32_t first = lanes.mask & (0 - lanes.mask);
      Row row;
      row.fill(static_cast<std::uint32_t>(std::countr_zero(lanes.mask | sign_bit)));
      lanes.write(row);
      lanes.write_predicate(0, first);
      break;
    }
    case Op::b2r: {
      Row row;
      row.fill(lanes.warp.barrier_result);
      lanes.write(row);
      lanes.write_predicate(0, lanes.warp.barrier_result != 0 ? full_mask : 0);
      break;
    }
    case Op::bmov_from: {
      Row& register_row = lanes.warp.convergence[instruction.barrier_register];
      lanes.write(register_row);
      if (instruction.high) {
        lanes.for_each([&](std::uint32_t lane) { register_row[lane] = 0; });
      }
      break;
    }
    case Op::bmov_to: {
      const Row& value = lanes.row(instruction.sources[0]);
      lanes.for_each([&](std::uint32_t lane) {
        lanes.warp.convergence[instruction.barrier_register][lane] = value[lane];
      });
      break;
    }
    case Op::not_computed:
    case Op::unknown:
      write_nothing(lanes);
      break;
    default:
      break;
  }
}

}  // namespace

[[gnu::always_inline]] inline void BlockEmulator::run_lanes(Warp& warp) {
  const std::uint64_t end = executed_ + turn_instructions;
  const auto* const instructions = code_.instructions.data();
  const auto count = static_cast<std::uint32_t>(code_.instructions.size());
  InstructionCounter* const counters = counts_.instructions.data();
  while (executed_ < end) {
    LaneGroup& group = warp.groups[warp.current];
    const std::uint32_t position = group.position;
    if (position >= count) {
      fail(fmt::format("{}: the code ends at address {:#06x} without EXIT",
                       printable(context_.function->name), position * instruction_bytes));
    }
    const Instruction& instruction = instructions[position];
    const std::uint32_t active = group.mask;
    if (instruction.skip != 0) {
      // Nothing that is counted depends on these: count them and pass on.
      const std::uint32_t behind = position + instruction.skip;
      const auto lanes = static_cast<std::int64_t>(std::popcount(active));
      ++skipped_executions_[position];
      --skipped_executions_[behind];
      skipped_lanes_[position] += lanes;
      skipped_lanes_[behind] -= lanes;
      executed_ += instruction.skip;
      group.position = behind;
      continue;
    }
    ++executed_;
    ++work_;
    const PredicateSource guard = instruction.guard;
    const std::uint32_t guard_lanes =
        guard.negate ? ~warp.predicates[guard.index] : warp.predicates[guard.index];
    std::uint32_t mask = active & guard_lanes;
    InstructionCounter& counter = counters[position];
    ++counter.executions;
    counter.active_lanes += static_cast<std::uint64_t>(std::popcount(active));
    counter.predicated_lanes += static_cast<std::uint64_t>(std::popcount(mask));
    if (instruction.uniform) {
      mask = mask != 0 ? full_mask : 0;
    }
    switch (instruction.op) {
      case Op::nop:
        ++group.position;
        break;
      case Op::load:
        while (mask != 0) {
          Access access;
          mask = resolve(warp, position, instruction.address, instruction.space, mask, access);
          execute_load(warp, access);
        }
        ++group.position;
        break;
      case Op::store:
        while (mask != 0) {
          Access access;
          mask = resolve(warp, position, instruction.address, instruction.space, mask, access);
          execute_store(warp, access);
        }
        ++group.position;
        break;
      case Op::atomic:
        while (mask != 0) {
          Access access;
          mask = resolve(warp, position, instruction.address, instruction.space, mask, access);
          execute_atomic(warp, access);
        }
        ++group.position;
        break;
      case Op::ldc:
        if (mask != 0) {
          execute_constant_load(warp, position, mask);
        }
        ++group.position;
        break;
      case Op::ldgsts:
        if (mask != 0) {
          execute_async_copy(warp, position, mask);
        }
        ++group.position;
        break;
      case Op::ldsm:
        if (mask != 0) {
          execute_matrix_load(warp, position, mask);
        }
        ++group.position;
        break;
      case Op::bra: {
        std::uint32_t taken = mask;
        const PredicateSource condition = instruction.predicates[0];
        taken &=
            condition.negate ? ~warp.predicates[condition.index] : warp.predicates[condition.index];
        if (instruction.high) {
          const Source& lanes = instruction.sources[0];
          const Row& wanted = lanes.pool ? context_.pool[lanes.row] : warp.rows[lanes.row];
          const std::uint32_t members = lanes.invert ? ~wanted[0] : wanted[0];
          // BRA.DIV: only where some of them are elsewhere; BRA.CONV: only where none is.
          taken = ((members & warp.live & ~active) == 0) == instruction.left ? taken : 0;
        }
        counter.taken += taken != 0 ? 1 : 0;
        const auto target = static_cast<std::uint32_t>(instruction.target);
        if (taken == active) {
          group.position = target;
        } else if (taken == 0) {
          ++group.position;
        } else {
          ++counter.divergences;
          split(warp, taken, target, active & ~taken, position + 1);
        }
        break;
      }
      case Op::call:
        if (mask == active) {
          counter.taken += 1;
          group.position = static_cast<std::uint32_t>(instruction.target);
        } else if (mask == 0) {
          ++group.position;
        } else {
          ++counter.divergences;
          counter.taken += 1;
          split(warp, mask, static_cast<std::uint32_t>(instruction.target), active & ~mask,
                position + 1);
        }
        break;
      case Op::brx:
      case Op::ret:
        jump_indirectly(warp, instruction, mask, counter);
        break;
      case Op::exit: {
        const PredicateSource condition = instruction.predicates[0];
        mask &=
            condition.negate ? ~warp.predicates[condition.index] : warp.predicates[condition.index];
        ++group.position;
        if (mask != 0) {
          leave(warp, mask);
          if (warp.live == 0 || !select_group(warp, false)) {
            return;
          }
        }
        break;
      }
      case Op::bssy: {
        Row& met = warp.convergence[instruction.barrier_register];
        for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
          met[lane] = (active & lane_bits[lane]) != 0 ? active : met[lane];
        }
        ++group.position;
        break;
      }
      case Op::bsync: {
        const PredicateSource condition = instruction.predicates[0];
        const std::uint32_t waits = mask & (condition.negate ? ~warp.predicates[condition.index]
                                                             : warp.predicates[condition.index]);
        if (waits == active) {
          wait_for_convergence(warp, instruction.barrier_register);
        } else if (waits == 0) {
          ++group.position;
        } else {
          split(warp, waits, position, active & ~waits, position + 1);
          warp.current = position_of_group(warp, waits);
          wait_for_convergence(warp, instruction.barrier_register);
        }
        if (!select_group(warp, false)) {
          return;
        }
        break;
      }
      case Op::breakb: {
        const PredicateSource condition = instruction.predicates[0];
        const std::uint32_t leaves = mask & (condition.negate ? ~warp.predicates[condition.index]
                                                              : warp.predicates[condition.index]);
        for (std::uint32_t& met : warp.convergence[instruction.barrier_register]) {
          met &= ~leaves;
        }
        ++group.position;
        if (leaves != 0) {
          release_convergence(warp);
        }
        break;
      }
      case Op::warpsync: {
        const Source& source = instruction.sources[0];
        const Row& wanted = source.pool ? context_.pool[source.row] : warp.rows[source.row];
        if (mask == 0) {
          ++group.position;
        } else {
          wait_for_lanes(warp, wanted[static_cast<std::size_t>(std::countr_zero(mask))]);
        }
        if (!select_group(warp, false)) {
          return;
        }
        break;
      }
      case Op::yield:
        warp.yielded = true;
        ++group.position;
        break;
      case Op::bar:
        if (mask == 0) {
          ++group.position;
          break;
        }
        arrive_at_barrier(warp, instruction, mask);
        if (!select_group(warp, false)) {
          return;
        }
        break;
      case Op::trap:
        if (mask != 0) {
          fail(fmt::format("{}: block ({},{},{}) runs into a trap at {}",
                           printable(context_.function->name), block_[0], block_[1], block_[2],
                           where(position)));
        }
        ++group.position;
        break;
      default:
        if (mask != 0 && instruction.needed) {
          compute(Lanes{context_, warp, instruction, mask, active}, block_, executed_);
        }
        ++group.position;
    }
  }
}

std::size_t BlockEmulator::position_of_group(const Warp& warp, std::uint32_t mask) {
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    if (warp.groups[i].mask == mask) {
      return i;
    }
  }
  return 0;
}

/// BRX and RET: every lane goes where its register says.
void BlockEmulator::jump_indirectly(Warp& warp, const Instruction& instruction, std::uint32_t mask,
                                    InstructionCounter& counter) {
  const Source& source = instruction.sources[0];
  const Row& low = source.pool ? context_.pool[source.row] : warp.rows[source.row];
  const std::uint32_t active = warp.groups[warp.current].mask;
  const std::uint32_t position = warp.groups[warp.current].position;
  std::uint32_t remaining = mask;
  std::uint32_t stay = active & ~mask;
  counter.taken += mask != 0 ? 1 : 0;
  bool first = true;
  while (remaining != 0) {
    const std::uint32_t value = low[static_cast<std::size_t>(std::countr_zero(remaining))];
    std::uint32_t together = 0;
    for (std::uint32_t lanes = remaining; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
      together |= low[lane] == value ? 1U << lane : 0;
    }
    remaining &= ~together;
    const std::int64_t address =
        std::int64_t{static_cast<std::int32_t>(value)} + instruction.address.offset;
    if (address < 0 || address % instruction_bytes != 0 ||
        address / instruction_bytes >= static_cast<std::int64_t>(code_.instructions.size())) {
      fail(fmt::format("{}: the jump at {} leaves the code (to {:#x})",
                       printable(context_.function->name), where(position), address));
    }
    const auto target = static_cast<std::uint32_t>(address / instruction_bytes);
    if (std::exchange(first, false)) {
      warp.groups[warp.current].position = target;
      warp.groups[warp.current].mask = together;
    } else {
      LaneGroup group;
      group.position = target;
      group.mask = together;
      warp.groups.push_back(group);
      ++counter.divergences;
    }
  }
  if (stay != 0) {
    if (first) {
      ++warp.groups[warp.current].position;
    } else {
      LaneGroup group;
      group.position = position + 1;
      group.mask = stay;
      warp.groups.push_back(group);
      ++counter.divergences;
    }
  }
}

[[gnu::target("avx2,fma,popcnt,bmi,bmi2"), gnu::flatten]] void BlockEmulator::run_lanes_avx2(
    Warp& warp) {
  run_lanes(warp);
}

void BlockEmulator::run_lanes_baseline(Warp& warp) { run_lanes(warp); }

void BlockEmulator::run_turn(Warp& warp) {
  // All that run_lanes_avx2 is compiled for.
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                               __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") &&
                               __builtin_cpu_supports("bmi2");
  if (has_avx2) {
    run_lanes_avx2(warp);
  } else {
    run_lanes_baseline(warp);
  }
}

}  // namespace perfmodel::sass
