#include <bit>

#include "tests/sass/corpus/cases.hpp"

namespace corpus {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t control_blocks = 3;
constexpr std::uint32_t control_threads = 128;
constexpr std::uint32_t control_total = control_blocks * control_threads;

Words control_inputs() {
  Words words = troublesome<std::uint32_t>(1);
  words.erase(words.begin(), words.end() - control_total);
  return words;
}

/// A case whose result k of a thread is `f(its input, thread)[k]`.
template <class F>
bool add_control_case(const char* kernel, std::size_t count, F f) {
  Case one;
  one.subject = "control";
  one.kernel = kernel;
  one.grid = {control_blocks, 1, 1};
  one.block = {control_threads, 1, 1};
  const Words in = control_inputs();
  one.arguments = {input(in), output<std::uint32_t>(count * control_total)};
  one.output = 1;
  one.expected = [in, count, f] {
    Words out(count * control_total);
    for (std::uint32_t thread = 0; thread < control_total; ++thread) {
      const Words results = f(in[thread], thread);
      for (std::size_t k = 0; k < count; ++k) {
        out[k * control_total + thread] = results.at(k);
      }
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

std::uint32_t far_function(std::uint32_t a, std::uint32_t b) {
  return a > b ? a * 3 + b : (b - a) * 7 + 1;
}

std::uint32_t deeper_function(std::uint32_t a, std::uint32_t depth) {
  for (std::uint32_t i = 0; i < depth; ++i) {
    a = far_function(a, i + 5);
  }
  return a;
}

std::uint32_t ackermann_like(std::uint32_t n, std::uint32_t k) {
  if (n == 0) {
    return k + 1;
  }
  if (k == 0) {
    return ackermann_like(n - 1, 1) + n;
  }
  return ackermann_like(n - 1, k - 1) + ackermann_like(n - 1, k / 2) + k;
}

Words loops(std::uint32_t x, std::uint32_t) {
  std::uint32_t steps = 0;
  std::uint32_t n = (x & 0xffU) + 1;
  while (n != 1) {
    n = (n & 1U) != 0 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < (x & 31U) + 3; ++i) {
    if (i % 3 == 1) {
      continue;
    }
    for (std::uint32_t j = i; j < 12 && (x >> j & 3U) != 3; ++j) {
      sum += i * j;
    }
    if (sum > 150) {
      sum += 1000;
      break;
    }
  }
  return {steps, sum};
}

Words exits(std::uint32_t x, std::uint32_t) {
  if ((x & 7U) == 0) {
    return {1};
  }
  std::uint32_t result = x;
  for (int i = 0; i < 10; ++i) {
    if ((result & 1U) == 0) {
      result = (result >> 1) + (x & 0xffU);
    } else if ((result & 2U) == 0) {
      result ^= 0x35U;
    } else {
      result = result * 5 + 1;
      if ((result & 0x70U) == 0x70U) {
        return {result};
      }
    }
  }
  return {result + 7};
}

Words calls(std::uint32_t x, std::uint32_t thread) {
  std::uint32_t result = 0;
  if ((x & 1U) != 0) {
    result = far_function(x, thread);
  } else if ((x & 2U) != 0) {
    result = deeper_function(x, x >> 2 & 7U);
  }
  return {result + far_function(result, 9)};
}

std::uint32_t reversed(std::uint32_t x) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; ++i) {
    result = result << 1 | (x >> i & 1U);
  }
  return result;
}

Words switches(std::uint32_t x, std::uint32_t thread) {
  std::uint32_t state = thread % 11;
  for (int i = 0; i < 20; ++i) {
    switch (state) {
      case 0:
        x += 17;
        state = 3 + x % 5;
        break;
      case 1:
        x = x * 3 + 1;
        state = 2;
        break;
      case 2:
        x ^= x >> 7;
        state = 9;
        break;
      case 3:
        x = reversed(x);
        state = x % 11;
        break;
      case 4:
        x = x / 3;
        state = 0;
        break;
      case 5:
        x = static_cast<std::uint32_t>(std::popcount(x)) * 99;
        state = 8;
        break;
      case 6:
        x -= 1234567;
        state = x % 7;
        break;
      case 7:
        x = x << 3 | x >> 29;
        state = 1;
        break;
      case 8:
        x = ~x;
        state = x % 10;
        break;
      case 9:
        x = x % 1000003;
        state = 10;
        break;
      default:
        x += thread;
        state = 6;
    }
  }
  return {x};
}

Words predicates(std::uint32_t x, std::uint32_t) {
  std::array<bool, 12> flags{};
  for (std::uint32_t i = 0; i < 12; ++i) {
    flags[i] = (x >> i & 1U) != 0 && x % (i + 3) != 1;
  }
  std::uint32_t sum = 0;
  for (std::uint32_t round = 0; round < (x & 15U) + 1; ++round) {
    for (std::uint32_t i = 0; i < 12; ++i) {
      sum = flags[i] ? sum * 3 + i + round : sum ^ (0x1234U + i);
    }
    flags[3] = flags[3] != flags[7];
    flags[5] = flags[1] && !flags[2];
  }
  return {sum};
}

Words jumps(std::uint32_t x, std::uint32_t) {
  std::uint32_t count = (x & 1U) != 0 ? 10 : 0;
  bool again = count == 0 || ((x >> 16 & 3U) != 0 || (x >> 24 & 7U) == 5);
  while (again) {
    x = x * 1664525U + 1013904223U;
    count += 11;
    again = count < 200 && ((x >> 16 & 3U) != 0 || (x >> 24 & 7U) == 5);
  }
  return {x ^ count};
}

const bool control_added[] = {
    add_control_case("control_loops", 2, loops),
    add_control_case("control_exits", 1, exits),
    add_control_case("control_calls", 1, calls),
    add_control_case(
        "control_recursion", 1,
        [](std::uint32_t x, std::uint32_t) { return Words{ackermann_like(x & 7U, x >> 3 & 7U)}; }),
    add_control_case("control_switch", 1, switches),
    add_control_case("control_predicates", 1, predicates),
    add_control_case("control_jumps", 1, jumps),
    [] {
      const Words in = control_inputs();
      return add_control_case("control_vote_loop", 1, [in](std::uint32_t x, std::uint32_t thread) {
        std::uint32_t most = 0;
        for (std::uint32_t i = thread / 32 * 32; i < thread / 32 * 32 + 32; ++i) {
          most = std::max(most, in[i] & 15U);
        }
        return Words{(most + 2 * (x & 15U)) * 100 + (x & 7U)};
      });
    }(),
};

}  // namespace
}  // namespace corpus
