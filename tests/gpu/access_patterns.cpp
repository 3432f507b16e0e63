#include "tests/gpu/access_patterns.hpp"

#include <cstddef>

namespace perfmodel::gpu_tests {
namespace {

template <class Element>
AccessPattern pattern(std::string name, Element element, std::uint32_t active = 0xffffffffU) {
  AccessPattern result;
  result.name = std::move(name);
  for (std::int32_t lane = 0; lane < 32; ++lane) {
    result.elements[static_cast<std::size_t>(lane)] = element(lane);
  }
  result.active = active;
  return result;
}

}  // namespace

std::vector<AccessPattern> access_patterns() {
  using I = std::int32_t;
  std::vector<AccessPattern> patterns = {
      pattern("broadcast", [](I) { return 5; }),
      pattern("linear", [](I lane) { return lane; }),
      pattern("reversed", [](I lane) { return 31 - lane; }),
      pattern("offset by one", [](I lane) { return lane + 1; }),
      pattern("pairs n, n^1", [](I lane) { return lane / 2; }),
      pattern("pairs n, n^2", [](I lane) { return lane / 4 * 2 + lane % 2; }),
      pattern("pairs n, n^4", [](I lane) { return lane / 8 * 4 + lane % 4; }),
      pattern("pairs n, n^16", [](I lane) { return lane % 16; }),
      pattern("fours", [](I lane) { return lane / 4; }),
      pattern("eights", [](I lane) { return lane / 8; }),
      pattern("modulo 8", [](I lane) { return lane % 8; }),
      pattern("modulo 4", [](I lane) { return lane % 4; }),
      pattern("modulo 2", [](I lane) { return lane % 2; }),
      pattern("halves", [](I lane) { return lane / 16; }),
      pattern("halves 32 apart", [](I lane) { return lane / 16 * 32; }),
      pattern("8 rows of 4", [](I lane) { return lane / 4 * 32 + lane % 4; }),
      pattern("4 rows of 8", [](I lane) { return lane / 8 * 32 + lane % 8; }),
      pattern("2 rows of 16", [](I lane) { return lane / 16 * 32 + lane % 16; }),
      pattern("scattered", [](I lane) { return lane * 389 % 1021; }),
      pattern("scattered in 64", [](I lane) { return lane * 37 % 64; }),
      pattern(
          "linear, 8 lanes", [](I lane) { return lane; }, 0x000000ffU),
      pattern(
          "linear, odd lanes", [](I lane) { return lane; }, 0xaaaaaaaaU),
      pattern(
          "stride 32, 4 lanes", [](I lane) { return lane % 31 * 32; }, 0x01010101U),
      pattern(
          "broadcast, one lane", [](I) { return 9; }, 0x00000400U),
  };
  for (const I stride : {2, 3, 4, 5, 8, 16, 31}) {
    patterns.push_back(
        pattern("stride " + std::to_string(stride), [stride](I lane) { return lane * stride; }));
  }
  patterns.push_back(pattern("stride 32", [](I lane) { return lane * 32; }));
  return patterns;
}

}  // namespace perfmodel::gpu_tests
