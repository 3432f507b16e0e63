#include <algorithm>
#include <bit>

#include "tests/sass/corpus/cases.hpp"

namespace corpus {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t warp_blocks = 2;
constexpr std::uint32_t warp_threads = 96;
constexpr std::uint32_t warp_total = warp_blocks * warp_threads;

Words warp_inputs() {
  Words words = troublesome<std::uint32_t>(2);
  words.erase(words.begin(), words.end() - warp_total);
  return words;
}

/// A case whose result k of a thread is `f(values of its warp, lane, thread)[k]`.
template <class F>
bool add_warp_case(const char* kernel, std::size_t count, int least_sm, F f) {
  Case one;
  one.subject = "warp";
  one.kernel = kernel;
  one.grid = {warp_blocks, 1, 1};
  one.block = {warp_threads, 1, 1};
  one.least_sm = least_sm;
  const Words in = warp_inputs();
  one.arguments = {input(in), output<std::uint32_t>(count * warp_total)};
  one.output = 1;
  one.expected = [in, count, f] {
    Words out(count * warp_total);
    for (std::uint32_t thread = 0; thread < warp_total; ++thread) {
      const std::uint32_t lane = thread % 32;
      const auto first = in.begin() + (thread - lane);
      const Words results = f(Words(first, first + 32), lane, thread);
      for (std::size_t k = 0; k < count; ++k) {
        out[k * warp_total + thread] = results.at(k);
      }
    }
    return bytes_of(out);
  };
  return add_case(std::move(one));
}

/// The lane that `lane` reads from, or itself where there is none in its segment.
std::uint32_t from_above(std::uint32_t lane, std::uint32_t by, std::uint32_t width) {
  return lane % width + by < width ? lane + by : lane;
}
std::uint32_t from_below(std::uint32_t lane, std::uint32_t by, std::uint32_t width) {
  return lane % width >= by ? lane - by : lane;
}

template <class F>
std::uint32_t lanes_with(F holds) {
  std::uint32_t mask = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    mask |= holds(lane) ? 1U << lane : 0;
  }
  return mask;
}

const bool warp_added[] = {
    add_warp_case("warp_shuffle", 13, 75,
                  [](const Words& x, std::uint32_t lane, std::uint32_t) {
                    const std::uint32_t own = x[lane];
                    return Words{
                        x[5],
                        x[own & 31U],
                        x[lane / 8 * 8 + (own & 7U)],
                        x[from_below(lane, 1, 32)],
                        x[from_below(lane, 3, 16)],
                        x[from_above(lane, 2, 32)],
                        x[from_above(lane, 5, 8)],
                        x[lane ^ 16U],
                        x[lane ^ 9U],
                        x[from_above(lane, own & 7U, 4)],
                        x[from_below(lane, 4, 32)] * 2 + (lane >= 4 ? 1 : 0),
                        x[lane ^ 1U],
                        static_cast<std::uint32_t>(((std::uint64_t{x[31 - lane]} << 20) >> 9))};
                  }),
    add_warp_case("warp_scan", 1, 75,
                  [](const Words& x, std::uint32_t lane, std::uint32_t) {
                    std::uint32_t sum = 0;
                    for (std::uint32_t i = 0; i <= lane; ++i) {
                      sum += x[i];
                    }
                    return Words{sum};
                  }),
    add_warp_case(
        "warp_vote", 6, 75,
        [](const Words& x, std::uint32_t lane, std::uint32_t) {
          const std::uint32_t above = lanes_with([&](auto i) { return x[i] > 7; });
          std::uint32_t part = 0;
          if (lane < 13) {
            part = lanes_with([&](auto i) { return i < 13 && (x[i] & 4U) != 0; });
            part = part * 2 + (lanes_with([&](auto i) { return i < 13 && x[i] % 5 == 1; }) != 0);
            part += x[12];
          } else {
            part = lanes_with([&](auto i) { return i >= 13 && (x[i] & 8U) != 0; });
            part ^= x[lane < 16 ? lane : lane ^ 1U];
          }
          const std::uint32_t odd = lanes_with([&](auto i) { return (x[i] & 1U) != 0; });
          return Words{lanes_with([&](auto i) { return x[i] % 3 == 0; }),
                       lanes_with([&](auto i) { return x[i] > 0xf0000000U; }) != 0 ? 1U : 2U,
                       lanes_with([&](auto i) { return x[i] == 5; }) == 0 ? 1U : 2U,
                       above == 0 || above == 0xffffffffU ? 1U : 0U,
                       part,
                       static_cast<std::uint32_t>(std::popcount(odd & ((1U << lane) - 1)))};
        }),
    add_warp_case("warp_match", 4, 75,
                  [](const Words& x, std::uint32_t lane, std::uint32_t thread) {
                    const std::uint32_t peers =
                        lanes_with([&](auto i) { return x[i] % 5 == x[lane] % 5; });
                    const bool same = thread < warp_threads || peers == 0xffffffffU;
                    return Words{peers, peers, same ? 0xffffffffU : 0, same ? 1U : 0U};
                  }),
    add_warp_case(
        "warp_reduce_sync", 9, 80,
        [](const Words& x, std::uint32_t lane, std::uint32_t) {
          Words r(9);
          r[1] = r[5] = 0xffffffffU;
          r[3] = 0x7fffffffU;
          r[4] = 0x80000000U;
          for (std::uint32_t i = 0; i < 32; ++i) {
            const auto number = static_cast<std::int32_t>(x[i]);
            r[0] += x[i];
            r[1] = std::min(r[1], x[i]);
            r[2] = std::max(r[2], x[i]);
            r[3] = static_cast<std::uint32_t>(std::min(static_cast<std::int32_t>(r[3]), number));
            r[4] = static_cast<std::uint32_t>(std::max(static_cast<std::int32_t>(r[4]), number));
            r[5] &= x[i] | 0xff00U;
            r[6] |= x[i] & 0x0ff0U;
            r[7] ^= x[i];
            r[8] += i >= 20 && lane >= 20 ? x[i] : 0;
          }
          return r;
        }),
    add_warp_case(
        "warp_elect", 1, 90,
        [](const Words& x, std::uint32_t lane, std::uint32_t) { return Words{1 + x[lane]}; }),
    [] {
      Case one;
      one.subject = "warp";
      one.kernel = "warp_reduction";
      one.grid = {warp_blocks, 1, 1};
      one.block = {warp_threads, 1, 1};
      std::vector<float> in;
      for (const std::uint32_t word : warp_inputs()) {
        in.push_back(static_cast<float>(word % 1000U) * 0.37F);
      }
      one.arguments = {input(in), output<float>(warp_total / 32)};
      one.output = 1;
      one.element = Element::f32;
      one.expected = [in] {
        std::vector<float> out;
        for (std::size_t warp = 0; warp < in.size() / 32; ++warp) {
          const auto first = in.begin() + static_cast<std::ptrdiff_t>(32 * warp);
          std::vector<float> sums(first, first + 32);
          for (std::size_t distance = 16; distance > 0; distance /= 2) {
            for (std::size_t i = 0; i < distance; ++i) {
              sums[i] += sums[i + distance];
            }
          }
          out.push_back(sums[0]);
        }
        return bytes_of(out);
      };
      return add_case(std::move(one));
    }(),
    [] {
      Case one;
      one.subject = "warp";
      one.kernel = "warp_masks";
      constexpr std::uint32_t threads = 77;
      one.grid = {2, 1, 1};
      one.block = {threads, 1, 1};
      one.arguments = {output<std::uint32_t>(std::size_t{8} * 2 * threads)};
      one.expected = [] {
        Words out(std::size_t{8} * 2 * threads);
        for (std::uint32_t thread = 0; thread < 2 * threads; ++thread) {
          const std::uint32_t own = thread % threads;
          const std::uint32_t lane = own % 32;
          const std::uint32_t warp_first = own - lane;
          const std::uint32_t below = (1U << lane) - 1;
          const std::uint32_t active = lanes_with([&](auto i) { return warp_first + i < threads; });
          const std::uint32_t third =
              lanes_with([&](auto i) { return (warp_first + i) % 3 == 1; }) & active;
          const Words results = {
              lane,
              1U << lane,
              below,
              below | 1U << lane,
              ~(below | 1U << lane),
              ~below,
              active,
              own % 3 == 1 ? static_cast<std::uint32_t>(std::popcount(third)) : 77U};
          for (std::size_t k = 0; k < results.size(); ++k) {
            out[k * 2 * threads + thread] = results[k];
          }
        }
        return bytes_of(out);
      };
      return add_case(std::move(one));
    }(),
    [] {
      Case one;
      one.subject = "warp";
      one.kernel = "warp_aggregate";
      one.grid = {warp_blocks, 1, 1};
      one.block = {warp_threads, 1, 1};
      const Words in = warp_inputs();
      one.arguments = {input(in), input(Words{100, 200, 300, 400})};
      one.output = 1;
      one.expected = [in] {
        Words out = {100, 200, 300, 400};
        for (const std::uint32_t word : in) {
          ++out[word % 4];
        }
        return bytes_of(out);
      };
      return add_case(std::move(one));
    }(),
};

}  // namespace
}  // namespace corpus
