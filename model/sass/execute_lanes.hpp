#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "model/sass/block.hpp"
#include "model/sass/block_access.hpp"
#include "model/sass/instruction.hpp"

/// What single instructions do to the lanes of a warp. The headers hold what the instruction loop
/// compiles for its own instruction set; what gains nothing by that is in files of its own.

namespace perfmodel::sass::execution {

inline constexpr std::uint32_t sign_bit = 0x80000000U;

inline float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline double as_double(std::uint32_t low, std::uint32_t high) {
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

/// One instruction's view of its warp: operands in, result out. Passed by value to what is not
/// compiled into the loop, whose own copy stays in registers then.
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

inline std::uint32_t combined(Combine combine, std::uint32_t left, std::uint32_t right) {
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

inline void write_comparison(const Lanes& lanes, std::uint32_t verdict) {
  const std::uint32_t with = lanes.predicate(lanes.instruction.predicates[0]);
  lanes.write_predicate(0, combined(lanes.instruction.combine, verdict, with));
  lanes.write_predicate(1, combined(lanes.instruction.combine, ~verdict, with));
}

}  // namespace perfmodel::sass::execution
