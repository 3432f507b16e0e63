#pragma once

#include "tests/sass/corpus/each.hpp"
#include "tests/sass/corpus/intrinsics.hpp"

#ifndef __CUDACC__
#include <cmath>
using std::fabs;
using std::fmax;
using std::fmin;
#endif

// Products that are added are written as fma: nvcc would contract them, the host would not.

CORPUS_EACH(single_arithmetic, float, float, 16, 0) {
  *r++ = a + b;
  *r++ = a - b;
  *r++ = a * b;
  *r++ = fmaf(a, b, c);
  *r++ = fmaf(-a, b, c);
  *r++ = fmaf(a, b, -c);
  *r++ = fabsf(a) + b;
  *r++ = -fabsf(a) * b;
  *r++ = copysignf(a, b);
  *r++ = a * 3.25F;
  *r++ = a + 1.0e-3F;
  *r++ = fmaf(a, 0.5F, c);
  *r++ = fmaf(a, b, 2.0F);
  *r++ = a < b ? a : c;
  *r++ = -a;
  *r++ = fabsf(b);
}

CORPUS_EACH(single_division, float, float, 5, 0) {
  *r++ = a / b;
  *r++ = sqrtf(fabsf(a));
  *r++ = 1.0F / b;
  *r++ = sqrtf(c);
  *r++ = a / 3.0F;
}

CORPUS_EACH(single_rounding, float, float, 20, 0) {
  *r++ = add_down(a, b);
  *r++ = add_up(a, b);
  *r++ = add_zero(a, b);
  *r++ = multiply_down(a, b);
  *r++ = multiply_up(a, b);
  *r++ = multiply_zero(a, b);
  *r++ = fused_down(a, b, c);
  *r++ = fused_up(a, b, c);
  *r++ = fused_zero(a, b, c);
  *r++ = divide_down(a, b);
  *r++ = divide_up(a, b);
  *r++ = divide_zero(a, b);
  *r++ = divide_near(a, b);
  *r++ = root_down(a);
  *r++ = root_up(a);
  *r++ = root_zero(a);
  *r++ = root_near(a);
  *r++ = reciprocal_down(b);
  *r++ = reciprocal_up(b);
  *r++ = reciprocal_zero(b);
}

CORPUS_EACH(single_extremes, float, uint32_t, 9, 0) {
  // Zeros of either sign count as equal: which of them wins is left open.
  const float least = fminf(a, b);
  const float most = fmaxf(a, b);
  *r++ = least == 0 ? 0 : least != least ? 1 : bits_of(least);
  *r++ = most == 0 ? 0 : most != most ? 1 : bits_of(most);
  const float least3 = fminf(fminf(a, b), c);
  *r++ = least3 == 0 ? 0 : least3 != least3 ? 1 : bits_of(least3);
  const float middle = fminf(fmaxf(a, -3.0F), 7.5F);
  *r++ = middle == 0 ? 0 : bits_of(middle);
  *r++ = bits_of(saturated(a));
  *r++ = bits_of(saturated(a * b));
  *r++ = bits_of(saturated(fmaf(a, b, c)));
  *r++ = bits_of(saturated(a + b));
  const float largest = fmaxf(fabsf(a), fabsf(b));
  *r++ = largest != largest ? 1 : bits_of(largest);
}

CORPUS_EACH(single_compare, float, uint32_t, 8, 0) {
  *r++ = (a < b ? 1U : 0U) | (a <= b ? 2U : 0U) | (a > b ? 4U : 0U) | (a >= b ? 8U : 0U) |
         (a == b ? 16U : 0U) | (a != b ? 32U : 0U);
  *r++ =
      (!(a < b) ? 1U : 0U) | (!(a <= b) ? 2U : 0U) | (!(a > b) ? 4U : 0U) | (!(a >= b) ? 8U : 0U);
  *r++ = a != a ? 1U : 2U;
  *r++ = (a < b && b < c) || a == c ? bits_of(a) : bits_of(b);
  *r++ = (a < b) != (b < c) ? 1U : 2U;
  *r++ = fabsf(a) > 3.5F && !(b > c) ? 1U : 2U;
  *r++ = bits_of(a > 0 ? 1.0F : 0.0F);
  *r++ = (a == a && b == b) ? 5U : 6U;
}

CORPUS_EACH(single_parts, float, float, 12, 0) {
  *r++ = floorf(a);
  *r++ = ceilf(a);
  *r++ = truncf(a);
  *r++ = rintf(a);
  *r++ = roundf(a);
  float whole = 0;
  *r++ = modff(a, &whole);
  *r++ = whole;
  *r++ = fmodf(a, b);
  *r++ = ldexpf(a, 5);
  int exponent = 0;
  *r++ = a == a && a - a == 0 ? frexpf(a, &exponent) : 0.0F;
  *r++ = static_cast<float>(exponent);
  *r++ = nextafterf(a, b);
}

/// Arguments for which none of the functions has a pole or overflows.
CORPUS_EACH(single_functions, float, float, 20, 8) {
  const float x = a == a && fabsf(a) < 20.0F ? a : 0.75F;
  const float y = b == b && fabsf(b) < 20.0F ? b : -0.25F;
  const float positive = fabsf(x) + 0.125F;
  *r++ = expf(x);
  *r++ = exp2f(x);
  *r++ = exp10f(x * 0.5F);
  *r++ = expm1f(x);
  *r++ = logf(positive + 1.0F);
  *r++ = log2f(positive + 2.0F);
  *r++ = log10f(positive + 1.0F);
  *r++ = log1pf(positive);
  *r++ = sinf(x) + 2.0F;
  *r++ = cosf(x) + 2.0F;
  *r++ = tanf(x * 0.05F);
  *r++ = sinhf(x);
  *r++ = coshf(x);
  *r++ = tanhf(x);
  *r++ = powf(positive, y * 0.25F);
  *r++ = atanf(x);
  *r++ = atan2f(y, x) + 4.0F;
  *r++ = cbrtf(x);
  *r++ = hypotf(x, y);
  *r++ = erff(x);
}

/// Reduction of large arguments, through local memory.
CORPUS_EACH(single_large_angles, float, float, 2, 4) {
  const float x = a == a && fabsf(a) < 1.0e30F ? a * 12345.678F : 1.0e6F;
  *r++ = sinf(x) + 2.0F;
  *r++ = cosf(x) + 2.0F;
}

/// The hardware's own approximations.
CORPUS_EACH(single_approximations, float, float, 8, 40) {
  const float x = a == a && fabsf(a) < 20.0F ? a : 0.75F;
  const float positive = fabsf(x) + 0.125F;
#ifdef __CUDACC__
  *r++ = __expf(x);
  *r++ = __logf(positive + 2.0F);
  *r++ = __sinf(x * 0.1F) + 2.0F;
  *r++ = __cosf(x * 0.1F) + 2.0F;
  *r++ = __fdividef(x, positive);
  *r++ = rsqrtf(positive);
  *r++ = __powf(positive, 1.5F);
  *r++ = __frsqrt_rn(positive);
#else
  *r++ = std::exp(x);
  *r++ = std::log(positive + 2.0F);
  *r++ = std::sin(x * 0.1F) + 2.0F;
  *r++ = std::cos(x * 0.1F) + 2.0F;
  *r++ = x / positive;
  *r++ = 1.0F / std::sqrt(positive);
  *r++ = std::pow(positive, 1.5F);
  *r++ = 1.0F / std::sqrt(positive);
#endif
}
