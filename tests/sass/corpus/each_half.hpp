#pragma once

#include "tests/sass/corpus/each.hpp"
#include "tests/sass/corpus/half_intrinsics.hpp"

#ifndef __CUDACC__
namespace {
#endif

/// Two halves between 0.5 and 2 in magnitude.
CORPUS_CALL uint32_t moderate_halves(uint32_t a) {
  return (a * 2654435761U & 0x87ff87ffU) | 0x38003800U;
}
CORPUS_CALL uint32_t moderate_brains(uint32_t a) {
  return (a * 2654435761U & 0x80ff80ffU) | 0x3f003f00U;
}

#ifndef __CUDACC__
}  // namespace
#endif

CORPUS_EACH(half_arithmetic, uint32_t, uint32_t, 16, 0) {
  const uint32_t x = moderate_halves(a);
  const uint32_t y = moderate_halves(b);
  const uint32_t z = moderate_halves(c);
  *r++ = half_add(a, b);
  *r++ = half_subtract(a, b);
  *r++ = half_multiply(a, b);
  *r++ = half_fused(a, b, c);
  *r++ = half_add(x, y);
  *r++ = half_subtract(x, y);
  *r++ = half_multiply(x, y);
  *r++ = half_fused(x, y, z);
  *r++ = half_fused(x, y, c);
  *r++ = half_add_saturated(x, y);
  *r++ = half_fused_saturated(x, y, z);
  *r++ = half_fused(half_negate(x), half_absolute(y), z);
  *r++ = half_scalar_fused(x, y, z);
  *r++ = half_mixed_lanes(x, y);
  *r++ = half_times_constant(x);
  *r++ = half_add(half_absolute(a), half_negate(x));
}

CORPUS_EACH(half_comparison, uint32_t, uint32_t, 9, 0) {
  *r++ = half_least(a, b);
  *r++ = half_most(a, b);
  *r++ = half_most_nan(a, b);
  *r++ = half_equal(a, b);
  *r++ = half_less(a, b);
  *r++ = half_not_less(a, b);
  *r++ = half_all_greater(a, b);
  *r++ = half_scalar_compare(a, b);
  *r++ = half_least(moderate_halves(a), moderate_halves(b));
}

CORPUS_EACH(half_conversion, uint32_t, uint32_t, 20, 0) {
  const float x = float_of(a);
  const float y = half_low(moderate_halves(b)) * half_high(moderate_halves(c)) * 1.37F;
  *r++ = bits_of(half_low(a) + 1.0F) & 0xffff0000U;
  *r++ = bits_of(half_high(a) * 0.5F) & 0xffff0000U;
  *r++ = half_near(x);
  *r++ = half_down(x);
  *r++ = half_up(x);
  *r++ = half_zero(x);
  *r++ = half_near(y);
  *r++ = half_down(y);
  *r++ = half_up(y);
  *r++ = half_zero(y);
  *r++ = half_pack(x, y);
  *r++ = half_from_double(static_cast<double>(y) * 1.0009765625);
  *r++ = half_from_s32(static_cast<int32_t>(a));
  *r++ = half_from_u32(b);
  *r++ = half_from_s16(static_cast<int16_t>(a));
  *r++ = half_to_s32(a);
  *r++ = half_to_u32_up(a);
  *r++ = half_to_s16(a);
  *r++ = half_floor(a);
  *r++ = half_rint(a);
}

CORPUS_EACH(half_functions, uint32_t, uint32_t, 5, 2) {
  const uint32_t x = half_absolute(moderate_halves(a));
  *r++ = half_root(x);
  *r++ = half_exp(x);
  *r++ = half_log(half_add(x, 0x40004000U));
  *r++ = half_reciprocal(x);
  *r++ = half_divide(x, moderate_halves(b));
}

CORPUS_EACH(brain_arithmetic, uint32_t, uint32_t, 9, 0) {
  const uint32_t x = moderate_brains(a);
  const uint32_t y = moderate_brains(b);
  const uint32_t z = moderate_brains(c);
  *r++ = brain_add(a, b);
  *r++ = brain_multiply(x, y);
  *r++ = brain_fused(a, b, c);
  *r++ = brain_fused(x, y, z);
  *r++ = brain_least(a, b);
  *r++ = brain_less(a, b);
  *r++ = brain_pack(float_of(a), float_of(b));
  *r++ = brain_pack(brain_low(x) * 1.01F, brain_high(y) * 1.02F);
  *r++ = brain_zero(float_of(a));
}

CORPUS_EACH(half_rectified, uint32_t, uint32_t, 2, 0) {
  *r++ = half_fused_relu(a, b, c);
  *r++ = half_fused_relu(moderate_halves(a), moderate_halves(b), moderate_halves(c));
}
