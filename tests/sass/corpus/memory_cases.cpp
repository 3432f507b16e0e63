#include <algorithm>
#include <bit>

#include "tests/sass/corpus/cases.hpp"

namespace corpus {
namespace {

using Words = std::vector<std::uint32_t>;

Words memory_inputs(std::size_t count) {
  Words words = troublesome<std::uint32_t>(0);
  Words result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(words[i % words.size()] * 2654435761U + static_cast<std::uint32_t>(i));
  }
  return result;
}

Case memory_case(const char* kernel, std::uint32_t blocks, std::uint32_t threads) {
  Case one;
  one.subject = "memory";
  one.kernel = kernel;
  one.grid = {blocks, 1, 1};
  one.block = {threads, 1, 1};
  return one;
}

std::uint32_t word_of(float x) { return std::bit_cast<std::uint32_t>(x); }

bool add_parameters() {
  Case one = memory_case("memory_parameters", 1, 40);
  constexpr double number = 1234.56789;
  constexpr std::int64_t wide = -0x123456789abcdef;
  constexpr std::uint64_t unsigned_wide = 0xfedcba9876543210U;
  const std::vector<float> in = {0.5F, 1.5F, -2.25F, 8.0F};
  one.arguments = {value(static_cast<signed char>(-5)),
                   value(static_cast<short>(-1234)),
                   value(3.75F),
                   value(number),
                   output<std::uint32_t>(std::size_t{12} * 40),
                   value(static_cast<unsigned char>(200)),
                   value(-77),
                   value(wide),
                   value(static_cast<unsigned short>(65000)),
                   input(in),
                   value(static_cast<unsigned char>(1)),
                   value(unsigned_wide)};
  one.output = 4;
  one.expected = [=] {
    Words out;
    for (std::uint32_t t = 0; t < 40; ++t) {
      const Words row = {static_cast<std::uint32_t>(-5),
                         static_cast<std::uint32_t>(-1234) + t,
                         word_of(7.5F),
                         word_of(static_cast<float>(number)),
                         200 + t,
                         static_cast<std::uint32_t>(-77) * t,
                         static_cast<std::uint32_t>(wide >> 13),
                         65000,
                         word_of(in[t % 4] + 1.0F),
                         5,
                         static_cast<std::uint32_t>(unsigned_wide >> (t & 31U)),
                         1234568};
      out.insert(out.end(), row.begin(), row.end());
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_indices() {
  Case one = memory_case("memory_indices", 3, 5);
  one.grid = {3, 2, 4};
  one.block = {5, 3, 7};
  one.arguments = {output<std::uint32_t>(std::size_t{24} * 105)};
  one.expected = [] {
    Words out;
    for (std::uint32_t block = 0; block < 24; ++block) {
      for (std::uint32_t thread = 0; thread < 105; ++thread) {
        out.push_back(thread % 5 | thread / 5 % 3 << 4 | thread / 15 << 8 | block % 3 << 12 |
                      block / 3 % 2 << 16 | block / 6 << 20 | (3U + 7U) << 24);
      }
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

template <class T>
T read(const Bytes& bytes, std::size_t index) {
  T result;
  std::memcpy(&result, bytes.data() + index * sizeof(T), sizeof(T));
  return result;
}
template <class T>
void write(Bytes& bytes, std::size_t offset, std::size_t index, T value) {
  std::memcpy(bytes.data() + offset + index * sizeof(T), &value, sizeof(T));
}

bool add_widths() {
  constexpr std::uint32_t n = 80;
  Case one = memory_case("memory_widths", 3, 32);
  const Bytes in = bytes_of(memory_inputs(std::size_t{4} * n));
  one.arguments = {Buffer{in}, output<unsigned char>(std::size_t{36} * n), value(n)};
  one.output = 1;
  one.expected = [=] {
    Bytes out(std::size_t{36} * n, std::byte{0xff});
    for (std::uint32_t t = 0; t < n; ++t) {
      const auto word = [&](std::size_t i) { return read<std::uint32_t>(in, i); };
      const std::size_t v = std::size_t{4} * t;
      const std::size_t p = std::size_t{2} * (n - 1 - t);
      write(out, 0, v, word(v) + word(v + 1) * 3 + word(v + 2) * 5 + word(v + 3) * 7);
      write(out, 0, v + 1, word(p) ^ word(p + 1));
      write(out, 0, v + 2,
            word(t * 3 % n) + static_cast<std::uint32_t>(std::int32_t{read<signed char>(in, t)}));
      write(out, 0, v + 3,
            read<unsigned char>(in, t * 5 % n) +
                static_cast<std::uint32_t>(std::int32_t{read<short>(in, t)}) +
                read<unsigned short>(in, n - 1 - t));
      write(out, std::size_t{16} * n, std::size_t{2} * t, word(v + 3));
      write(out, std::size_t{16} * n, std::size_t{2} * t + 1, word(v + 2));
      write(out, std::size_t{24} * n, t, static_cast<std::uint16_t>(word(v) * 3));
      write(out, std::size_t{26} * n, t, static_cast<std::uint8_t>(word(v + 1) + 1));
      write(out, std::size_t{28} * n, std::size_t{2} * t, word(std::size_t{2} * t));
      write(out, std::size_t{28} * n, std::size_t{2} * t + 1, word(std::size_t{2} * t + 1) + 5);
    }
    return out;
  };
  return add_case(std::move(one));
}

bool add_packed() {
  constexpr std::uint32_t n = 50;
  Case one = memory_case("memory_packed", 1, 64);
  Bytes in = bytes_of(memory_inputs(70));
  in.resize(std::size_t{5} * n + 4);
  one.arguments = {Buffer{in}, output<unsigned char>(std::size_t{5} * n), value(n)};
  one.output = 1;
  one.expected = [=] {
    Bytes out(std::size_t{5} * n);
    for (std::size_t t = 0; t < n; ++t) {
      std::uint32_t word = 0;
      std::memcpy(&word, in.data() + 5 * t + 1, 4);
      word = word * 3 + read<unsigned char>(in, 5 * t);
      std::memcpy(out.data() + 5 * t + 1, &word, 4);
      out[5 * t] = static_cast<std::byte>(word >> 7);
    }
    return out;
  };
  return add_case(std::move(one));
}

bool add_variables() {
  Case one = memory_case("memory_variables", 2, 64);
  const Words in = memory_inputs(128);
  one.arguments = {input(in), output<std::uint32_t>(std::size_t{5} * 128)};
  one.output = 1;
  one.expected = [=] {
    constexpr std::array<std::uint32_t, 16> table = {3, 1, 4, 1, 5, 9, 2, 6,
                                                     5, 3, 5, 8, 9, 7, 9, 3};
    Words out;
    for (const std::uint32_t x : in) {
      const Words row = {table[x & 15U] + 1, word_of(2.5F * static_cast<float>(x & 0xffU)),
                         10 * ((x & 7U) + 1), 10 * (x % 6 + 3),
                         word_of(0.5F + static_cast<float>(x & 3U))};
      out.insert(out.end(), row.begin(), row.end());
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_local() {
  Case one = memory_case("memory_local", 2, 64);
  const Words in = memory_inputs(128);
  one.arguments = {input(in), output<std::uint32_t>(128)};
  one.output = 1;
  one.expected = [=] {
    Words out;
    for (std::uint32_t t = 0; t < 128; ++t) {
      std::array<std::uint32_t, 20> stack{};
      std::array<std::uint8_t, 24> small{};
      for (std::uint32_t i = 0; i < 20; ++i) {
        stack[i] = i * 7 + t;
      }
      for (std::uint32_t i = 0; i < 24; ++i) {
        small[i] = static_cast<std::uint8_t>(i + t);
      }
      std::uint32_t x = in[t];
      for (int i = 0; i < 30; ++i) {
        stack[x % 20] += x;
        small[x % 24] = static_cast<std::uint8_t>(small[x % 24] ^ (x >> 3 & 0xffU));
        x = x * 1664525U + stack[(x >> 8) % 20] + small[(x >> 16) % 24];
      }
      for (const std::uint32_t word : stack) {
        x = x * 31 + word;
      }
      for (const std::uint8_t byte : small) {
        x = x * 31 + byte;
      }
      out.push_back(x);
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_spills() {
  constexpr std::uint32_t threads = 96;
  Case one = memory_case("memory_spills", 1, threads);
  const Words in = memory_inputs(threads);
  one.arguments = {input(in), output<std::uint32_t>(threads), value(5)};
  one.output = 1;
  one.expected = [=] {
    Words out;
    for (std::uint32_t t = 0; t < threads; ++t) {
      std::array<std::uint32_t, 64> values{};
      for (std::uint32_t i = 0; i < 64; ++i) {
        values[i] = in[(t + i * 7) % threads];
      }
      for (std::uint32_t round = 0; round < 5; ++round) {
        for (std::uint32_t i = 0; i < 64; ++i) {
          values[i] = values[i] * 3 + (values[(i + 17) % 64] >> 5) + round;
        }
      }
      std::uint32_t sum = 0;
      for (const std::uint32_t one_value : values) {
        sum = sum * 17 + one_value;
      }
      out.push_back(sum);
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_generic() {
  Case one = memory_case("memory_generic", 1, 128);
  const Words in = memory_inputs(128);
  const Words other = memory_inputs(300);
  one.arguments = {input(in), output<std::uint32_t>(128), input(other)};
  one.output = 1;
  one.expected = [=] {
    Words global(other);
    Words shared(in);
    std::vector<Words> own;
    for (std::uint32_t t = 0; t < 128; ++t) {
      own.push_back({t, t + 1, t + 2, t + 3});
    }
    Words result(128);
    for (int step = 0; step < 2; ++step) {
      for (std::uint32_t t = 0; t < 128; ++t) {
        std::uint32_t& place = t / 32 % 3 == 1   ? shared[t * 5 & 127U]
                               : t / 32 % 3 == 2 ? own[t][in[t] & 3U]
                                                 : global[t];
        result[t] += place * 2;
        place += step == 0 ? in[t] : 3;
      }
    }
    for (std::uint32_t t = 0; t < 128; ++t) {
      result[t] += shared[t] + own[t][0] * 3 + own[t][3];
    }
    return bytes_of(result);
  };
  return add_case(std::move(one));
}

bool add_generic_mixed() {
  Case one = memory_case("memory_generic_mixed", 1, 64);
  const Words in = memory_inputs(64);
  const Words other = memory_inputs(64);
  one.arguments = {input(in), output<std::uint32_t>(64), input(other)};
  one.output = 1;
  one.expected = [=] {
    Words out;
    for (std::uint32_t t = 0; t < 64; ++t) {
      std::uint32_t global = other[t];
      std::uint32_t shared = t * 7;
      std::array<std::uint32_t, 2> own = {t * 3, t * 5};
      std::uint32_t& place = t % 3 == 0 ? global : t % 3 == 1 ? shared : own[in[t] & 1U];
      const std::uint32_t old = place;
      place += 100;
      out.push_back(old + shared * 3 + own[0] + own[1] * 2 + global);
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

bool add_strides() {
  constexpr int count = 200;
  Case one = memory_case("memory_strides", 2, 128);
  std::vector<double> in;
  for (int i = 0; i < count; ++i) {
    in.push_back(0.125 * i * i - 3.5 * i);
  }
  one.arguments = {input(in), output<double>(count), value(std::int64_t{-1}), value(count)};
  one.output = 1;
  one.element = Element::f64;
  one.expected = [=] {
    std::vector<double> out;
    for (int t = 0; t < count; ++t) {
      out.push_back(in[static_cast<std::size_t>(count - 1 - t)] * 2.0 +
                    in[static_cast<std::size_t>(t * 7919 % count)]);
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

const bool memory_added[] = {add_parameters(),    add_indices(), add_widths(), add_packed(),
                             add_variables(),     add_local(),   add_spills(), add_generic(),
                             add_generic_mixed(), add_strides()};

}  // namespace
}  // namespace corpus
