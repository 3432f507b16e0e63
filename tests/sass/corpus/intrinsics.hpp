#pragma once

// The device's intrinsics under names of our own, with what they mean in plain C++ for the host.

#include <cstdint>

#ifdef __CUDACC__

#define CORPUS_CALL static __device__ __forceinline__

CORPUS_CALL uint32_t popc(uint32_t a) { return __popc(a); }
CORPUS_CALL uint32_t popc64(uint64_t a) { return __popcll(a); }
CORPUS_CALL uint32_t clz(uint32_t a) { return __clz(static_cast<int>(a)); }
CORPUS_CALL uint32_t clz64(uint64_t a) { return __clzll(static_cast<long long>(a)); }
CORPUS_CALL uint32_t ffs(uint32_t a) { return __ffs(static_cast<int>(a)); }
CORPUS_CALL uint32_t ffs64(uint64_t a) { return __ffsll(static_cast<long long>(a)); }
CORPUS_CALL uint32_t brev(uint32_t a) { return __brev(a); }
CORPUS_CALL uint64_t brev64(uint64_t a) { return __brevll(a); }
CORPUS_CALL uint32_t mulhi(uint32_t a, uint32_t b) { return __umulhi(a, b); }
CORPUS_CALL int32_t mulhi_signed(int32_t a, int32_t b) { return __mulhi(a, b); }
CORPUS_CALL uint64_t mulhi64(uint64_t a, uint64_t b) { return __umul64hi(a, b); }
CORPUS_CALL int64_t mulhi64_signed(int64_t a, int64_t b) { return __mul64hi(a, b); }
CORPUS_CALL uint32_t byte_perm(uint32_t a, uint32_t b, uint32_t s) { return __byte_perm(a, b, s); }
CORPUS_CALL uint32_t funnel_l(uint32_t low, uint32_t high, uint32_t s) {
  return __funnelshift_l(low, high, s);
}
CORPUS_CALL uint32_t funnel_lc(uint32_t low, uint32_t high, uint32_t s) {
  return __funnelshift_lc(low, high, s);
}
CORPUS_CALL uint32_t funnel_r(uint32_t low, uint32_t high, uint32_t s) {
  return __funnelshift_r(low, high, s);
}
CORPUS_CALL uint32_t funnel_rc(uint32_t low, uint32_t high, uint32_t s) {
  return __funnelshift_rc(low, high, s);
}
CORPUS_CALL uint32_t shl_clamped(uint32_t a, uint32_t s) {
  uint32_t d;
  asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(s));
  return d;
}
CORPUS_CALL uint32_t shr_clamped(uint32_t a, uint32_t s) {
  uint32_t d;
  asm("shr.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(s));
  return d;
}
CORPUS_CALL int32_t sar_clamped(int32_t a, uint32_t s) {
  int32_t d;
  asm("shr.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(s));
  return d;
}
CORPUS_CALL uint64_t shl64_clamped(uint64_t a, uint32_t s) {
  uint64_t d;
  asm("shl.b64 %0, %1, %2;" : "=l"(d) : "l"(a), "r"(s));
  return d;
}
CORPUS_CALL uint64_t shr64_clamped(uint64_t a, uint32_t s) {
  uint64_t d;
  asm("shr.u64 %0, %1, %2;" : "=l"(d) : "l"(a), "r"(s));
  return d;
}
CORPUS_CALL int64_t sar64_clamped(int64_t a, uint32_t s) {
  int64_t d;
  asm("shr.s64 %0, %1, %2;" : "=l"(d) : "l"(a), "r"(s));
  return d;
}
CORPUS_CALL uint32_t bit_extract(uint32_t a, uint32_t start, uint32_t count) {
  uint32_t d;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(start), "r"(count));
  return d;
}
CORPUS_CALL int32_t bit_extract_signed(int32_t a, uint32_t start, uint32_t count) {
  int32_t d;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(start), "r"(count));
  return d;
}
CORPUS_CALL uint32_t bit_insert(uint32_t a, uint32_t into, uint32_t start, uint32_t count) {
  uint32_t d;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(into), "r"(start), "r"(count));
  return d;
}
CORPUS_CALL uint32_t leading_bit(uint32_t a) {
  uint32_t d;
  asm("bfind.u32 %0, %1;" : "=r"(d) : "r"(a));
  return d;
}
CORPUS_CALL uint32_t leading_bit_signed(int32_t a) {
  uint32_t d;
  asm("bfind.s32 %0, %1;" : "=r"(d) : "r"(a));
  return d;
}
CORPUS_CALL uint32_t leading_bit_shift(uint32_t a) {
  uint32_t d;
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(d) : "r"(a));
  return d;
}
CORPUS_CALL uint32_t sign_extend_clamp(uint32_t a, uint32_t bits) {
  uint32_t d;
  asm("szext.clamp.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(bits));
  return d;
}
CORPUS_CALL uint32_t zero_extend_wrap(uint32_t a, uint32_t bits) {
  uint32_t d;
  asm("szext.wrap.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(bits));
  return d;
}
CORPUS_CALL uint32_t bit_mask_clamp(uint32_t start, uint32_t bits) {
  uint32_t d;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(start), "r"(bits));
  return d;
}
CORPUS_CALL uint32_t bit_mask_wrap(uint32_t start, uint32_t bits) {
  uint32_t d;
  asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(d) : "r"(start), "r"(bits));
  return d;
}
CORPUS_CALL uint32_t prmt_f4e(uint32_t a, uint32_t b, uint32_t s) {
  uint32_t d;
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
  return d;
}
CORPUS_CALL uint32_t prmt_b4e(uint32_t a, uint32_t b, uint32_t s) {
  uint32_t d;
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
  return d;
}
CORPUS_CALL uint32_t prmt_rc16(uint32_t a, uint32_t b, uint32_t s) {
  uint32_t d;
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(s));
  return d;
}
CORPUS_CALL int32_t dot4_signed(uint32_t a, uint32_t b, int32_t c) {
  return __dp4a(static_cast<int>(a), static_cast<int>(b), c);
}
CORPUS_CALL uint32_t dot4(uint32_t a, uint32_t b, uint32_t c) { return __dp4a(a, b, c); }
CORPUS_CALL int32_t dot4_mixed(uint32_t a, uint32_t b, int32_t c) {
  int32_t d;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
CORPUS_CALL int32_t dot2_low_signed(uint32_t a, uint32_t b, int32_t c) {
  return __dp2a_lo(static_cast<int>(a), static_cast<int>(b), c);
}
CORPUS_CALL int32_t dot2_high_signed(uint32_t a, uint32_t b, int32_t c) {
  return __dp2a_hi(static_cast<int>(a), static_cast<int>(b), c);
}
CORPUS_CALL uint32_t dot2_low(uint32_t a, uint32_t b, uint32_t c) { return __dp2a_lo(a, b, c); }
CORPUS_CALL uint32_t dot2_high(uint32_t a, uint32_t b, uint32_t c) { return __dp2a_hi(a, b, c); }
CORPUS_CALL int32_t add_max(int32_t a, int32_t b, int32_t c) { return __viaddmax_s32(a, b, c); }
CORPUS_CALL uint32_t add_min(uint32_t a, uint32_t b, uint32_t c) { return __viaddmin_u32(a, b, c); }
CORPUS_CALL int32_t add_max_relu(int32_t a, int32_t b, int32_t c) {
  return __viaddmax_s32_relu(a, b, c);
}
CORPUS_CALL int32_t max3(int32_t a, int32_t b, int32_t c) { return __vimax3_s32(a, b, c); }
CORPUS_CALL uint32_t min3(uint32_t a, uint32_t b, uint32_t c) { return __vimin3_u32(a, b, c); }
CORPUS_CALL int32_t max_relu(int32_t a, int32_t b) { return __vimax_s32_relu(a, b); }
CORPUS_CALL uint32_t add_max_16x2(uint32_t a, uint32_t b, uint32_t c) {
  return __viaddmax_s16x2(a, b, c);
}
CORPUS_CALL uint32_t min_u16x2(uint32_t a, uint32_t b, uint32_t c) {
  return __vimin3_u16x2(a, b, c);
}
CORPUS_CALL uint32_t max_16x2_relu(uint32_t a, uint32_t b) { return __vimax_s16x2_relu(a, b); }
CORPUS_CALL uint32_t sum_abs_difference(int32_t a, int32_t b, uint32_t c) { return __sad(a, b, c); }
CORPUS_CALL uint32_t absolute_difference4(uint32_t a, uint32_t b) { return __vabsdiffu4(a, b); }
CORPUS_CALL uint32_t add_bytes(uint32_t a, uint32_t b) { return __vadd4(a, b); }
CORPUS_CALL uint32_t max_bytes_signed(uint32_t a, uint32_t b) { return __vmaxs4(a, b); }
CORPUS_CALL uint32_t equal_bytes(uint32_t a, uint32_t b) { return __vcmpeq4(a, b); }
CORPUS_CALL int32_t average_rounded(int32_t a, int32_t b) { return __rhadd(a, b); }
CORPUS_CALL uint32_t average(uint32_t a, uint32_t b) { return __uhadd(a, b); }

CORPUS_CALL uint32_t bits_of(float a) { return __float_as_uint(a); }
CORPUS_CALL float float_of(uint32_t a) { return __uint_as_float(a); }
CORPUS_CALL uint64_t bits_of(double a) { return static_cast<uint64_t>(__double_as_longlong(a)); }
CORPUS_CALL double double_of(uint64_t a) { return __longlong_as_double(static_cast<long long>(a)); }

#define CORPUS_ROUNDED(name, T, call)                             \
  CORPUS_CALL T name##_down(T a, T b) { return call##_rd(a, b); } \
  CORPUS_CALL T name##_up(T a, T b) { return call##_ru(a, b); }   \
  CORPUS_CALL T name##_zero(T a, T b) { return call##_rz(a, b); } \
  CORPUS_CALL T name##_near(T a, T b) { return call##_rn(a, b); }
CORPUS_ROUNDED(add, float, __fadd)
CORPUS_ROUNDED(multiply, float, __fmul)
CORPUS_ROUNDED(divide, float, __fdiv)
CORPUS_ROUNDED(add, double, __dadd)
CORPUS_ROUNDED(multiply, double, __dmul)
CORPUS_ROUNDED(divide, double, __ddiv)
#define CORPUS_ROUNDED3(name, T, call)                                    \
  CORPUS_CALL T name##_down(T a, T b, T c) { return call##_rd(a, b, c); } \
  CORPUS_CALL T name##_up(T a, T b, T c) { return call##_ru(a, b, c); }   \
  CORPUS_CALL T name##_zero(T a, T b, T c) { return call##_rz(a, b, c); } \
  CORPUS_CALL T name##_near(T a, T b, T c) { return call##_rn(a, b, c); }
CORPUS_ROUNDED3(fused, float, __fmaf)
CORPUS_ROUNDED3(fused, double, __fma)
#define CORPUS_ROUNDED1(name, T, call)                    \
  CORPUS_CALL T name##_down(T a) { return call##_rd(a); } \
  CORPUS_CALL T name##_up(T a) { return call##_ru(a); }   \
  CORPUS_CALL T name##_zero(T a) { return call##_rz(a); } \
  CORPUS_CALL T name##_near(T a) { return call##_rn(a); }
CORPUS_ROUNDED1(root, float, __fsqrt)
CORPUS_ROUNDED1(reciprocal, float, __frcp)
CORPUS_ROUNDED1(root, double, __dsqrt)
CORPUS_ROUNDED1(reciprocal, double, __drcp)
CORPUS_CALL float saturated(float a) { return __saturatef(a); }

// Conversions: to_TYPE_ROUNDING.
#define CORPUS_TO_INTEGER(T, from)                                                          \
  CORPUS_CALL uint32_t to_s32_near(T a) { return static_cast<uint32_t>(from##2int_rn(a)); } \
  CORPUS_CALL uint32_t to_s32_down(T a) { return static_cast<uint32_t>(from##2int_rd(a)); } \
  CORPUS_CALL uint32_t to_s32_up(T a) { return static_cast<uint32_t>(from##2int_ru(a)); }   \
  CORPUS_CALL uint32_t to_s32_zero(T a) { return static_cast<uint32_t>(from##2int_rz(a)); } \
  CORPUS_CALL uint32_t to_u32_near(T a) { return from##2uint_rn(a); }                       \
  CORPUS_CALL uint32_t to_u32_down(T a) { return from##2uint_rd(a); }                       \
  CORPUS_CALL uint32_t to_u32_up(T a) { return from##2uint_ru(a); }                         \
  CORPUS_CALL uint32_t to_u32_zero(T a) { return from##2uint_rz(a); }                       \
  CORPUS_CALL uint64_t to_s64_near(T a) { return static_cast<uint64_t>(from##2ll_rn(a)); }  \
  CORPUS_CALL uint64_t to_s64_down(T a) { return static_cast<uint64_t>(from##2ll_rd(a)); }  \
  CORPUS_CALL uint64_t to_s64_up(T a) { return static_cast<uint64_t>(from##2ll_ru(a)); }    \
  CORPUS_CALL uint64_t to_s64_zero(T a) { return static_cast<uint64_t>(from##2ll_rz(a)); }  \
  CORPUS_CALL uint64_t to_u64_near(T a) { return from##2ull_rn(a); }                        \
  CORPUS_CALL uint64_t to_u64_down(T a) { return from##2ull_rd(a); }                        \
  CORPUS_CALL uint64_t to_u64_up(T a) { return from##2ull_ru(a); }                          \
  CORPUS_CALL uint64_t to_u64_zero(T a) { return from##2ull_rz(a); }
CORPUS_TO_INTEGER(float, __float)
CORPUS_TO_INTEGER(double, __double)
#define CORPUS_FROM_INTEGER(T, from)                                \
  CORPUS_CALL float to_f32_near(T a) { return from##2float_rn(a); } \
  CORPUS_CALL float to_f32_down(T a) { return from##2float_rd(a); } \
  CORPUS_CALL float to_f32_up(T a) { return from##2float_ru(a); }   \
  CORPUS_CALL float to_f32_zero(T a) { return from##2float_rz(a); }
CORPUS_FROM_INTEGER(int32_t, __int)
CORPUS_FROM_INTEGER(uint32_t, __uint)
CORPUS_FROM_INTEGER(int64_t, __ll)
CORPUS_FROM_INTEGER(uint64_t, __ull)
CORPUS_FROM_INTEGER(double, __double)
CORPUS_CALL double to_f64_down(int64_t a) { return __ll2double_rd(a); }
CORPUS_CALL double to_f64_up(uint64_t a) { return __ull2double_ru(a); }
CORPUS_CALL double to_f64_near(int64_t a) { return __ll2double_rn(a); }

#else  // the host

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <limits>

#define CORPUS_CALL [[maybe_unused]] static inline

namespace {

__extension__ using corpus_u128 = unsigned __int128;
__extension__ using corpus_s128 = __int128;

CORPUS_CALL std::uint32_t popc(std::uint32_t a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
CORPUS_CALL std::uint32_t popc64(std::uint64_t a) {
  return static_cast<std::uint32_t>(std::popcount(a));
}
CORPUS_CALL std::uint32_t clz(std::uint32_t a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
CORPUS_CALL std::uint32_t clz64(std::uint64_t a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
CORPUS_CALL std::uint32_t ffs(std::uint32_t a) {
  return a == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(a)) + 1;
}
CORPUS_CALL std::uint32_t ffs64(std::uint64_t a) {
  return a == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(a)) + 1;
}
CORPUS_CALL std::uint64_t brev64(std::uint64_t a) {
  std::uint64_t result = 0;
  for (int i = 0; i < 64; ++i) {
    result |= (a >> i & 1U) << (63 - i);
  }
  return result;
}
CORPUS_CALL std::uint32_t brev(std::uint32_t a) {
  return static_cast<std::uint32_t>(brev64(a) >> 32);
}
CORPUS_CALL std::uint32_t mulhi(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
}
CORPUS_CALL std::int32_t mulhi_signed(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(std::int64_t{a} * b >> 32);
}
CORPUS_CALL std::uint64_t mulhi64(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(corpus_u128{a} * b >> 64);
}
CORPUS_CALL std::int64_t mulhi64_signed(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(corpus_s128{a} * b >> 64);
}
CORPUS_CALL std::uint32_t permuted_byte(std::uint32_t a, std::uint32_t b, std::uint32_t choice) {
  return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) >> 8 * (choice & 7U)) & 0xffU;
}
CORPUS_CALL std::uint32_t byte_perm(std::uint32_t a, std::uint32_t b, std::uint32_t s) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    result |= permuted_byte(a, b, s >> 4 * i) << 8 * i;
  }
  return result;
}
CORPUS_CALL std::uint32_t funnel_l(std::uint32_t low, std::uint32_t high, std::uint32_t s) {
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << (s & 31U) >> 32);
}
CORPUS_CALL std::uint32_t funnel_lc(std::uint32_t low, std::uint32_t high, std::uint32_t s) {
  return s >= 32 ? low : funnel_l(low, high, s);
}
CORPUS_CALL std::uint32_t funnel_r(std::uint32_t low, std::uint32_t high, std::uint32_t s) {
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (s & 31U));
}
CORPUS_CALL std::uint32_t funnel_rc(std::uint32_t low, std::uint32_t high, std::uint32_t s) {
  return s >= 32 ? high : funnel_r(low, high, s);
}
CORPUS_CALL std::uint32_t shl_clamped(std::uint32_t a, std::uint32_t s) {
  return s >= 32 ? 0 : a << s;
}
CORPUS_CALL std::uint32_t shr_clamped(std::uint32_t a, std::uint32_t s) {
  return s >= 32 ? 0 : a >> s;
}
CORPUS_CALL std::int32_t sar_clamped(std::int32_t a, std::uint32_t s) {
  return a >> std::min(s, 31U);
}
CORPUS_CALL std::uint64_t shl64_clamped(std::uint64_t a, std::uint32_t s) {
  return s >= 64 ? 0 : a << s;
}
CORPUS_CALL std::uint64_t shr64_clamped(std::uint64_t a, std::uint32_t s) {
  return s >= 64 ? 0 : a >> s;
}
CORPUS_CALL std::int64_t sar64_clamped(std::int64_t a, std::uint32_t s) {
  return a >> std::min(s, 63U);
}
// As the PTX manual defines bfe and bfi: positions and lengths are bytes.
CORPUS_CALL std::uint32_t bit_extract(std::uint32_t a, std::uint32_t start, std::uint32_t count) {
  start &= 0xffU;
  count &= 0xffU;
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    result |= i < count && start + i < 32 ? (a >> (start + i) & 1U) << i : 0;
  }
  return result;
}
CORPUS_CALL std::int32_t bit_extract_signed(std::int32_t a, std::uint32_t start,
                                            std::uint32_t count) {
  start &= 0xffU;
  count &= 0xffU;
  if (count == 0) {
    return 0;
  }
  const std::uint32_t sign = static_cast<std::uint32_t>(a) >> std::min(start + count - 1, 31U) & 1U;
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t bit =
        i < count && start + i < 32 ? static_cast<std::uint32_t>(a) >> (start + i) & 1U : sign;
    result |= bit << i;
  }
  return static_cast<std::int32_t>(result);
}
CORPUS_CALL std::uint32_t bit_insert(std::uint32_t a, std::uint32_t into, std::uint32_t start,
                                     std::uint32_t count) {
  start &= 0xffU;
  count &= 0xffU;
  for (std::uint32_t i = 0; i < count && start + i < 32; ++i) {
    const std::uint32_t at = start + i;
    into = (into & ~(1U << at)) | (a >> i & 1U) << at;
  }
  return into;
}
CORPUS_CALL std::uint32_t leading_bit(std::uint32_t a) { return a == 0 ? ~0U : 31 - clz(a); }
CORPUS_CALL std::uint32_t leading_bit_signed(std::int32_t a) {
  return leading_bit(static_cast<std::uint32_t>(a < 0 ? ~a : a));
}
CORPUS_CALL std::uint32_t leading_bit_shift(std::uint32_t a) { return a == 0 ? ~0U : clz(a); }
CORPUS_CALL std::uint32_t sign_extend_clamp(std::uint32_t a, std::uint32_t bits) {
  return bits >= 32 ? a
                    : static_cast<std::uint32_t>(
                          bit_extract_signed(static_cast<std::int32_t>(a), 0, bits));
}
CORPUS_CALL std::uint32_t zero_extend_wrap(std::uint32_t a, std::uint32_t bits) {
  return bit_extract(a, 0, bits & 31U);
}
CORPUS_CALL std::uint32_t bit_mask_clamp(std::uint32_t start, std::uint32_t bits) {
  const std::uint64_t ones = (std::uint64_t{1} << std::min(bits, 32U)) - 1;
  return start >= 32 ? 0 : static_cast<std::uint32_t>(ones << start);
}
CORPUS_CALL std::uint32_t bit_mask_wrap(std::uint32_t start, std::uint32_t bits) {
  return bit_mask_clamp(start & 31U, bits & 31U);
}
CORPUS_CALL std::uint32_t prmt_f4e(std::uint32_t a, std::uint32_t b, std::uint32_t s) {
  const std::uint32_t n = s & 3U;
  return byte_perm(a, b, (n + 3) << 12 | (n + 2) << 8 | (n + 1) << 4 | n);
}
CORPUS_CALL std::uint32_t prmt_b4e(std::uint32_t a, std::uint32_t b, std::uint32_t s) {
  const std::uint32_t n = s & 3U;
  return byte_perm(a, b, ((n + 5) & 7U) << 12 | ((n + 6) & 7U) << 8 | ((n + 7) & 7U) << 4 | n);
}
CORPUS_CALL std::uint32_t prmt_rc16(std::uint32_t a, std::uint32_t b, std::uint32_t s) {
  return byte_perm(a, b, (s & 1U) != 0 ? 0x3232U : 0x1010U);
}
CORPUS_CALL std::int32_t byte_at(std::uint32_t a, unsigned i, bool is_signed) {
  const auto byte = static_cast<std::uint8_t>(a >> 8 * i);
  return is_signed ? static_cast<std::int8_t>(byte) : std::int32_t{byte};
}
CORPUS_CALL std::uint32_t dot_of(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool signed_a,
                                 bool signed_b) {
  for (unsigned i = 0; i < 4; ++i) {
    c += static_cast<std::uint32_t>(byte_at(a, i, signed_a) * byte_at(b, i, signed_b));
  }
  return c;
}
CORPUS_CALL std::int32_t dot4_signed(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  return static_cast<std::int32_t>(dot_of(a, b, static_cast<std::uint32_t>(c), true, true));
}
CORPUS_CALL std::uint32_t dot4(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return dot_of(a, b, c, false, false);
}
CORPUS_CALL std::int32_t dot4_mixed(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  return static_cast<std::int32_t>(dot_of(a, b, static_cast<std::uint32_t>(c), false, true));
}
CORPUS_CALL std::uint32_t dot2_of(std::uint32_t a, std::uint32_t b, std::uint32_t c, bool is_signed,
                                  unsigned first) {
  for (unsigned i = 0; i < 2; ++i) {
    const auto word = static_cast<std::uint16_t>(a >> 16 * i);
    const std::int32_t x = is_signed ? static_cast<std::int16_t>(word) : std::int32_t{word};
    c += static_cast<std::uint32_t>(x * byte_at(b, first + i, is_signed));
  }
  return c;
}
CORPUS_CALL std::int32_t dot2_low_signed(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  return static_cast<std::int32_t>(dot2_of(a, b, static_cast<std::uint32_t>(c), true, 0));
}
CORPUS_CALL std::int32_t dot2_high_signed(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  return static_cast<std::int32_t>(dot2_of(a, b, static_cast<std::uint32_t>(c), true, 2));
}
CORPUS_CALL std::uint32_t dot2_low(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return dot2_of(a, b, c, false, 0);
}
CORPUS_CALL std::uint32_t dot2_high(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return dot2_of(a, b, c, false, 2);
}
CORPUS_CALL std::int32_t wrapped_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
CORPUS_CALL std::int32_t add_max(std::int32_t a, std::int32_t b, std::int32_t c) {
  return std::max(wrapped_sum(a, b), c);
}
CORPUS_CALL std::uint32_t add_min(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return std::min(a + b, c);
}
CORPUS_CALL std::int32_t add_max_relu(std::int32_t a, std::int32_t b, std::int32_t c) {
  return std::max(add_max(a, b, c), 0);
}
CORPUS_CALL std::int32_t max3(std::int32_t a, std::int32_t b, std::int32_t c) {
  return std::max(std::max(a, b), c);
}
CORPUS_CALL std::uint32_t min3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return std::min(std::min(a, b), c);
}
CORPUS_CALL std::int32_t max_relu(std::int32_t a, std::int32_t b) { return max3(a, b, 0); }
template <class F>
std::uint32_t by_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c, F f) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 32; i += 16) {
    const auto one = static_cast<std::uint16_t>(f(static_cast<std::uint16_t>(a >> i),
                                                  static_cast<std::uint16_t>(b >> i),
                                                  static_cast<std::uint16_t>(c >> i)));
    result |= std::uint32_t{one} << i;
  }
  return result;
}
CORPUS_CALL std::uint32_t add_max_16x2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return by_halves(a, b, c, [](std::uint16_t x, std::uint16_t y, std::uint16_t z) {
    return std::max(static_cast<std::int16_t>(x + y), static_cast<std::int16_t>(z));
  });
}
CORPUS_CALL std::uint32_t min_u16x2(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return by_halves(a, b, c, [](std::uint16_t x, std::uint16_t y, std::uint16_t z) {
    return std::min(std::min(x, y), z);
  });
}
CORPUS_CALL std::uint32_t max_16x2_relu(std::uint32_t a, std::uint32_t b) {
  return by_halves(a, b, 0, [](std::uint16_t x, std::uint16_t y, std::uint16_t z) {
    return std::max(std::max(static_cast<std::int16_t>(x), static_cast<std::int16_t>(y)),
                    static_cast<std::int16_t>(z));
  });
}
CORPUS_CALL std::uint32_t sum_abs_difference(std::int32_t a, std::int32_t b, std::uint32_t c) {
  const std::int64_t difference = std::int64_t{a} - b;
  return static_cast<std::uint32_t>(difference < 0 ? -difference : difference) + c;
}
template <class F>
std::uint32_t by_bytes(std::uint32_t a, std::uint32_t b, F f) {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    result |= (static_cast<std::uint32_t>(f(byte_at(a, i, false), byte_at(b, i, false))) & 0xffU)
              << 8 * i;
  }
  return result;
}
CORPUS_CALL std::uint32_t absolute_difference4(std::uint32_t a, std::uint32_t b) {
  return by_bytes(a, b, [](int x, int y) { return x > y ? x - y : y - x; });
}
CORPUS_CALL std::uint32_t add_bytes(std::uint32_t a, std::uint32_t b) {
  return by_bytes(a, b, [](int x, int y) { return x + y; });
}
CORPUS_CALL std::uint32_t max_bytes_signed(std::uint32_t a, std::uint32_t b) {
  return by_bytes(a, b, [](int x, int y) {
    return std::max(static_cast<std::int8_t>(x), static_cast<std::int8_t>(y));
  });
}
CORPUS_CALL std::uint32_t equal_bytes(std::uint32_t a, std::uint32_t b) {
  return by_bytes(a, b, [](int x, int y) { return x == y ? 0xff : 0; });
}
CORPUS_CALL std::int32_t average_rounded(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>((std::int64_t{a} + b + 1) >> 1);
}
CORPUS_CALL std::uint32_t average(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((std::uint64_t{a} + b) >> 1);
}

CORPUS_CALL std::uint32_t bits_of(float a) { return std::bit_cast<std::uint32_t>(a); }
CORPUS_CALL float float_of(std::uint32_t a) { return std::bit_cast<float>(a); }
CORPUS_CALL std::uint64_t bits_of(double a) { return std::bit_cast<std::uint64_t>(a); }
CORPUS_CALL double double_of(std::uint64_t a) { return std::bit_cast<double>(a); }

/// `f()` under a rounding of the host; `f` hides its operands from the compiler.
template <class F>
auto rounded(int mode, F f) {
  std::fesetround(mode);
  const auto result = f();
  std::fesetround(FE_TONEAREST);
  return result;
}
#define CORPUS_MODES(declare)                                                    \
  declare(down, FE_DOWNWARD) declare(up, FE_UPWARD) declare(zero, FE_TOWARDZERO) \
      declare(near, FE_TONEAREST)
#define CORPUS_OPERATIONS(suffix, mode, T)                            \
  CORPUS_CALL T add_##suffix(T a, T b) {                              \
    volatile T x = a;                                                 \
    volatile T y = b;                                                 \
    return rounded(mode, [&] { return static_cast<T>(x + y); });      \
  }                                                                   \
  CORPUS_CALL T multiply_##suffix(T a, T b) {                         \
    volatile T x = a;                                                 \
    volatile T y = b;                                                 \
    return rounded(mode, [&] { return static_cast<T>(x * y); });      \
  }                                                                   \
  CORPUS_CALL T divide_##suffix(T a, T b) {                           \
    volatile T x = a;                                                 \
    volatile T y = b;                                                 \
    return rounded(mode, [&] { return static_cast<T>(x / y); });      \
  }                                                                   \
  CORPUS_CALL T fused_##suffix(T a, T b, T c) {                       \
    volatile T x = a;                                                 \
    volatile T y = b;                                                 \
    volatile T z = c;                                                 \
    return rounded(mode, [&] { return std::fma(T{x}, T{y}, T{z}); }); \
  }                                                                   \
  CORPUS_CALL T root_##suffix(T a) {                                  \
    volatile T x = a;                                                 \
    return rounded(mode, [&] { return std::sqrt(T{x}); });            \
  }                                                                   \
  CORPUS_CALL T reciprocal_##suffix(T a) { return divide_##suffix(T{1}, a); }
#define CORPUS_FLOAT(suffix, mode) CORPUS_OPERATIONS(suffix, mode, float)
#define CORPUS_DOUBLE(suffix, mode) CORPUS_OPERATIONS(suffix, mode, double)
CORPUS_MODES(CORPUS_FLOAT)
CORPUS_MODES(CORPUS_DOUBLE)
CORPUS_CALL float saturated(float a) { return a > 0 ? std::min(a, 1.0F) : 0.0F; }

/// PTX's cvt.rXi.TO: clamped; NaN gives the top bit alone where either side has 64 bits, else zero.
template <class To, class From>
To to_integer(int mode, From narrow) {
  const double a = narrow;
  if (std::isnan(a)) {
    const bool wide = sizeof(To) == 8 || sizeof(From) == 8;
    return wide ? static_cast<To>(std::uint64_t{1} << (8 * sizeof(To) - 1)) : To{0};
  }
  const double whole = mode == FE_DOWNWARD     ? std::floor(a)
                       : mode == FE_UPWARD     ? std::ceil(a)
                       : mode == FE_TOWARDZERO ? std::trunc(a)
                                               : std::nearbyint(a);
  const double limit = std::ldexp(1.0, std::numeric_limits<To>::digits);
  if (whole >= limit) {
    return std::numeric_limits<To>::max();
  }
  if (whole <= (std::numeric_limits<To>::is_signed ? -limit : 0.0)) {
    return std::numeric_limits<To>::min();
  }
  return static_cast<To>(whole);
}
#define CORPUS_TO_INTEGERS(suffix, mode)                                  \
  template <class From>                                                   \
  CORPUS_CALL std::uint32_t to_s32_##suffix(From a) {                     \
    return static_cast<std::uint32_t>(to_integer<std::int32_t>(mode, a)); \
  }                                                                       \
  template <class From>                                                   \
  CORPUS_CALL std::uint32_t to_u32_##suffix(From a) {                     \
    return to_integer<std::uint32_t>(mode, a);                            \
  }                                                                       \
  template <class From>                                                   \
  CORPUS_CALL std::uint64_t to_s64_##suffix(From a) {                     \
    return static_cast<std::uint64_t>(to_integer<std::int64_t>(mode, a)); \
  }                                                                       \
  template <class From>                                                   \
  CORPUS_CALL std::uint64_t to_u64_##suffix(From a) {                     \
    return to_integer<std::uint64_t>(mode, a);                            \
  }                                                                       \
  template <class T>                                                      \
  float to_f32_##suffix(T a) {                                            \
    volatile T x = a;                                                     \
    return rounded(mode, [&] { return static_cast<float>(x); });          \
  }                                                                       \
  template <class T>                                                      \
  double to_f64_##suffix(T a) {                                           \
    volatile T x = a;                                                     \
    return rounded(mode, [&] { return static_cast<double>(x); });         \
  }
CORPUS_MODES(CORPUS_TO_INTEGERS)

}  // namespace

#endif
