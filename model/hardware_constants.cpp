#include "model/hardware_constants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {

std::optional<double> HardwareConstant::limit_share() const {
  if (!limit) {
    return std::nullopt;
  }
  return limit->is_least ? limit->value / value : value / limit->value;
}

bool HardwareConstant::is_beyond_limit() const { return limit_share().value_or(0.0) > 1.0; }

const HardwareConstant* HardwareConstants::find(std::string_view name) const {
  const auto found = std::ranges::find(constants, name, &HardwareConstant::name);
  return found == constants.end() ? nullptr : &*found;
}

double HardwareConstants::value(std::string_view name) const {
  if (const HardwareConstant* found = find(name)) {
    return found->value;
  }
  const auto missing = std::ranges::find(skipped, name, &SkippedConstant::name);
  if (missing != skipped.end()) {
    throw Error(ErrorKind::unavailable, fmt::format("constant {} was not measured on {}: {}", name,
                                                    device, missing->reason));
  }
  std::vector<std::string> names;
  for (const HardwareConstant& one : constants) {
    names.push_back(one.name);
  }
  fail(
      fmt::format("the constants of {} have no '{}'{}; measure them anew with 'perfmodel "
                  "calibrate --device auto'",
                  device, printable(name), did_you_mean(name, names)));
}

std::vector<std::string> limit_violations(const HardwareConstants& constants) {
  std::vector<std::string> out;
  for (const HardwareConstant& one : constants.constants) {
    if (one.is_beyond_limit()) {
      out.push_back(fmt::format("{} is {} the physical limit: {:.6g} {}, the limit is {:.6g} ({})",
                                one.name, one.limit->is_least ? "below" : "above", one.value,
                                one.unit, one.limit->value, one.limit->reason));
    }
  }
  return out;
}

std::vector<std::string> throttling_warnings(const HardwareConstants& constants) {
  std::vector<std::string> out;
  for (const HardwareConstant& one : constants.constants) {
    if (one.throttled && one.sm_clock_hz && constants.max_sm_clock_hz) {
      out.push_back(
          fmt::format("{} was measured at {:.0f} MHz, others at up to {:.0f}: the clock "
                      "was held down",
                      one.name, *one.sm_clock_hz / 1e6, *constants.max_sm_clock_hz / 1e6));
    }
  }
  return out;
}

}  // namespace perfmodel
