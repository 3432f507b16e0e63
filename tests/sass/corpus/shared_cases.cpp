#include <algorithm>

#include "tests/sass/corpus/cases.hpp"

namespace corpus {
namespace {

using Words = std::vector<std::uint32_t>;

Words shared_inputs(std::size_t count) {
  const Words words = troublesome<std::uint32_t>(1);
  Words result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(words[i % words.size()] * 2246822519U + static_cast<std::uint32_t>(i * i));
  }
  return result;
}

/// `in` and an output of `count` words; `f(in)` gives what must be in it.
template <class F>
bool add_shared_case(const char* kernel, std::uint32_t blocks, std::uint32_t threads,
                     const Words& in, std::size_t count, F f, int least_sm = 75) {
  Case one;
  one.subject = "shared";
  one.kernel = kernel;
  one.grid = {blocks, 1, 1};
  one.block = {threads, 1, 1};
  one.arguments = {input(in), output<std::uint32_t>(count)};
  one.output = 1;
  one.least_sm = least_sm;
  one.expected = [in, f] { return bytes_of(f(in)); };
  return add_case(std::move(one));
}

bool add_transpose(std::uint32_t stride) {
  Case one;
  one.subject = "shared";
  one.kernel = "shared_transpose";
  one.block = {32, 32, 1};
  one.dynamic_shared_bytes = 32 * stride * 4;
  std::vector<float> in;
  for (const std::uint32_t word : shared_inputs(1024)) {
    in.push_back(static_cast<float>(word % 10000U) * 0.25F);
  }
  one.arguments = {input(in), output<float>(1024), value(stride)};
  one.output = 1;
  one.element = Element::f32;
  one.expected = [in] {
    std::vector<float> out;
    for (std::size_t y = 0; y < 32; ++y) {
      for (std::size_t x = 0; x < 32; ++x) {
        out.push_back(in[x * 32 + y] + in[y * 33] * 0.5F);
      }
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

std::uint32_t byte_of(const Words& words, std::size_t index) {
  return words[index / 4] >> 8 * (index % 4) & 0xffU;
}

Words widths(const Words& in) {
  Words small(256);
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t t = 0; t < 64; ++t) {
      const std::size_t at = i * 64 + t;
      small[at / 4] |= (in[4 * t] >> 8 * (i & 3U) & 0xffU) << 8 * (at % 4);
    }
  }
  Words out;
  for (std::size_t t = 0; t < 64; ++t) {
    const auto wide = in.begin() + static_cast<std::ptrdiff_t>(4 * (63 - t));
    const std::uint32_t half = byte_of(small, 6 * t) | byte_of(small, 6 * t + 1) << 8;
    out.push_back(wide[0] + in[2 * t + 1]);
    out.push_back(wide[1] ^ in[2 * t]);
    out.push_back(static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(half)}) +
                  byte_of(small, 7 * t));
    out.push_back(
        static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(byte_of(small, t + 5))}) +
        wide[3]);
  }
  return out;
}

Words block_votes(const Words& in) {
  Words out;
  for (std::size_t block = 0; block < 2; ++block) {
    const auto first = in.begin() + static_cast<std::ptrdiff_t>(block * 96);
    const Words x(first, first + 96);
    const auto count = [&](auto holds) {
      return static_cast<std::uint32_t>(std::count_if(x.begin(), x.end(), holds));
    };
    std::uint32_t sevenths = 0;
    for (std::uint32_t t = 0; t < 96; ++t) {
      sevenths += t % 7 == 2 ? 1 : 0;
    }
    const auto is77 = [](std::uint32_t word) { return word == 77; };
    const auto rare = [](std::uint32_t word) { return word % 1000003 == 1000002; };
    for (std::uint32_t t = 0; t < 96; ++t) {
      const Words row = {count([](std::uint32_t word) { return word % 3 == 0; }),
                         count(is77) == 0 ? 1U : 0U,
                         count(is77) != 0 ? 1U : 0U,
                         1,
                         count(rare) != 0 ? 1U : 0U,
                         sevenths};
      out.insert(out.end(), row.begin(), row.end());
    }
  }
  return out;
}

Words named_barriers(const Words& in) {
  Words out(128, 9);
  for (std::size_t t = 64; t < 128; ++t) {
    const std::uint32_t x = in[127 - t];
    out[t] = ((x * 2) * 5 + x * 3) * 5 + x * 4;
  }
  return out;
}

Words leavers(const Words& in) {
  Words out(128, 1);
  Words words(in);
  for (std::size_t distance = 1; distance < 64; distance *= 2) {
    const Words before(words);
    for (std::size_t t = 0; t < 64; ++t) {
      words[t] += before[(t + distance) % 64];
    }
  }
  std::copy_n(words.begin(), 64, out.begin());
  return out;
}

Words async_copy(const Words& in) {
  Words words(std::size_t{128} * 7, 0x5a5a5a5aU);
  for (std::size_t t = 0; t < 128; ++t) {
    for (std::size_t i = 0; i < 4; ++i) {
      words[4 * t + i] = in[4 * (127 - t) + i];
    }
    for (std::size_t i = 0; i < 2; ++i) {
      words[512 + 2 * t + i] = in[512 + 2 * (t ^ 1U) + i];
    }
    words[768 + t] = t % 4 == 3 ? 0 : in[768 + (t + 5) % 128];
  }
  Words out(words.size());
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t t = 0; t < 128; ++t) {
      out[i * 128 + t] = words[(i * 128 + t * 3) % words.size()];
    }
  }
  return out;
}

Words matrices(const Words& in) {
  const auto element = [&](std::size_t matrix, std::size_t row, std::size_t column) {
    // Row `row` of a matrix begins where lane 8 matrix + row says.
    const std::size_t lane = 8 * matrix + row;
    return in[lane * 5 % 32 * 4 + column / 2] >> 16 * (column % 2) & 0xffffU;
  };
  const auto fragment = [&](std::size_t matrix, std::size_t lane, bool transposed) {
    const std::size_t row = lane / 4;
    const std::size_t column = 2 * (lane % 4);
    return transposed ? element(matrix, column, row) | element(matrix, column + 1, row) << 16
                      : element(matrix, row, column) | element(matrix, row, column + 1) << 16;
  };
  Words out(256);
  for (std::size_t t = 0; t < 32; ++t) {
    out[t] = fragment(0, t, false);
    out[32 + t] = fragment(0, t, true);
    out[64 + t] = fragment(1, t, true);
    for (std::size_t i = 0; i < 4; ++i) {
      out[96 + 32 * i + t] = fragment(i, t, false);
    }
    out[224 + t] = fragment(0, t, true) + fragment(1, t, true) * 3 + fragment(2, t, true) * 5 +
                   fragment(3, t, true) * 7;
  }
  return out;
}

const bool shared_added[] = {
    add_transpose(33),
    add_transpose(32),
    add_shared_case("shared_reduction", 3, 256, shared_inputs(768), 3,
                    [](const Words& in) {
                      Words out(3);
                      for (std::size_t i = 0; i < in.size(); ++i) {
                        out[i / 256] += in[i];
                      }
                      return out;
                    }),
    add_shared_case("shared_widths", 1, 64, shared_inputs(256), 256, widths),
    add_shared_case("shared_block_votes", 2, 96, shared_inputs(192), std::size_t{6} * 192,
                    block_votes),
    add_shared_case("shared_named_barriers", 1, 128, shared_inputs(128), 128, named_barriers),
    add_shared_case("shared_leavers", 1, 128, shared_inputs(128), 128, leavers),
    add_shared_case("shared_async_copy", 1, 128, shared_inputs(896), 896, async_copy, 80),
    add_shared_case("shared_matrices", 1, 32, shared_inputs(128), 256, matrices),
    add_shared_case("shared_spin", 1, 64, shared_inputs(8), 2,
                    [](const Words& in) {
                      std::uint32_t sum = 0;
                      for (const std::uint32_t word : in) {
                        sum = sum * 3 + word;
                      }
                      return Words{sum, 3};
                    }),
    add_shared_case("shared_lock", 1, 64, shared_inputs(64), 2,
                    [](const Words& in) {
                      std::uint32_t sum = 0;
                      for (const std::uint32_t word : in) {
                        sum += word;
                      }
                      return Words{sum, 64};
                    }),
    add_shared_case("shared_lane_spin", 1, 32, shared_inputs(32), 33,
                    [](const Words& in) {
                      Words out(33, in[17] | 1U);
                      out[32] = in[17];
                      return out;
                    }),
};

}  // namespace
}  // namespace corpus
