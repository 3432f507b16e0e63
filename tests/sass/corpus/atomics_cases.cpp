#include <algorithm>
#include <bit>

#include "tests/sass/corpus/cases.hpp"

namespace corpus {
namespace {

using Words = std::vector<std::uint32_t>;
using WideWords = std::vector<std::uint64_t>;

constexpr std::uint32_t atomic_blocks = 2;
constexpr std::uint32_t atomic_threads = 128;
constexpr std::uint32_t atomic_total = atomic_blocks * atomic_threads;

std::int32_t number(std::uint32_t x) { return static_cast<std::int32_t>(x); }

Words atomic_inputs() {
  Words words = troublesome<std::uint32_t>(1);
  words.erase(words.begin(), words.end() - atomic_total);
  for (std::uint32_t i = 0; i < atomic_total; ++i) {
    words[i] = words[i] * 2246822519U + i;
  }
  return words;
}

WideWords wide_atomic_inputs() {
  WideWords result;
  for (const std::uint32_t word : atomic_inputs()) {
    result.push_back(word * std::uint64_t{0x9e3779b97f4a7c15U});
  }
  return result;
}

Case atomic_case(const char* kernel) {
  Case one;
  one.subject = "atomics";
  one.kernel = kernel;
  one.grid = {atomic_blocks, 1, 1};
  one.block = {atomic_threads, 1, 1};
  one.output = 1;
  return one;
}

/// The most negative and positive values for the extremes, ones for the conjunctions.
Words reduce_start() {
  Words out(45);
  std::fill_n(out.begin() + 4, 4, ~0U);
  std::fill_n(out.begin() + 12, 4, 0x7fffffffU);
  std::fill_n(out.begin() + 16, 4, 0x80000000U);
  std::fill_n(out.begin() + 20, 4, ~0U);
  std::fill_n(out.begin() + 40, 4, 5000U);
  return out;
}

bool add_reduce() {
  Case one = atomic_case("atomics_reduce");
  const Words in = atomic_inputs();
  one.arguments = {input(in), input(reduce_start())};
  one.expected = [in] {
    Words out = reduce_start();
    for (const std::uint32_t x : in) {
      const auto place = out.begin() + (x & 3U);
      place[0] += x;
      place[4] = std::min(place[4], x);
      place[8] = std::max(place[8], x);
      place[12] = static_cast<std::uint32_t>(std::min(number(place[12]), number(x)));
      place[16] = static_cast<std::uint32_t>(std::max(number(place[16]), number(x)));
      place[20] &= x | 0xffffU;
      place[24] |= x & 0xff00U;
      place[28] ^= x;
      place[32] -= x >> 3;
      ++place[36];
      --place[40];
    }
    out[44] = atomic_total;
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_wide() {
  Case one = atomic_case("atomics_wide");
  const WideWords in = wide_atomic_inputs();
  WideWords start(16);
  for (const std::size_t i : {2, 3, 10, 11}) {
    start[i] = ~std::uint64_t{0};
  }
  start[6] = start[7] = ~std::uint64_t{0} >> 1;
  start[8] = start[9] = std::uint64_t{1} << 63;
  one.arguments = {input(in), input(start)};
  one.element = Element::u64;
  one.expected = [in, start] {
    WideWords out = start;
    const auto signed_number = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
    for (const std::uint64_t x : in) {
      const auto place = out.begin() + (x & 1U);
      place[0] += x;
      place[2] = std::min(place[2], x);
      place[4] = std::max(place[4], x);
      place[6] = static_cast<std::uint64_t>(std::min(signed_number(place[6]), signed_number(x)));
      place[8] = static_cast<std::uint64_t>(std::max(signed_number(place[8]), signed_number(x)));
      place[10] &= x | 0xffffffffU;
      place[12] |= x & 0xff00ff00ff00U;
      place[14] ^= x;
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_return() {
  Case one = atomic_case("atomics_return");
  const Words in = atomic_inputs();
  constexpr std::size_t size = atomic_total + 32 + 8 * atomic_total;
  one.arguments = {input(in), input(Words(size)), input(Words{0, 0, 0})};
  one.expected = [in] {
    Words out(size);
    std::fill_n(out.begin(), atomic_total, 5U);
    std::fill_n(out.begin() + atomic_total, 32, atomic_total / 16);
    for (std::uint32_t t = 0; t < atomic_total; ++t) {
      const std::uint32_t x = in[t];
      const auto own = out.begin() + (atomic_total + 32 + 8 * t);
      own[1] = x;
      own[0] = 77;
      own[2] = x + 1 + (77U << 1);
      const std::uint32_t most = std::max(10U, x);
      own[4] = 10 + most;
      const std::uint32_t least = std::min(most, 3U);
      own[5] = least + (least ^ 0xf0U) + ((least ^ 0xf0U) & 0xccU);
      const std::uint32_t both = ((least ^ 0xf0U) & 0xccU) | x;
      own[6] = both;
      own[7] = both - 9;
      own[3] = static_cast<std::uint32_t>(std::min(number(both - 9), -8));
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_wide_return() {
  Case one = atomic_case("atomics_wide_return");
  const WideWords in = wide_atomic_inputs();
  one.arguments = {input(in), output<std::uint64_t>(std::size_t{4} * atomic_total)};
  one.element = Element::u64;
  one.expected = [in] {
    WideWords out;
    for (const std::uint64_t x : in) {
      // The second comparison meets 99.
      const std::uint64_t now = std::max<std::uint64_t>(99, x);
      const WideWords row = {std::min<std::uint64_t>(now, 7), x ^ (x + 0x123456789U), x * 3 + 99,
                             99 ^ now};
      out.insert(out.end(), row.begin(), row.end());
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_float() {
  Case one = atomic_case("atomics_float");
  const Words in = atomic_inputs();
  one.arguments = {input(in), input(std::vector<float>(4 + 2 * atomic_total)),
                   input(std::vector<double>(2 + atomic_total, 2.0))};
  one.element = Element::f32;
  one.expected = [in] {
    std::vector<float> out(4 + 2 * atomic_total);
    for (std::uint32_t t = 0; t < atomic_total; ++t) {
      const float x = static_cast<float>(in[t] & 0xffU) * 0.25F;
      out[in[t] & 3U] += x;
      out[4 + t] = x;
      out[4 + atomic_total + t] = 2.0F + x;
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

/// A small whole number as half.
std::uint32_t half_of(std::uint32_t x) {
  if (x == 0) {
    return 0;
  }
  const auto exponent = static_cast<std::uint32_t>(31 - std::countl_zero(x));
  return (exponent + 15) << 10 | (x << (10 - exponent) & 0x3ffU);
}

bool add_half() {
  Case one = atomic_case("atomics_half");
  const Words in = atomic_inputs();
  one.arguments = {input(in), input(Words(4 + 2 * atomic_total))};
  one.expected = [in] {
    Words out(4 + 2 * atomic_total);
    std::array<std::array<std::uint32_t, 2>, 4> sums{};
    for (std::uint32_t t = 0; t < atomic_total; ++t) {
      sums[in[t] >> 8 & 3U][0] += in[t] & 3U;
      sums[in[t] >> 8 & 3U][1] += in[t] >> 2 & 3U;
      out[4 + t] = half_of(in[t] & 3U) | half_of(in[t] >> 2 & 3U) << 16;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out[i] = half_of(sums[i][0]) | half_of(sums[i][1]) << 16;
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

Words shared_atomics(const Words& in) {
  Words out;
  for (std::uint32_t block = 0; block < atomic_blocks; ++block) {
    Words words(64);
    std::fill_n(words.begin() + 4, 4, ~0U);
    std::fill_n(words.begin() + 20, 4, ~0U);
    WideWords wide(8);
    std::array<float, 4> sums{};
    std::array<float, 2> wide_sums{};
    Words old;
    // A counter at zero goes down to its limit first.
    std::array<std::uint32_t, 4> downs{};
    for (std::uint32_t t = 0; t < atomic_threads; ++t) {
      const std::uint32_t x = in[block * atomic_threads + t];
      const std::uint32_t which = x & 3U;
      const auto place = words.begin() + which;
      place[0] += x;
      place[4] = std::min(place[4], x);
      place[8] = std::max(place[8], x);
      place[12] = static_cast<std::uint32_t>(std::min(number(place[12]), number(x)));
      place[16] = static_cast<std::uint32_t>(std::max(number(place[16]), number(x)));
      place[20] &= x | 0xffU;
      place[24] |= x & 0xf0f0U;
      place[28] ^= x;
      ++place[32];
      place[36] = downs[which]++ == 0 ? 100000U : place[36] - 1;
      wide[which] += std::uint64_t{x} << 7;
      wide[4 + which] = std::max(wide[4 + which], std::uint64_t{x} << 11);
      sums[which] += static_cast<float>(x & 0x3fU) * 0.5F;
      wide_sums[which & 1U] += static_cast<float>(x & 0x3fU) * 0.5F;
      old.push_back((x + 3) ^ x);
    }
    words[40] = words[41] = atomic_threads;
    std::fill_n(words.begin() + 44, 4, ~0U);
    out.insert(out.end(), words.begin(), words.end());
    for (const std::uint64_t word : wide) {
      out.push_back(static_cast<std::uint32_t>(word));
      out.push_back(static_cast<std::uint32_t>(word >> 32));
    }
    for (const float sum : sums) {
      out.push_back(std::bit_cast<std::uint32_t>(sum));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out.push_back(std::bit_cast<std::uint32_t>(wide_sums[i & 1U]));
    }
    out.insert(out.end(), old.begin(), old.end());
  }
  return out;
}

bool add_shared() {
  Case one = atomic_case("atomics_shared");
  const Words in = atomic_inputs();
  constexpr std::size_t size = atomic_blocks * (64 + 16 + 8 + atomic_threads);
  one.arguments = {input(in), output<std::uint32_t>(size)};
  one.expected = [in] { return bytes_of(shared_atomics(in)); };
  return add_case(std::move(one));
}

bool add_generic_atomics() {
  Case one = atomic_case("atomics_generic");
  const Words in = atomic_inputs();
  one.arguments = {input(in), input(Words(2)), input(std::vector<float>{0.0F})};
  one.expected = [in] {
    Words out(2);
    for (std::uint32_t t = 0; t < atomic_total; ++t) {
      out[t / 32 % 2] += in[t];
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

const bool atomics_added[] = {add_reduce(), add_wide(), add_return(), add_wide_return(),
                              add_float(),  add_half(), add_shared(), add_generic_atomics()};

}  // namespace
}  // namespace corpus
