#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace corpus {

/// How two outputs are compared: what an element of them is.
enum class Element : std::uint8_t { u32, u64, f32, f64, f16, bf16 };

using Bytes = std::vector<std::byte>;

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
constexpr Element element_of() {
  if constexpr (std::is_same_v<T, float>) {
    return Element::f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return Element::f64;
  } else {
    return sizeof(T) == 8 ? Element::u64 : Element::u32;
  }
}

/// A parameter that is passed as it is.
struct Value {
  std::array<std::byte, 8> bytes{};
  std::uint32_t size_bytes = 4;
};

/// A buffer that the kernel reads, writes or both.
struct Buffer {
  Bytes initial;
};

using Argument = std::variant<Value, Buffer>;

template <class T>
Argument value(T of) {
  Value result;
  // As the emulator takes them: a narrow value is widened.
  if constexpr (sizeof(T) < 4) {
    const auto wide = static_cast<std::uint32_t>(of);
    std::memcpy(result.bytes.data(), &wide, sizeof wide);
  } else {
    std::memcpy(result.bytes.data(), &of, sizeof of);
    result.size_bytes = sizeof of;
  }
  return result;
}

template <class T>
Argument input(const std::vector<T>& values) {
  return Buffer{bytes_of(values)};
}

/// A buffer of `count` elements, all bits set.
template <class T>
Argument output(std::size_t count) {
  return Buffer{Bytes(count * sizeof(T), std::byte{0xff})};
}

/// One launch of one kernel of the corpus and what it must compute.
struct Case {
  std::string subject;  ///< the source file, without its suffix
  std::string kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
  std::size_t output = 0;  ///< the argument that is compared
  Element element = Element::u32;
  double ulps = 0;  ///< how far apart floating-point results may lie
  /// The bytes of the output afterwards; empty where nothing computes them.
  std::function<Bytes()> expected;
  bool computed = true;  ///< false where instructions are only counted (tensor cores, TMA)
  int least_sm = 75;
};

/// All cases, in the order added.
std::vector<Case>& cases();

bool add_case(Case one);

/// Inputs that make trouble, and random ones. `which` of a, b and c.
template <class T>
std::vector<T> troublesome(unsigned which);

template <class In, class Out>
bool add_each(const char* subject, const char* kernel, std::size_t count, double ulps,
              void (*one)(In, In, In, Out*&)) {
  const std::vector<In> a = troublesome<In>(0);
  const std::vector<In> b = troublesome<In>(1);
  const std::vector<In> c = troublesome<In>(2);
  const std::size_t n = a.size();
  constexpr std::uint32_t threads = 128;
  Case result;
  result.subject = subject;
  result.kernel = kernel;
  result.grid = {static_cast<std::uint32_t>((n + threads - 1) / threads), 1, 1};
  result.block = {threads, 1, 1};
  result.arguments = {input(a), input(b), input(c), output<Out>(n * count),
                      value(static_cast<std::uint32_t>(n))};
  result.output = 3;
  result.element = element_of<Out>();
  result.ulps = ulps;
  result.expected = [a, b, c, n, count, one] {
    std::vector<Out> out(n * count);
    // Room for a body that gives more results than it says.
    std::vector<Out> results(2 * count + 16);
    for (std::size_t i = 0; i < n; ++i) {
      Out* end = results.data();
      one(a[i], b[i], c[i], end);
      if (end != results.data() + count) {
        return Bytes{};
      }
      for (std::size_t k = 0; k < count; ++k) {
        out[k * n + i] = results[k];
      }
    }
    return bytes_of(out);
  };
  return add_case(std::move(result));
}

}  // namespace corpus
