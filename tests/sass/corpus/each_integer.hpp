#pragma once

#include "tests/sass/corpus/each.hpp"
#include "tests/sass/corpus/intrinsics.hpp"

#define S32(x) static_cast<int32_t>(x)
#define U32(x) static_cast<uint32_t>(x)
#define S64(x) static_cast<int64_t>(x)
#define U64(x) static_cast<uint64_t>(x)

CORPUS_EACH(integer_arithmetic, uint32_t, uint32_t, 20, 0) {
  *r++ = a + b;
  *r++ = a - b;
  *r++ = a * b;
  *r++ = a * b + c;
  *r++ = a + b + c;
  *r++ = a - b - c;
  *r++ = 0U - a;
  *r++ = ~a + (b & c);
  *r++ = (a << 3) + b;
  *r++ = b - (a << 5);
  *r++ = (a << 7) - c;
  *r++ = a * 0x12345U + 77U;
  *r++ = a * b - c;
  *r++ = c - a * b;
  *r++ = mulhi(a, b);
  *r++ = U32(mulhi_signed(S32(a), S32(b)));
  *r++ = mulhi(a, b) + c;
  *r++ = U32(U64(a) * b >> 17);
  *r++ = U32(U64(S64(S32(a)) * S32(b) + S64(S32(c))) >> 13);
  *r++ = U32((U64(a) * b + (U64(c) << 20)) >> 32);
}

CORPUS_EACH(integer_division, uint32_t, uint32_t, 14, 0) {
  const uint32_t divisor = b == 0 ? 3 : b;
  // The most negative number over -1 has no quotient.
  const int32_t signed_divisor = S32(b) == 0 || S32(b) == -1 ? 5 : S32(b);
  *r++ = a / divisor;
  *r++ = a % divisor;
  *r++ = U32(S32(a) / signed_divisor);
  *r++ = U32(S32(a) % signed_divisor);
  *r++ = a / 7;
  *r++ = a % 10;
  *r++ = U32(S32(a) / 7);
  *r++ = U32(S32(a) % 1000);
  *r++ = U32(S32(a) / 16);
  *r++ = U32(S32(a) % 64);
  *r++ = a / 641U;
  *r++ = (a & 0xffffU) / ((b & 0xffU) + 1);
  *r++ = U32(S32(a >> 16) / S32((c >> 20) + 1));
  *r++ = a / ((c >> 9) + 1) + b % ((c & 0xffU) + 3);
}

CORPUS_EACH(integer_extremes, uint32_t, uint32_t, 20, 0) {
  const int32_t x = S32(a);
  const int32_t y = S32(b);
  const int32_t z = S32(c);
  *r++ = a < b ? a : b;
  *r++ = a > b ? a : b;
  *r++ = U32(x < y ? x : y);
  *r++ = U32(x > y ? x : y);
  *r++ = x < 0 ? 0U - a : a;
  *r++ = U32(x < -100 ? -100 : x > 1000 ? 1000 : x);
  *r++ = sum_abs_difference(x, y, c);
  *r++ = average(a, b);
  *r++ = U32(average_rounded(x, y));
  *r++ = U32(add_max(x, y, z));
  *r++ = add_min(a, b, c);
  *r++ = U32(add_max_relu(x, y, z));
  *r++ = U32(max3(x, y, z));
  *r++ = min3(a, b, c);
  *r++ = U32(max_relu(x, y));
  *r++ = add_max_16x2(a, b, c);
  *r++ = min_u16x2(a, b, c);
  *r++ = max_16x2_relu(a, b);
  *r++ = max_bytes_signed(a, b);
  *r++ = absolute_difference4(a, b);
}

CORPUS_EACH(integer_bits, uint32_t, uint32_t, 36, 0) {
  *r++ = popc(a);
  *r++ = clz(a);
  *r++ = ffs(a);
  *r++ = brev(a);
  *r++ = leading_bit(a);
  *r++ = leading_bit_signed(S32(a));
  *r++ = leading_bit_shift(a);
  *r++ = byte_perm(a, b, 0x3614);
  *r++ = byte_perm(a, b, c);
  *r++ = byte_perm(a, 0, 0x0123);
  *r++ = prmt_f4e(a, b, c);
  *r++ = prmt_b4e(a, b, c);
  *r++ = prmt_rc16(a, b, c);
  *r++ = bit_extract(a, 5, 9);
  *r++ = U32(bit_extract_signed(S32(a), 5, 9));
  *r++ = bit_extract(a, b & 31U, c & 31U);
  *r++ = U32(bit_extract_signed(S32(a), b & 31U, c & 31U));
  *r++ = bit_extract(a, b, c);
  *r++ = bit_insert(a, b, 3, 11);
  *r++ = bit_insert(a, b, c & 31U, b & 31U);
  *r++ = sign_extend_clamp(a, b);
  *r++ = sign_extend_clamp(a, 12);
  *r++ = zero_extend_wrap(a, b);
  *r++ = bit_mask_clamp(a, b);
  *r++ = bit_mask_wrap(a, b);
  *r++ = a & b & c;
  *r++ = a ^ b ^ c;
  *r++ = (a & b) | (a & c) | (b & c);
  *r++ = (a & b) | (~a & c);
  *r++ = ~(a | b) ^ c;
  *r++ = (a & 0x00ff00ffU) | (b & 0xff00ff00U);
  *r++ = (a & ~b) != 0 ? c : ~c;
  *r++ = (a & 0x80U) == 0 && (b & 0x10U) != 0 ? 1U : 0U;
  *r++ = popc(a & b) + popc(c);
  *r++ = a & (a - 1);
  *r++ = a & (0U - a);
}

CORPUS_EACH(integer_shifts, uint32_t, uint32_t, 20, 0) {
  *r++ = a << (b & 31U);
  *r++ = a >> (b & 31U);
  *r++ = U32(S32(a) >> (b & 31U));
  *r++ = a << 13;
  *r++ = U32(S32(a) >> 13);
  *r++ = a >> 27;
  *r++ = shl_clamped(a, b);
  *r++ = shr_clamped(a, b);
  *r++ = U32(sar_clamped(S32(a), b));
  *r++ = funnel_l(a, b, c);
  *r++ = funnel_lc(a, b, c);
  *r++ = funnel_r(a, b, c);
  *r++ = funnel_rc(a, b, c);
  *r++ = funnel_l(a, a, 11);
  *r++ = funnel_r(a, b, 19);
  *r++ = funnel_l(a, a, b);
  *r++ = 1U << (c & 31U);
  *r++ = ((1U << (c & 31U)) - 1) & a;
  *r++ = (a >> 4 & 0x0f0f0f0fU) | (a & 0x0f0f0f0fU) << 4;
  *r++ = U32(S32(a << 9) >> 17);
}

CORPUS_EACH(integer_compare, uint32_t, uint32_t, 8, 0) {
  const int32_t x = S32(a);
  const int32_t y = S32(b);
  const int32_t z = S32(c);
  *r++ = (a < b ? 1U : 0U) | (a <= b ? 2U : 0U) | (a > b ? 4U : 0U) | (a >= b ? 8U : 0U) |
         (a == b ? 16U : 0U) | (a != b ? 32U : 0U);
  *r++ = (x < y ? 1U : 0U) | (x <= y ? 2U : 0U) | (x > y ? 4U : 0U) | (x >= y ? 8U : 0U);
  *r++ = (x < y && y < z) || a == c ? a : b;
  *r++ = (x < y) != (y < z) ? a + 1 : b + 2;
  *r++ = x > 5 && y < 7 && z != 9 ? 3U : 4U;
  *r++ = x < 0 || y < 0 || (z < 0 && a > b) ? a ^ c : b ^ c;
  *r++ = (a == b ? b : c) + (a > c ? 10U : 20U);
  *r++ = ((a < b) ^ (b < c) ^ (c < a)) != 0 ? 7U : 8U;
}

CORPUS_EACH(integer_switch, uint32_t, uint32_t, 2, 0) {
  uint32_t value = b;
  switch (a & 15U) {
    case 0:
      value = b + c;
      break;
    case 1:
      value = b * c;
      break;
    case 2:
      value = b ^ (c << 3);
      break;
    case 3:
      value = popc(b) + c;
      break;
    case 4:
      value = b > c ? b - c : c - b;
      break;
    case 5:
      value = mulhi(b, c);
      break;
    case 6:
      value = brev(b) | c;
      break;
    case 7:
      value = b / ((c & 0xfffU) + 1);
      break;
    case 9:
      value = (b >> 5) * 3U;
      [[fallthrough]];
    case 10:
      value += c;
      break;
    case 12:
      value = clz(b) * c;
      break;
    default:
      value = ~b;
  }
  *r++ = value;
  switch (c % 5) {
    case 0:
      value ^= 0x1111U;
      break;
    case 1:
      value += 0x2222U;
      break;
    case 2:
      value *= 3U;
      break;
    default:
      value -= 5U;
  }
  *r++ = value;
}

CORPUS_EACH(integer_dot, uint32_t, uint32_t, 11, 0) {
  *r++ = U32(dot4_signed(a, b, S32(c)));
  *r++ = dot4(a, b, c);
  *r++ = U32(dot4_mixed(a, b, S32(c)));
  *r++ = U32(dot2_low_signed(a, b, S32(c)));
  *r++ = U32(dot2_high_signed(a, b, S32(c)));
  *r++ = dot2_low(a, b, c);
  *r++ = dot2_high(a, b, c);
  *r++ = add_bytes(a, b);
  *r++ = equal_bytes(a, b);
  *r++ = U32(S32(static_cast<int8_t>(a)) * S32(static_cast<int8_t>(b >> 8))) + c;
  *r++ = U32(S32(static_cast<int16_t>(a >> 16)) * S32(static_cast<int16_t>(b))) + c;
}

CORPUS_EACH(integer_narrow, uint32_t, uint32_t, 12, 0) {
  *r++ = static_cast<uint8_t>(a + b);
  *r++ = U32(S32(static_cast<int8_t>(a + b)));
  *r++ = static_cast<uint16_t>(a * b);
  *r++ = U32(S32(static_cast<int16_t>(a - b)));
  *r++ = static_cast<uint8_t>(a) / static_cast<uint8_t>((b & 0x7fU) + 1);
  *r++ = U32(S32(static_cast<int8_t>(a)) / S32(static_cast<uint8_t>((b & 0x3fU) + 1)));
  *r++ = U32(S32(static_cast<int16_t>(a)) % S32((b & 0xffU) + 1));
  *r++ = static_cast<int8_t>(a) < static_cast<int8_t>(b) ? 1U : 0U;
  *r++ = static_cast<uint16_t>(a >> 16) > static_cast<uint16_t>(c) ? a : c;
  *r++ = U32(S32(static_cast<int8_t>(a >> 24)) << 4);
  *r++ = (a >> 16 & 0xffU) + (b >> 8 & 0xffU);
  *r++ = static_cast<uint16_t>(static_cast<uint16_t>(a) << (c & 15U));
}

CORPUS_EACH(wide_arithmetic, uint64_t, uint64_t, 22, 0) {
  *r++ = a + b;
  *r++ = a - b;
  *r++ = a * b;
  *r++ = a * b + c;
  *r++ = a + b + c;
  *r++ = a - b - c;
  *r++ = 0U - a;
  *r++ = mulhi64(a, b);
  *r++ = U64(mulhi64_signed(S64(a), S64(b)));
  *r++ = (a << 3) + b;
  *r++ = b - (a << 5);
  *r++ = S64(a) < 0 ? 0U - a : a;
  *r++ = a < b ? a : b;
  *r++ = a > b ? a : b;
  *r++ = U64(S64(a) < S64(b) ? S64(a) : S64(b));
  *r++ = U64(S64(a) > S64(b) ? S64(a) : S64(b));
  *r++ = a + U32(b);
  *r++ = a + U64(S64(S32(U32(b))));
  *r++ = U64(S64(S32(U32(a))) * S64(S32(U32(b)))) + c;
  *r++ = U64(U32(a)) * U32(b) + c;
  *r++ = a * 1000003U;
  *r++ = (a & b) ^ (c | ~b);
}

CORPUS_EACH(wide_division, uint64_t, uint64_t, 10, 0) {
  const uint64_t divisor = b == 0 ? 3 : b;
  const int64_t signed_divisor = S64(b) == 0 || S64(b) == -1 ? 5 : S64(b);
  *r++ = a / divisor;
  *r++ = a % divisor;
  *r++ = U64(S64(a) / signed_divisor);
  *r++ = U64(S64(a) % signed_divisor);
  *r++ = a / ((c & 0xffffU) + 1);
  *r++ = a / 7;
  *r++ = a % 1000000007U;
  *r++ = U64(S64(a) / 10);
  *r++ = U64(S64(a) / 4096);
  *r++ = U64(S64(a) % 9);
}

CORPUS_EACH(wide_bits, uint64_t, uint64_t, 18, 0) {
  *r++ = popc64(a);
  *r++ = clz64(a);
  *r++ = ffs64(a);
  *r++ = brev64(a);
  *r++ = a << (b & 63U);
  *r++ = a >> (b & 63U);
  *r++ = U64(S64(a) >> (b & 63U));
  *r++ = shl64_clamped(a, U32(b));
  *r++ = shr64_clamped(a, U32(b));
  *r++ = U64(sar64_clamped(S64(a), U32(b)));
  *r++ = a << 37;
  *r++ = a >> 9;
  *r++ = U64(S64(a) >> 41);
  *r++ = (a << 23) | (a >> 41);
  *r++ = (a << (b & 63U)) | (a >> ((64 - (b & 63U)) & 63U));
  *r++ = a & (0U - a);
  *r++ = U64(S32(U32(a >> 32))) + U32(a);
  *r++ = (a & b) != 0 ? c : ~c;
}

CORPUS_EACH(wide_compare, uint64_t, uint64_t, 5, 0) {
  const int64_t x = S64(a);
  const int64_t y = S64(b);
  const int64_t z = S64(c);
  *r++ = (a < b ? 1U : 0U) | (a <= b ? 2U : 0U) | (a > b ? 4U : 0U) | (a >= b ? 8U : 0U) |
         (a == b ? 16U : 0U) | (a != b ? 32U : 0U);
  *r++ = (x < y ? 1U : 0U) | (x <= y ? 2U : 0U) | (x > y ? 4U : 0U) | (x >= y ? 8U : 0U);
  *r++ = (x < y && y < z) || a == c ? a : b;
  *r++ = x > 5 && y < 7 ? c : a;
  *r++ = (a >> 32) == (b >> 32) && U32(a) != U32(b) ? 1U : 0U;
}

#ifdef __CUDACC__
using corpus_u128 = unsigned __int128;
using corpus_s128 = __int128;
#endif

CORPUS_EACH(very_wide, uint64_t, uint64_t, 18, 0) {
  const corpus_u128 x = static_cast<corpus_u128>(a) << 64 | b;
  const corpus_u128 y = static_cast<corpus_u128>(c) << 64 | (a ^ b);
  const corpus_u128 sum = x + y;
  const corpus_u128 difference = x - y;
  const corpus_u128 product = x * y;
  const corpus_u128 shifted = x << (c & 127U);
  const corpus_s128 down = static_cast<corpus_s128>(x) >> (c & 127U);
  *r++ = U64(sum);
  *r++ = U64(sum >> 64);
  *r++ = U64(difference);
  *r++ = U64(difference >> 64);
  *r++ = U64(product);
  *r++ = U64(product >> 64);
  *r++ = U64(shifted);
  *r++ = U64(shifted >> 64);
  *r++ = U64(down);
  *r++ = U64(down >> 64);
  *r++ = x < y ? 1U : 0U;
  *r++ = static_cast<corpus_s128>(x) <= static_cast<corpus_s128>(y) ? 1U : 0U;
  const corpus_u128 quotient = x / (y == 0 ? 1 : y);
  const corpus_u128 rest = x % (y == 0 ? 1 : y);
  *r++ = U64(quotient);
  *r++ = U64(quotient >> 64);
  *r++ = U64(rest);
  *r++ = U64(rest >> 64);
  *r++ = U64(x / ((c >> 17) + 1));
  *r++ = U64(static_cast<corpus_s128>(x) / 1000003);
}
