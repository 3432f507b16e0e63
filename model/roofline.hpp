#pragma once

#include <cstdint>
#include <string_view>

namespace perfmodel {

/// What a measured share of the roof says about the byte ledger.
enum class AttainmentFlag : std::uint8_t {
  none,
  /// Above 100 %: some bytes of the ledger never came from DRAM, a cache served them.
  above_roof,
};

/// A kernel against the memory roof of its device.
struct Roofline {
  double arithmetic_intensity{};  ///< FLOP per byte of the byte ledger
  double roof_flop_per_s{};       ///< arithmetic intensity times DRAM bandwidth
  double attainment{};            ///< measured over roof; above 1 is flagged, never clamped
  AttainmentFlag flag{};
};

Roofline evaluate_roofline(double arithmetic_intensity, double dram_bytes_per_s, double flop_per_s);

/// SM cycles per warp-wide multiply-add: 32 x SMs x clock x seconds / FMAs.
double cycles_per_warp_fma(double seconds, double fmas, std::int64_t sm_count, double clock_hz);

}  // namespace perfmodel
