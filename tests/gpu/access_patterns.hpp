#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace perfmodel::gpu_tests {

/// How the 32 lanes of one access lie: the element that each of them touches.
struct AccessPattern {
  std::string name;
  std::array<std::int32_t, 32> elements{};
  std::uint32_t active = 0xffffffffU;  ///< lanes that take part
};

/// Every pattern whose cost the wavefront rules should know; elements stay below 1024.
std::vector<AccessPattern> access_patterns();

/// A device function of one warp: (const int* offsets in bytes or -1, data, out), where the memory
/// instruction under test is the only one of its kind besides the load of `offsets`.
struct PatternKernel {
  std::string name;  ///< of the device function
  const void* function = nullptr;
  std::uint32_t element_bytes = 4;
};
std::vector<PatternKernel> pattern_kernels();

/// The most data that any pattern reaches with the widest element.
inline constexpr std::size_t pattern_data_bytes = std::size_t{1024} * 16;

}  // namespace perfmodel::gpu_tests
