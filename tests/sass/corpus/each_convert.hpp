#pragma once

#include "tests/sass/corpus/each.hpp"
#include "tests/sass/corpus/intrinsics.hpp"

#define CORPUS_ALL_ROUNDINGS(kind, x) \
  *r++ = kind##_near(x);              \
  *r++ = kind##_down(x);              \
  *r++ = kind##_up(x);                \
  *r++ = kind##_zero(x)

CORPUS_EACH(single_to_integer, float, uint32_t, 8, 0) {
  CORPUS_ALL_ROUNDINGS(to_s32, a);
  CORPUS_ALL_ROUNDINGS(to_u32, a);
}

CORPUS_EACH(single_to_wide_integer, float, uint64_t, 8, 0) {
  CORPUS_ALL_ROUNDINGS(to_s64, a);
  CORPUS_ALL_ROUNDINGS(to_u64, a);
}

CORPUS_EACH(double_to_integer, double, uint64_t, 16, 0) {
  CORPUS_ALL_ROUNDINGS(to_s32, a);
  CORPUS_ALL_ROUNDINGS(to_u32, a);
  CORPUS_ALL_ROUNDINGS(to_s64, a);
  CORPUS_ALL_ROUNDINGS(to_u64, a);
}

CORPUS_EACH(integer_to_single, uint32_t, float, 13, 0) {
  CORPUS_ALL_ROUNDINGS(to_f32, static_cast<int32_t>(a));
  CORPUS_ALL_ROUNDINGS(to_f32, a);
  *r++ = static_cast<float>(static_cast<uint8_t>(a >> 8));
  *r++ = static_cast<float>(static_cast<int8_t>(a >> 16));
  *r++ = static_cast<float>(static_cast<uint16_t>(a >> 16));
  *r++ = static_cast<float>(static_cast<int16_t>(a));
  *r++ = static_cast<float>(static_cast<uint8_t>(a >> 24)) * 0.5F;
}

CORPUS_EACH(wide_integer_to_single, uint64_t, float, 8, 0) {
  CORPUS_ALL_ROUNDINGS(to_f32, static_cast<int64_t>(a));
  CORPUS_ALL_ROUNDINGS(to_f32, a);
}

CORPUS_EACH(integer_to_double, uint64_t, double, 10, 0) {
  *r++ = static_cast<double>(static_cast<int32_t>(a));
  *r++ = static_cast<double>(static_cast<uint32_t>(a));
  *r++ = static_cast<double>(static_cast<int64_t>(a));
  *r++ = static_cast<double>(a);
  *r++ = to_f64_down(static_cast<int64_t>(a));
  *r++ = to_f64_up(a);
  *r++ = to_f64_near(static_cast<int64_t>(a));
  *r++ = static_cast<double>(static_cast<uint8_t>(a));
  *r++ = static_cast<double>(static_cast<int16_t>(a >> 8));
  *r++ = static_cast<double>(static_cast<int8_t>(a >> 16));
}

CORPUS_EACH(double_to_single, double, float, 4, 0) { CORPUS_ALL_ROUNDINGS(to_f32, a); }

CORPUS_EACH(single_to_double, float, double, 3, 0) {
  *r++ = static_cast<double>(a);
  *r++ = static_cast<double>(a) * static_cast<double>(b);
  *r++ = -static_cast<double>(a) + static_cast<double>(c);
}
