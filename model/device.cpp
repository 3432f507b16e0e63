#include "model/device.hpp"

#include <fmt/format.h>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::datasheet:
      return "datasheet";
    case Origin::measured:
      return "measured";
    case Origin::derived:
      return "derived";
  }
  return "";
}

const ClockBasis& Device::clock(std::string_view basis_name) const {
  const ClockBasis* match = nullptr;
  std::vector<std::string> names;
  for (const ClockBasis& basis : clocks) {
    if (basis.name == basis_name) {
      return basis;
    }
    if (!basis_name.empty() && basis.name.starts_with(basis_name)) {
      match = &basis;
    }
    names.push_back(basis.name);
  }
  if (match == nullptr) {
    fail(fmt::format("{} has no clock basis '{}'{}; it has {}, and a figure such as 2.5GHz works",
                     name, printable(basis_name), did_you_mean(basis_name, names), join(names)));
  }
  return *match;
}

double Device::peak_flop_per_s(double clock_hz) const {
  constexpr double flop_per_fma = 2.0;
  return flop_per_fma * static_cast<double>(fma_per_clk_per_sm.value * sm_count.value) * clock_hz;
}

double Device::min_cycles_per_warp_fma() const {
  return static_cast<double>(warp_lanes) / static_cast<double>(fma_per_clk_per_sm.value);
}

}  // namespace perfmodel
