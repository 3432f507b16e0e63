#pragma once

// Compiled with -use_fast_math: denormals are flushed, divisions and roots are approximations.

#include "tests/sass/corpus/each.hpp"
#include "tests/sass/corpus/intrinsics.hpp"

#ifdef __CUDACC__
CORPUS_CALL float flushed(float x) { return x; }
CORPUS_CALL float flushed_result(float x) { return x; }
#else
#include <cmath>
namespace {
CORPUS_CALL float flushed(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}
CORPUS_CALL float flushed_result(float x) { return flushed(x); }
}  // namespace
#endif

CORPUS_EACH(fast_arithmetic, float, float, 10, 0) {
  const float x = flushed(a);
  const float y = flushed(b);
  const float z = flushed(c);
  *r++ = flushed_result(x + y);
  *r++ = flushed_result(x - y);
  *r++ = flushed_result(x * y);
  *r++ = flushed_result(fmaf(x, y, z));
  *r++ = flushed_result(fmaf(-x, y, z));
  *r++ = saturated(flushed_result(x * y));
  *r++ = saturated(flushed_result(fmaf(x, y, z)));
  *r++ = x < y ? 1.0F : 2.0F;
  *r++ = x == 0 ? 3.0F : 4.0F;
  *r++ = flushed_result(fabsf(x) + 1.0e-37F);
}

CORPUS_EACH(fast_functions, float, float, 10, 60) {
  const float x = a == a && fabsf(a) < 20.0F && fabsf(a) > 1.0e-3F ? a : 0.75F;
  const float y = b == b && fabsf(b) < 20.0F && fabsf(b) > 1.0e-3F ? b : -0.25F;
  const float positive = fabsf(x) + 0.125F;
  *r++ = x / y;
  *r++ = sqrtf(positive);
  *r++ = 1.0F / y;
  *r++ = expf(x);
  *r++ = logf(positive + 2.0F);
  *r++ = sinf(x * 0.1F) + 2.0F;
  *r++ = cosf(x * 0.1F) + 2.0F;
  *r++ = powf(positive, 1.5F);
  *r++ = exp2f(x);
  *r++ = tanhf(x * 0.1F) + 2.0F;
}
