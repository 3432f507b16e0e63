#pragma once

// Packed halves and bfloat16 as 32-bit words, on the device and in plain C++.

#include "tests/sass/corpus/intrinsics.hpp"

#ifdef __CUDACC__

#include <cuda_bf16.h>
#include <cuda_fp16.h>

CORPUS_CALL __half2 h2(uint32_t a) { return *reinterpret_cast<const __half2*>(&a); }
CORPUS_CALL uint32_t w(__half2 a) { return *reinterpret_cast<const uint32_t*>(&a); }
CORPUS_CALL __nv_bfloat162 b2(uint32_t a) { return *reinterpret_cast<const __nv_bfloat162*>(&a); }
CORPUS_CALL uint32_t w(__nv_bfloat162 a) { return *reinterpret_cast<const uint32_t*>(&a); }

CORPUS_CALL uint32_t half_add(uint32_t a, uint32_t b) { return w(__hadd2(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_subtract(uint32_t a, uint32_t b) { return w(__hsub2(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_multiply(uint32_t a, uint32_t b) { return w(__hmul2(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_fused(uint32_t a, uint32_t b, uint32_t c) {
  return w(__hfma2(h2(a), h2(b), h2(c)));
}
CORPUS_CALL uint32_t half_add_saturated(uint32_t a, uint32_t b) {
  return w(__hadd2_sat(h2(a), h2(b)));
}
CORPUS_CALL uint32_t half_fused_saturated(uint32_t a, uint32_t b, uint32_t c) {
  return w(__hfma2_sat(h2(a), h2(b), h2(c)));
}
CORPUS_CALL uint32_t half_negate(uint32_t a) { return w(__hneg2(h2(a))); }
CORPUS_CALL uint32_t half_absolute(uint32_t a) { return w(__habs2(h2(a))); }
CORPUS_CALL uint32_t half_least(uint32_t a, uint32_t b) { return w(__hmin2(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_most(uint32_t a, uint32_t b) { return w(__hmax2(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_most_nan(uint32_t a, uint32_t b) { return w(__hmax2_nan(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_equal(uint32_t a, uint32_t b) { return w(__heq2(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_less(uint32_t a, uint32_t b) { return w(__hlt2(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_not_less(uint32_t a, uint32_t b) { return w(__hgeu2(h2(a), h2(b))); }
CORPUS_CALL uint32_t half_all_greater(uint32_t a, uint32_t b) {
  return __hbgt2(h2(a), h2(b)) ? 1U : 0U;
}
CORPUS_CALL uint32_t half_scalar_compare(uint32_t a, uint32_t b) {
  const __half x = __low2half(h2(a));
  const __half y = __high2half(h2(b));
  return (__hlt(x, y) ? 1U : 0U) | (__hle(x, y) ? 2U : 0U) | (__heq(x, y) ? 4U : 0U) |
         (__hneu(x, y) ? 8U : 0U) | (__hisnan(x) ? 16U : 0U);
}
CORPUS_CALL uint32_t half_scalar_fused(uint32_t a, uint32_t b, uint32_t c) {
  const __half r = __hfma(__high2half(h2(a)), __low2half(h2(b)), __high2half(h2(c)));
  return __half_as_ushort(r);
}
CORPUS_CALL uint32_t half_mixed_lanes(uint32_t a, uint32_t b) {
  return w(__hmul2(__low2half2(h2(a)), __lowhigh2highlow(h2(b))));
}
CORPUS_CALL uint32_t half_times_constant(uint32_t a) {
  return w(__hfma2(h2(a), __floats2half2_rn(1.5F, -0.25F), __floats2half2_rn(2.0F, 3.0F)));
}
CORPUS_CALL float half_low(uint32_t a) { return __low2float(h2(a)); }
CORPUS_CALL float half_high(uint32_t a) { return __high2float(h2(a)); }
CORPUS_CALL uint32_t half_pack(float low, float high) { return w(__floats2half2_rn(low, high)); }
CORPUS_CALL uint32_t half_near(float a) { return __half_as_ushort(__float2half_rn(a)); }
CORPUS_CALL uint32_t half_down(float a) { return __half_as_ushort(__float2half_rd(a)); }
CORPUS_CALL uint32_t half_up(float a) { return __half_as_ushort(__float2half_ru(a)); }
CORPUS_CALL uint32_t half_zero(float a) { return __half_as_ushort(__float2half_rz(a)); }
CORPUS_CALL uint32_t half_from_double(double a) { return __half_as_ushort(__double2half(a)); }
CORPUS_CALL uint32_t half_from_s32(int32_t a) { return __half_as_ushort(__int2half_rn(a)); }
CORPUS_CALL uint32_t half_from_u32(uint32_t a) { return __half_as_ushort(__uint2half_rz(a)); }
CORPUS_CALL uint32_t half_from_s16(int16_t a) { return __half_as_ushort(__short2half_rn(a)); }
CORPUS_CALL uint32_t half_to_s32(uint32_t a) {
  return static_cast<uint32_t>(__half2int_rn(__low2half(h2(a))));
}
CORPUS_CALL uint32_t half_to_u32_up(uint32_t a) { return __half2uint_ru(__low2half(h2(a))); }
CORPUS_CALL uint32_t half_to_s16(uint32_t a) {
  return static_cast<uint32_t>(static_cast<int32_t>(__half2short_rz(__high2half(h2(a)))));
}
CORPUS_CALL uint32_t half_floor(uint32_t a) { return w(h2floor(h2(a))); }
CORPUS_CALL uint32_t half_rint(uint32_t a) { return w(h2rint(h2(a))); }
CORPUS_CALL uint32_t half_root(uint32_t a) { return w(h2sqrt(h2(a))); }
CORPUS_CALL uint32_t half_exp(uint32_t a) { return w(h2exp(h2(a))); }
CORPUS_CALL uint32_t half_log(uint32_t a) { return w(h2log(h2(a))); }
CORPUS_CALL uint32_t half_reciprocal(uint32_t a) { return w(h2rcp(h2(a))); }
CORPUS_CALL uint32_t half_divide(uint32_t a, uint32_t b) { return w(__h2div(h2(a), h2(b))); }

CORPUS_CALL uint32_t brain_add(uint32_t a, uint32_t b) { return w(__hadd2(b2(a), b2(b))); }
CORPUS_CALL uint32_t brain_multiply(uint32_t a, uint32_t b) { return w(__hmul2(b2(a), b2(b))); }
CORPUS_CALL uint32_t brain_fused(uint32_t a, uint32_t b, uint32_t c) {
#if __CUDA_ARCH__ >= 800
  return w(__hfma2(b2(a), b2(b), b2(c)));
#else
  return a + b + c;
#endif
}
CORPUS_CALL uint32_t brain_least(uint32_t a, uint32_t b) { return w(__hmin2(b2(a), b2(b))); }
CORPUS_CALL uint32_t brain_less(uint32_t a, uint32_t b) { return w(__hlt2(b2(a), b2(b))); }
CORPUS_CALL uint32_t brain_pack(float low, float high) {
  return w(__floats2bfloat162_rn(low, high));
}
CORPUS_CALL float brain_low(uint32_t a) { return __low2float(b2(a)); }
CORPUS_CALL float brain_high(uint32_t a) { return __high2float(b2(a)); }
CORPUS_CALL uint32_t brain_zero(float a) { return __bfloat16_as_ushort(__float2bfloat16_rz(a)); }
CORPUS_CALL uint32_t half_fused_relu(uint32_t a, uint32_t b, uint32_t c) {
#if __CUDA_ARCH__ >= 800
  return w(__hfma2_relu(h2(a), h2(b), h2(c)));
#else
  return a + b + c;
#endif
}

#else

namespace {

/// A format with 16 bits.
struct Narrow {
  int mantissa_bits;
  int least_exponent;
  int most_exponent;
};
constexpr Narrow half_format = {10, -14, 15};
constexpr Narrow brain_format = {7, -126, 127};

CORPUS_CALL double widened(std::uint32_t bits, const Narrow& format) {
  const auto mantissa = static_cast<double>(bits & ((1U << format.mantissa_bits) - 1));
  const auto exponent = static_cast<int>((bits & 0x7fffU) >> format.mantissa_bits);
  double value = 0;
  if (exponent == format.most_exponent - format.least_exponent + 2) {
    value = mantissa == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, format.least_exponent - format.mantissa_bits);
  } else {
    value = std::ldexp(mantissa + std::ldexp(1.0, format.mantissa_bits),
                       exponent - 1 + format.least_exponent - format.mantissa_bits);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

CORPUS_CALL std::uint32_t narrowed(double value, const Narrow& format, int mode = FE_TONEAREST) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000U : 0;
  const auto biased_most =
      static_cast<std::uint32_t>(format.most_exponent - format.least_exponent + 1);
  const std::uint32_t infinite = (biased_most + 1) << format.mantissa_bits;
  if (std::isnan(value)) {
    return 0x7fffU;
  }
  if (std::isinf(value)) {
    return sign | infinite;
  }
  if (value == 0) {
    return sign;
  }
  const int exponent = std::max(std::ilogb(value), format.least_exponent);
  const double units = std::ldexp(value, format.mantissa_bits - exponent);
  const double whole = std::fabs(mode == FE_DOWNWARD     ? std::floor(units)
                                 : mode == FE_UPWARD     ? std::ceil(units)
                                 : mode == FE_TOWARDZERO ? std::trunc(units)
                                                         : std::nearbyint(units));
  // A carry into the next exponent, from denormals to normals or to infinity comes by itself.
  const std::uint32_t bits =
      static_cast<std::uint32_t>(exponent - format.least_exponent) * (1U << format.mantissa_bits) +
      static_cast<std::uint32_t>(whole);
  if (bits >= infinite) {
    const bool stays = mode == FE_TOWARDZERO || (mode == FE_DOWNWARD && sign == 0) ||
                       (mode == FE_UPWARD && sign != 0);
    return sign | (stays ? infinite - 1 : infinite);
  }
  return sign | bits;
}

/// a b + c with the last bit set where it is not exact, so that rounding once more is right.
CORPUS_CALL double fused_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (std::isnan(sum) || std::isinf(sum)) {
    return sum;
  }
  const double back = sum - product;
  const double rest = (product - (sum - back)) + (c - back);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (rest == 0 || (bits & 1U) != 0) {
    return sum;
  }
  const bool away = (rest > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

template <class F>
std::uint32_t each_of_two(F f) {
  return static_cast<std::uint32_t>(f(0)) | static_cast<std::uint32_t>(f(16)) << 16;
}
template <class F>
std::uint32_t on_numbers(const Narrow& format, std::uint32_t a, std::uint32_t b, F f) {
  return each_of_two([&](int shift) {
    return narrowed(f(widened(a >> shift & 0xffffU, format), widened(b >> shift & 0xffffU, format)),
                    format);
  });
}
CORPUS_CALL double clamped_to_one(double x) { return x > 0 ? std::min(x, 1.0) : 0.0; }

CORPUS_CALL std::uint32_t half_add(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) { return x + y; });
}
CORPUS_CALL std::uint32_t half_subtract(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) { return x - y; });
}
CORPUS_CALL std::uint32_t half_multiply(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) { return x * y; });
}
template <class F>
std::uint32_t fused_of(const Narrow& format, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                       F f) {
  return each_of_two([&](int shift) {
    return narrowed(
        f(fused_odd(widened(a >> shift & 0xffffU, format), widened(b >> shift & 0xffffU, format),
                    widened(c >> shift & 0xffffU, format))),
        format);
  });
}
CORPUS_CALL std::uint32_t half_fused(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return fused_of(half_format, a, b, c, [](double x) { return x; });
}
CORPUS_CALL std::uint32_t half_add_saturated(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) { return clamped_to_one(x + y); });
}
CORPUS_CALL std::uint32_t half_fused_saturated(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return fused_of(half_format, a, b, c, clamped_to_one);
}
CORPUS_CALL std::uint32_t half_fused_relu(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return fused_of(half_format, a, b, c, [](double x) { return x <= 0 ? 0.0 : x; });
}
CORPUS_CALL std::uint32_t half_negate(std::uint32_t a) { return a ^ 0x80008000U; }
CORPUS_CALL std::uint32_t half_absolute(std::uint32_t a) { return a & 0x7fff7fffU; }
/// Of zeros the negative one is the smaller.
CORPUS_CALL double least_of(double x, double y) {
  return x == 0 && y == 0 ? (std::signbit(x) ? x : y) : std::fmin(x, y);
}
CORPUS_CALL double most_of(double x, double y) {
  return x == 0 && y == 0 ? (std::signbit(x) ? y : x) : std::fmax(x, y);
}
CORPUS_CALL std::uint32_t half_least(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, least_of);
}
CORPUS_CALL std::uint32_t half_most(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, most_of);
}
CORPUS_CALL std::uint32_t half_most_nan(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) {
    return std::isnan(x) || std::isnan(y) ? x + y : most_of(x, y);
  });
}
CORPUS_CALL std::uint32_t half_equal(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) { return x == y ? 1.0 : 0.0; });
}
CORPUS_CALL std::uint32_t half_less(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) { return x < y ? 1.0 : 0.0; });
}
CORPUS_CALL std::uint32_t half_not_less(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) { return !(x < y) ? 1.0 : 0.0; });
}
CORPUS_CALL double half_value(std::uint32_t a, int shift) {
  return widened(a >> shift & 0xffffU, half_format);
}
CORPUS_CALL std::uint32_t half_all_greater(std::uint32_t a, std::uint32_t b) {
  return half_value(a, 0) > half_value(b, 0) && half_value(a, 16) > half_value(b, 16) ? 1 : 0;
}
CORPUS_CALL std::uint32_t half_scalar_compare(std::uint32_t a, std::uint32_t b) {
  const double x = half_value(a, 0);
  const double y = half_value(b, 16);
  return (x < y ? 1U : 0U) | (x <= y ? 2U : 0U) | (x == y ? 4U : 0U) | (x != y ? 8U : 0U) |
         (std::isnan(x) ? 16U : 0U);
}
CORPUS_CALL std::uint32_t half_scalar_fused(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return narrowed(fused_odd(half_value(a, 16), half_value(b, 0), half_value(c, 16)), half_format);
}
CORPUS_CALL std::uint32_t half_mixed_lanes(std::uint32_t a, std::uint32_t b) {
  return half_multiply((a & 0xffffU) * 0x10001U, b >> 16 | b << 16);
}
CORPUS_CALL std::uint32_t half_times_constant(std::uint32_t a) {
  return half_fused(a, 0xb4003e00U, 0x42004000U);
}
CORPUS_CALL float half_low(std::uint32_t a) { return static_cast<float>(half_value(a, 0)); }
CORPUS_CALL float half_high(std::uint32_t a) { return static_cast<float>(half_value(a, 16)); }
CORPUS_CALL std::uint32_t half_near(float a) { return narrowed(double{a}, half_format); }
CORPUS_CALL std::uint32_t half_down(float a) {
  return narrowed(double{a}, half_format, FE_DOWNWARD);
}
CORPUS_CALL std::uint32_t half_up(float a) { return narrowed(double{a}, half_format, FE_UPWARD); }
CORPUS_CALL std::uint32_t half_zero(float a) {
  return narrowed(double{a}, half_format, FE_TOWARDZERO);
}
CORPUS_CALL std::uint32_t half_pack(float low, float high) {
  return half_near(low) | half_near(high) << 16;
}
CORPUS_CALL std::uint32_t half_from_double(double a) { return narrowed(a, half_format); }
CORPUS_CALL std::uint32_t half_from_s32(std::int32_t a) {
  return narrowed(static_cast<double>(a), half_format);
}
CORPUS_CALL std::uint32_t half_from_u32(std::uint32_t a) {
  return narrowed(static_cast<double>(a), half_format, FE_TOWARDZERO);
}
CORPUS_CALL std::uint32_t half_from_s16(std::int16_t a) { return half_from_s32(a); }
CORPUS_CALL std::uint32_t half_to_s32(std::uint32_t a) {
  return static_cast<std::uint32_t>(
      to_integer<std::int32_t>(FE_TONEAREST, static_cast<float>(half_value(a, 0))));
}
CORPUS_CALL std::uint32_t half_to_u32_up(std::uint32_t a) {
  return to_integer<std::uint32_t>(FE_UPWARD, static_cast<float>(half_value(a, 0)));
}
CORPUS_CALL std::uint32_t half_to_s16(std::uint32_t a) {
  return static_cast<std::uint32_t>(
      std::int32_t{to_integer<std::int16_t>(FE_TOWARDZERO, static_cast<float>(half_value(a, 16)))});
}
template <class F>
std::uint32_t on_halves(std::uint32_t a, F f) {
  return on_numbers(half_format, a, a, [&](double x, double) { return f(x); });
}
CORPUS_CALL std::uint32_t half_floor(std::uint32_t a) {
  return on_halves(a, [](double x) { return std::floor(x); });
}
CORPUS_CALL std::uint32_t half_rint(std::uint32_t a) {
  return on_halves(a, [](double x) { return std::nearbyint(x); });
}
CORPUS_CALL std::uint32_t half_root(std::uint32_t a) {
  return on_halves(a, [](double x) { return std::sqrt(x); });
}
CORPUS_CALL std::uint32_t half_exp(std::uint32_t a) {
  return on_halves(a, [](double x) { return std::exp(x); });
}
CORPUS_CALL std::uint32_t half_log(std::uint32_t a) {
  return on_halves(a, [](double x) { return std::log(x); });
}
CORPUS_CALL std::uint32_t half_reciprocal(std::uint32_t a) {
  return on_halves(a, [](double x) { return 1.0 / x; });
}
CORPUS_CALL std::uint32_t half_divide(std::uint32_t a, std::uint32_t b) {
  return on_numbers(half_format, a, b, [](double x, double y) { return x / y; });
}

CORPUS_CALL std::uint32_t brain_add(std::uint32_t a, std::uint32_t b) {
  return each_of_two([&](int shift) {
    return narrowed(fused_odd(widened(a >> shift & 0xffffU, brain_format), 1.0,
                              widened(b >> shift & 0xffffU, brain_format)),
                    brain_format);
  });
}
CORPUS_CALL std::uint32_t brain_multiply(std::uint32_t a, std::uint32_t b) {
  return on_numbers(brain_format, a, b, [](double x, double y) { return x * y; });
}
CORPUS_CALL std::uint32_t brain_fused(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return fused_of(brain_format, a, b, c, [](double x) { return x; });
}
CORPUS_CALL std::uint32_t brain_least(std::uint32_t a, std::uint32_t b) {
  return on_numbers(brain_format, a, b, least_of);
}
CORPUS_CALL std::uint32_t brain_less(std::uint32_t a, std::uint32_t b) {
  return on_numbers(brain_format, a, b, [](double x, double y) { return x < y ? 1.0 : 0.0; });
}
CORPUS_CALL std::uint32_t brain_pack(float low, float high) {
  return narrowed(double{low}, brain_format) | narrowed(double{high}, brain_format) << 16;
}
CORPUS_CALL float brain_low(std::uint32_t a) {
  return static_cast<float>(widened(a & 0xffffU, brain_format));
}
CORPUS_CALL float brain_high(std::uint32_t a) {
  return static_cast<float>(widened(a >> 16, brain_format));
}
CORPUS_CALL std::uint32_t brain_zero(float a) {
  return narrowed(double{a}, brain_format, FE_TOWARDZERO);
}

}  // namespace

#endif
