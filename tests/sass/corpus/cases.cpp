#include "tests/sass/corpus/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/sass/corpus/emulation.hpp"

namespace corpus {

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

bool add_case(Case one) {
  cases().push_back(std::move(one));
  return true;
}

namespace {

constexpr std::size_t random_inputs = 300;

/// Every pair of the edges as a and b, with c running through them; then random ones.
template <class T, class Random>
std::vector<T> inputs_of(const std::vector<T>& edges, unsigned which, Random random) {
  std::vector<T> values;
  const std::size_t count = edges.size();
  for (std::size_t i = 0; i < count * count; ++i) {
    values.push_back(edges[which == 0   ? i % count
                           : which == 1 ? i / count
                                        : (7 * i + i / count) % count]);
  }
  std::mt19937_64 generator(1234 + which);
  for (std::size_t i = 0; i < random_inputs; ++i) {
    values.push_back(random(generator));
  }
  return values;
}

template <class T>
std::vector<T> float_edges() {
  using Limits = std::numeric_limits<T>;
  return {T{0},
          -T{0},
          T{1},
          T{-1},
          T{1.5},
          T{-2.5},
          T{0.5},
          T{3},
          T{1000.25},
          Limits::min(),
          -Limits::min() / 4,
          Limits::denorm_min(),
          Limits::max(),
          -Limits::max() / 2,
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN(),
          T{4294967040.0},
          T{-2147483648.0}};
}

/// Mostly of moderate size, some anywhere.
template <class T, class Bits>
std::vector<T> float_inputs(unsigned which) {
  return inputs_of<T>(float_edges<T>(), which, [](std::mt19937_64& generator) {
    const auto bits = static_cast<Bits>(generator());
    if (generator() % 3 == 0) {
      return std::bit_cast<T>(bits);
    }
    std::uniform_real_distribution<T> exponent(T{-6}, T{6});
    std::uniform_real_distribution<T> mantissa(T{-2}, T{2});
    return mantissa(generator) * std::exp2(exponent(generator));
  });
}

}  // namespace

template <>
std::vector<std::uint32_t> troublesome<std::uint32_t>(unsigned which) {
  const std::vector<std::uint32_t> edges = {
      0,           1,           2,           3,           31,         32,          33,
      255,         0x7fffU,     0x8000U,     0xffffU,     0x10000U,   0x7fffffffU, 0x80000000U,
      0x80000001U, 0xfffffffeU, 0xffffffffU, 0x12345678U, 0xdeadbeefU};
  return inputs_of<std::uint32_t>(edges, which, [](std::mt19937_64& generator) {
    // Small ones as well as large ones.
    return static_cast<std::uint32_t>(generator() >> 32 >> generator() % 32);
  });
}

template <>
std::vector<std::uint64_t> troublesome<std::uint64_t>(unsigned which) {
  const std::vector<std::uint64_t> edges = {0,
                                            1,
                                            2,
                                            63,
                                            64,
                                            65,
                                            0x7fffffffU,
                                            0x80000000U,
                                            0xffffffffU,
                                            0x100000000U,
                                            0x1ffffffffU,
                                            0x7fffffffffffffffU,
                                            0x8000000000000000U,
                                            0xffffffff00000000U,
                                            0xfffffffffffffffeU,
                                            0xffffffffffffffffU,
                                            0x123456789abcdef0U};
  return inputs_of<std::uint64_t>(edges, which, [](std::mt19937_64& generator) {
    return std::uint64_t{generator()} >> generator() % 64;
  });
}

template <>
std::vector<float> troublesome<float>(unsigned which) {
  return float_inputs<float, std::uint32_t>(which);
}

template <>
std::vector<double> troublesome<double>(unsigned which) {
  return float_inputs<double, std::uint64_t>(which);
}

namespace {

template <class T>
T element_at(const Bytes& bytes, std::size_t index) {
  T result;
  std::memcpy(&result, bytes.data() + index * sizeof(T), sizeof(T));
  return result;
}

/// Distance in representable numbers; zeros of either sign are apart by one.
template <class T, class Bits, class Signed>
double float_distance(T a, T b) {
  if (std::isnan(a) && std::isnan(b)) {
    return 0;
  }
  if (std::isnan(a) || std::isnan(b)) {
    return std::numeric_limits<double>::infinity();
  }
  const auto ordered = [](T value) {
    const auto bits = std::bit_cast<Signed>(value);
    return bits < 0 ? std::numeric_limits<Signed>::min() - bits : bits;
  };
  if (std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b)) {
    return 0;
  }
  const Signed x = ordered(a);
  const Signed y = ordered(b);
  const Bits apart = x < y ? static_cast<Bits>(y) - static_cast<Bits>(x)
                           : static_cast<Bits>(x) - static_cast<Bits>(y);
  return std::max(1.0, static_cast<double>(apart));
}

double half_distance(std::uint16_t a, std::uint16_t b, std::uint16_t infinity) {
  const auto is_nan = [&](std::uint16_t bits) { return (bits & 0x7fffU) > infinity; };
  if (a == b || (is_nan(a) && is_nan(b))) {
    return 0;
  }
  const auto ordered = [](std::uint16_t bits) {
    return (bits & 0x8000U) != 0 ? -static_cast<double>(bits & 0x7fffU) : static_cast<double>(bits);
  };
  return std::max(1.0, std::fabs(ordered(a) - ordered(b)));
}

double distance(Element element, const Bytes& a, const Bytes& b, std::size_t index) {
  switch (element) {
    case Element::f32:
      return float_distance<float, std::uint32_t, std::int32_t>(element_at<float>(a, index),
                                                                element_at<float>(b, index));
    case Element::f64:
      return float_distance<double, std::uint64_t, std::int64_t>(element_at<double>(a, index),
                                                                 element_at<double>(b, index));
    case Element::f16:
      return half_distance(element_at<std::uint16_t>(a, index), element_at<std::uint16_t>(b, index),
                           0x7c00);
    case Element::bf16:
      return half_distance(element_at<std::uint16_t>(a, index), element_at<std::uint16_t>(b, index),
                           0x7f80);
    case Element::u64:
      return element_at<std::uint64_t>(a, index) == element_at<std::uint64_t>(b, index) ? 0 : 1;
    case Element::u32:
      break;
  }
  return element_at<std::uint32_t>(a, index) == element_at<std::uint32_t>(b, index) ? 0 : 1;
}

std::string shown(Element element, const Bytes& bytes, std::size_t index) {
  switch (element) {
    case Element::f32:
      return fmt::format("{} ({:#010x})", element_at<float>(bytes, index),
                         element_at<std::uint32_t>(bytes, index));
    case Element::f64:
      return fmt::format("{} ({:#018x})", element_at<double>(bytes, index),
                         element_at<std::uint64_t>(bytes, index));
    case Element::f16:
    case Element::bf16:
      return fmt::format("{:#06x}", element_at<std::uint16_t>(bytes, index));
    case Element::u64:
      return fmt::format("{:#018x}", element_at<std::uint64_t>(bytes, index));
    case Element::u32:
      break;
  }
  return fmt::format("{:#010x}", element_at<std::uint32_t>(bytes, index));
}

}  // namespace

std::string differences(const Case& one, const Bytes& wanted, const Bytes& found) {
  if (wanted.size() != found.size()) {
    return fmt::format("{} bytes wanted, {} found\n", wanted.size(), found.size());
  }
  const std::size_t size = one.element == Element::f16 || one.element == Element::bf16  ? 2
                           : one.element == Element::u32 || one.element == Element::f32 ? 4
                                                                                        : 8;
  std::string text;
  std::size_t count = 0;
  double furthest = 0;
  constexpr std::size_t most_shown = 12;
  for (std::size_t i = 0; i < wanted.size() / size; ++i) {
    const double apart = distance(one.element, wanted, found, i);
    furthest = std::max(furthest, apart);
    if (apart > one.ulps && count++ < most_shown) {
      text += fmt::format("  element {}: {} wanted, {} found\n", i, shown(one.element, wanted, i),
                          shown(one.element, found, i));
    }
  }
  return text.empty() ? text
                      : fmt::format("{} differ, by up to {} ulps\n{}", count, furthest, text);
}

namespace sass = perfmodel::sass;

sass::Launch launch_of(const Case& one) {
  sass::Launch launch;
  launch.grid = one.grid;
  launch.block = one.block;
  launch.dynamic_shared_bytes = one.dynamic_shared_bytes;
  for (const Argument& argument : one.arguments) {
    if (const auto* const given = std::get_if<Value>(&argument)) {
      launch.arguments.emplace_back(sass::ValueArgument{given->bytes, given->size_bytes});
    } else {
      const Bytes& bytes = std::get<Buffer>(argument).initial;
      launch.arguments.emplace_back(sass::BufferArgument{bytes.size(), sass::Fill::data, 0, bytes});
    }
  }
  return launch;
}

const sass::Module* module_of(const std::vector<sass::Module>& modules, const Case& one) {
  for (const sass::Module& module : modules) {
    for (const sass::Function& function : module.functions) {
      if (function.name == one.kernel) {
        return &module;
      }
    }
  }
  return nullptr;
}

}  // namespace corpus
