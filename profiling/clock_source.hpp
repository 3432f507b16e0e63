#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perfmodel::profiling {

/// What a driver says about a device at one moment. A figure is empty where it did not answer.
struct ClockReading {
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  /// Bits of `throttle`, plus any that the driver has and we do not know.
  std::optional<std::uint64_t> throttle_bits;

  bool operator==(const ClockReading&) const = default;
};

/// Where clock readings come from; a live device or a test.
class ClockSource {
 public:
  virtual ~ClockSource() = default;
  /// Takes about a millisecond on a live device; never throws.
  virtual ClockReading read() = 0;
};

/// Reasons for which a device does not run at its highest clock, as NVML numbers them.
namespace throttle {
inline constexpr std::uint64_t gpu_idle = 0x1;
inline constexpr std::uint64_t application_clocks = 0x2;
inline constexpr std::uint64_t software_power_cap = 0x4;
inline constexpr std::uint64_t hardware_slowdown = 0x8;
inline constexpr std::uint64_t sync_boost = 0x10;
inline constexpr std::uint64_t software_thermal = 0x20;
inline constexpr std::uint64_t hardware_thermal = 0x40;
inline constexpr std::uint64_t hardware_power_brake = 0x80;
inline constexpr std::uint64_t display_clocks = 0x100;
/// Not throttling: nothing to do, or a clock that somebody chose.
inline constexpr std::uint64_t harmless = gpu_idle | application_clocks | display_clocks;
}  // namespace throttle

/// The names of the set bits that hold the clock down ("power cap", "thermal slowdown (hardware)");
/// harmless bits are left out, unknown ones are named by their value.
std::vector<std::string> throttle_reasons(std::uint64_t bits);

}  // namespace perfmodel::profiling
