#pragma once

#include "tests/sass/corpus/each.hpp"
#include "tests/sass/corpus/intrinsics.hpp"

#ifndef __CUDACC__
#include <cmath>
using std::fma;
using std::sqrt;
#endif

CORPUS_EACH(double_arithmetic, double, double, 14, 0) {
  *r++ = a + b;
  *r++ = a - b;
  *r++ = a * b;
  *r++ = fma(a, b, c);
  *r++ = fma(-a, b, c);
  *r++ = fabs(a) + b;
  *r++ = -fabs(a) * b;
  *r++ = copysign(a, b);
  *r++ = a * 3.25;
  *r++ = a + 1.0e-3;
  *r++ = fma(a, 0.1, c);
  *r++ = a < b ? a : c;
  *r++ = -a;
  *r++ = a - 1.0;
}

CORPUS_EACH(double_division, double, double, 5, 0) {
  *r++ = a / b;
  *r++ = sqrt(fabs(a));
  *r++ = 1.0 / b;
  *r++ = sqrt(c);
  *r++ = a / 3.0;
}

CORPUS_EACH(double_rounding, double, double, 20, 0) {
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
  *r++ = reciprocal_near(b);
}

CORPUS_EACH(double_compare, double, uint64_t, 7, 0) {
  *r++ = (a < b ? 1U : 0U) | (a <= b ? 2U : 0U) | (a > b ? 4U : 0U) | (a >= b ? 8U : 0U) |
         (a == b ? 16U : 0U) | (a != b ? 32U : 0U);
  *r++ =
      (!(a < b) ? 1U : 0U) | (!(a <= b) ? 2U : 0U) | (!(a > b) ? 4U : 0U) | (!(a >= b) ? 8U : 0U);
  *r++ = a != a ? 1U : 2U;
  *r++ = (a < b && b < c) || a == c ? bits_of(a) : bits_of(b);
  *r++ = fabs(a) > 3.5 && !(b > c) ? 1U : 2U;
  const double least = fmin(a, b);
  const double most = fmax(a, b);
  *r++ = least == 0 ? 0 : least != least ? 1 : bits_of(least);
  *r++ = most == 0 ? 0 : most != most ? 1 : bits_of(most);
}

CORPUS_EACH(double_parts, double, double, 8, 0) {
  *r++ = floor(a);
  *r++ = ceil(a);
  *r++ = trunc(a);
  *r++ = rint(a);
  *r++ = round(a);
  double whole = 0;
  *r++ = modf(a, &whole);
  *r++ = whole;
  *r++ = ldexp(a, -7);
}

CORPUS_EACH(double_functions, double, double, 13, 6) {
  const double x = a == a && fabs(a) < 20.0 ? a : 0.75;
  const double y = b == b && fabs(b) < 20.0 ? b : -0.25;
  const double positive = fabs(x) + 0.125;
  *r++ = exp(x);
  *r++ = exp2(x);
  *r++ = expm1(x);
  *r++ = log(positive + 1.0);
  *r++ = log2(positive + 2.0);
  *r++ = sin(x) + 2.0;
  *r++ = cos(x) + 2.0;
  *r++ = sinh(x);
  *r++ = tanh(x);
  *r++ = pow(positive, y * 0.25);
  *r++ = atan(x);
  *r++ = cbrt(x);
  *r++ = 1.0 / sqrt(positive);
}
