#include "reports/plan_report.hpp"

#include <fmt/format.h>

#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

std::string extents(const std::array<std::uint32_t, 3>& values) {
  return values[2] == 1 ? fmt::format("{}x{}", values[0], values[1])
                        : fmt::format("{}x{}x{}", values[0], values[1], values[2]);
}

/// What a row without a launch says instead.
std::string remark(const PlannedRow& row) {
  if (!row.skip_reason.empty()) {
    return "skipped: " + row.skip_reason;
  }
  if (!row.library.empty()) {
    return row.library + " chooses";
  }
  return row.launches.empty() ? "empty result, nothing to launch" : "";
}

}  // namespace

Report plan_report(std::span<const PlannedRow> rows) {
  Report report;
  Table& table = report.data;
  table.columns = {{"kernel", "kernel", Align::left},
                   {"problem", "problem", Align::left},
                   {"grid", "grid"},
                   {"block", "block"},
                   {"shared B", "dynamic_shared_bytes"},
                   {"device B", "device_bytes"},
                   {"", "remark", Align::left}};
  report.json = {{"schema", "perfmodel.plan/1"}, {"kernels", nlohmann::ordered_json::array()}};
  for (const PlannedRow& row : rows) {
    nlohmann::ordered_json launches = nlohmann::ordered_json::array();
    for (const PlannedRow::Launch& launch : row.launches) {
      launches.push_back({{"grid", launch.grid},
                          {"block", launch.block},
                          {"dynamic_shared_bytes", launch.dynamic_shared_bytes}});
    }
    report.json["kernels"].push_back({{"kernel", row.kernel},
                                      {"problem", row.problem},
                                      {"launches", std::move(launches)},
                                      {"device_bytes", row.device_bytes},
                                      {"remark", remark(row)}});
    const bool one = !row.launches.empty();
    table.rows.push_back(
        {text_cell(row.kernel), text_cell(row.problem),
         one ? text_cell(extents(row.launches.front().grid)) : no_cell(),
         one ? text_cell(extents(row.launches.front().block)) : no_cell(),
         one ? text_cell(std::to_string(row.launches.front().dynamic_shared_bytes)) : no_cell(),
         text_cell(std::to_string(row.device_bytes)), text_cell(remark(row))});
  }
  report.document.title = "Launch plan";
  report.document.parts.emplace_back(table);
  return report;
}

}  // namespace perfmodel::reports
