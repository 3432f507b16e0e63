// The wavefront rules against what an H200 counted (tests/gpu/counters_test.cpp made the recording:
// driver 580.159.04, ncu 2025.3.1).

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "model/sass/access_pattern.hpp"
#include "tests/gpu/access_patterns.hpp"

namespace perfmodel::sass {
namespace {

using gpu_tests::AccessPattern;

struct Laid {
  Row offsets{};
  std::uint32_t first_bytes = 0;  ///< the lowest active lane's, in memory that begins with a line
  std::uint32_t phase_bytes = 0;
};

/// The pattern in elements of a size, relative to the lowest active lane; `elements` says where.
template <class Elements>
Laid laid_out(const AccessPattern& pattern, std::uint32_t element_bytes, Elements elements) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(pattern.active));
  Laid laid;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    if ((pattern.active >> lane & 1U) != 0) {
      laid.offsets[lane] = (elements(lane) - elements(first)) * element_bytes;
    }
  }
  laid.first_bytes = elements(first) * element_bytes;
  laid.phase_bytes = laid.first_bytes % line_bytes;
  return laid;
}

TEST(RecordedWavefronts, TheRulesGiveWhatTheHardwareCounted) {
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> recorded;
  std::ifstream file(PERFMODEL_SASS_FIXTURES "/h200_wavefronts.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string access;
    std::string bytes;
    std::string pattern;
    std::string wavefronts;
    std::getline(fields, access, ',');
    std::getline(fields, bytes, ',');
    std::getline(fields, pattern, '"');  // in front of the name
    std::getline(fields, pattern, '"');
    std::getline(fields, wavefronts, ',');  // behind it
    std::getline(fields, wavefronts);
    recorded[{access, bytes, pattern}] = static_cast<std::uint32_t>(std::stoul(wavefronts));
  }
  ASSERT_EQ(recorded.size(), 512U);
  for (const std::uint32_t bytes : {1U, 4U, 8U, 16U}) {
    for (const AccessPattern& pattern : gpu_tests::access_patterns()) {
      const auto count = [&](const char* access) {
        return recorded.at({access, std::to_string(bytes), pattern.name});
      };
      const std::string where = std::to_string(bytes) + " bytes, " + pattern.name;
      const Laid own = laid_out(pattern, bytes, [&](std::uint32_t lane) {
        return static_cast<std::uint32_t>(pattern.elements[lane]);
      });
      const Laid linear = laid_out(pattern, bytes, [](std::uint32_t lane) { return lane; });
      const auto shared = [&](bool store) {
        return shared_access(own.offsets, own.phase_bytes, pattern.active, bytes, store).wavefronts;
      };
      EXPECT_EQ(shared(false), count("shared load")) << where;
      EXPECT_EQ(shared(true), count("shared store")) << where;
      // The whole kernel: one wavefront of the warp's own, one for the offsets, and its two
      // accesses to global memory, of which the other one is linear.
      const AccessCost cost = global_access(own.offsets, own.phase_bytes, pattern.active, bytes);
      const std::uint32_t other =
          2 + global_access(linear.offsets, linear.phase_bytes, pattern.active, bytes).wavefronts;
      EXPECT_EQ(other + miss_wavefronts(cost, own.offsets, own.first_bytes, pattern.active, bytes),
                count("global load kernel"))
          << where;
      // Stores to more than 20 lines in no order take one or two more.
      const bool unsettled = (pattern.name == "scattered" && bytes >= 4) ||
                             (pattern.name == "stride 31" && bytes >= 8);
      if (!unsettled) {
        EXPECT_EQ(other + cost.wavefronts, count("global store kernel")) << where;
      }
    }
  }
}

}  // namespace
}  // namespace perfmodel::sass
