#include "profiling/clock_source.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace perfmodel::profiling {

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  static constexpr std::array<std::pair<std::uint64_t, std::string_view>, 6> names = {{
      {throttle::software_power_cap, "power cap"},
      {throttle::hardware_slowdown, "hardware slowdown"},
      {throttle::sync_boost, "sync boost with another device"},
      {throttle::software_thermal, "thermal slowdown (software)"},
      {throttle::hardware_thermal, "thermal slowdown (hardware)"},
      {throttle::hardware_power_brake, "power brake (hardware)"},
  }};
  std::uint64_t rest = bits & ~throttle::harmless;
  std::vector<std::string> reasons;
  for (const auto& [bit, name] : names) {
    if ((rest & bit) != 0) {
      reasons.emplace_back(name);
      rest &= ~bit;
    }
  }
  if (rest != 0) {
    reasons.push_back(fmt::format("unknown reason {:#x}", rest));
  }
  return reasons;
}

}  // namespace perfmodel::profiling
