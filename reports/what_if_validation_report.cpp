#include "reports/what_if_validation_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

Table case_table(const WhatIfValidation& validation) {
  Table table;
  table.title = "Time saved";
  table.columns = {{"before", "before", Align::left},
                   {"what if", "change", Align::left},
                   {"measured as", "after", Align::left},
                   {"role", "role", Align::left},
                   {"measured", "measured_saved"},
                   {"predicted", "predicted_saved"},
                   {"low", "low_saved"},
                   {"high", "high_saved"},
                   {"points off", "difference"},
                   {"inside", "is_inside", Align::left},
                   {"by its own code", "both_saved"}};
  for (const WhatIfCase& one : validation.cases) {
    table.rows.push_back({text_cell(one.before), text_cell(one.change), text_cell(one.after),
                          text_cell(to_string(one.role)), percent_cell(one.measured_saved, true),
                          percent_cell(one.predicted_saved, true),
                          percent_cell(one.low_saved, true), percent_cell(one.high_saved, true),
                          fixed_cell(100 * one.difference(), 1),
                          text_cell(one.is_inside() ? "yes" : "no"),
                          one.both_saved ? percent_cell(*one.both_saved, true) : no_cell()});
  }
  return table;
}

Table ratio_table(const WhatIfValidation& validation) {
  Table table;
  table.title = "Errors of the ratio of two held-out times";
  table.columns = {{"one over the other", "from_ratio", Align::left},
                   {"pairs", "pairs"},
                   {"median", "median"},
                   {"90 %", "p90"}};
  for (const RatioErrors& one : validation.ratios) {
    const std::string range = std::isinf(one.to_ratio)
                                  ? fmt::format("{:.3g} and more", one.from_ratio)
                                  : fmt::format("{:.3g} to {:.3g}", one.from_ratio, one.to_ratio);
    table.rows.push_back({text_cell(range), fixed_cell(static_cast<double>(one.pairs), 0),
                          percent_cell(std::expm1(one.median)), percent_cell(std::expm1(one.p90))});
  }
  return table;
}

}  // namespace

Report what_if_validation_report(const WhatIfValidation& validation) {
  Report report;
  report.document.title =
      fmt::format("What-ifs against what was measured on {}", validation.device);
  const Table cases = case_table(validation);
  report.document.parts.emplace_back(cases);
  report.document.parts.emplace_back(ratio_table(validation));
  report.data = cases;
  report.json = {{"schema", "perfmodel.what-if-validation/1"}, {"device", validation.device}};
  report.json["cases"] = nlohmann::ordered_json::array();
  for (const WhatIfCase& one : validation.cases) {
    nlohmann::ordered_json json = {{"before", one.before},
                                   {"change", one.change},
                                   {"after", one.after},
                                   {"role", to_string(one.role)},
                                   {"measured_saved", one.measured_saved},
                                   {"predicted_saved", one.predicted_saved},
                                   {"low_saved", one.low_saved},
                                   {"high_saved", one.high_saved}};
    if (one.both_saved) {
      json["both_saved"] = *one.both_saved;
    }
    report.json["cases"].push_back(std::move(json));
  }
  report.json["ratios"] = nlohmann::ordered_json::array();
  for (const RatioErrors& one : validation.ratios) {
    nlohmann::ordered_json json = {{"from_ratio", one.from_ratio},
                                   {"pairs", one.pairs},
                                   {"median_log_error", one.median},
                                   {"p90_log_error", one.p90}};
    if (!std::isinf(one.to_ratio)) {
      json["to_ratio"] = one.to_ratio;
    }
    report.json["ratios"].push_back(std::move(json));
  }
  return report;
}

}  // namespace perfmodel::reports
