#include "model/roofline.hpp"

#include "model/device.hpp"

namespace perfmodel {

Roofline evaluate_roofline(double arithmetic_intensity, double dram_bytes_per_s,
                           double flop_per_s) {
  const double roof = arithmetic_intensity * dram_bytes_per_s;
  const double attainment = flop_per_s / roof;
  return {arithmetic_intensity, roof, attainment,
          attainment > 1.0 ? AttainmentFlag::above_roof : AttainmentFlag::none};
}

double cycles_per_warp_fma(double seconds, double fmas, std::int64_t sm_count, double clock_hz) {
  return warp_lanes * static_cast<double>(sm_count) * clock_hz * seconds / fmas;
}

}  // namespace perfmodel
