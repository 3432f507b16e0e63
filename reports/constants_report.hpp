#pragma once

#include <span>
#include <string>

#include "model/hardware_constants.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// What the micro-benchmarks measured: value, uncertainty, share of the limit, datasheet. `json` is
/// what programs get, the content of the file of constants.
Report constants_report(const HardwareConstants& constants, nlohmann::ordered_json json);

/// A micro-benchmark that could run.
struct ListedMicrobenchmark {
  std::string name;
  std::string unit;
  std::string proves;
};

/// JSON schema perfmodel.list/1.
Report microbenchmark_list(std::span<const ListedMicrobenchmark> benchmarks);

}  // namespace perfmodel::reports
