#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reports/render.hpp"

namespace perfmodel::reports {

/// How one kernel would be launched.
struct PlannedRow {
  struct Launch {
    std::array<std::uint32_t, 3> grid{};
    std::array<std::uint32_t, 3> block{};
    std::size_t dynamic_shared_bytes{};
  };
  std::string kernel;
  std::string problem;
  std::vector<Launch> launches;
  std::string library;  ///< that chooses its own launches
  std::size_t device_bytes{};
  std::string skip_reason;
};

/// JSON schema perfmodel.plan/1.
Report plan_report(std::span<const PlannedRow> rows);

}  // namespace perfmodel::reports
