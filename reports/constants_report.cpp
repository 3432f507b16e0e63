#include "reports/constants_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

/// A figure as people read it: large rates in powers of a thousand, short times in micro- or
/// nanoseconds.
struct Scale {
  double factor = 1;
  std::string unit;
};

Scale scale_of(double value, const std::string& unit) {
  const auto scaled = [&](double factor, std::string_view prefix) {
    return Scale{factor, fmt::format("{}{}", prefix, unit)};
  };
  if (unit == "s") {
    return value < 1e-6 ? scaled(1e9, "n") : scaled(1e6, "µ");
  }
  if (unit.ends_with("/s") && value >= 1e6) {
    const std::string_view separator = unit == "B/s" ? "" : " ";
    return value >= 1e12  ? scaled(1e-12, fmt::format("T{}", separator))
           : value >= 1e9 ? scaled(1e-9, fmt::format("G{}", separator))
                          : scaled(1e-6, fmt::format("M{}", separator));
  }
  return {1, unit};
}

std::string marks(const HardwareConstant& one) {
  std::string out;
  if (one.is_beyond_limit()) {
    out = one.limit->is_least ? "below the limit" : "above the limit";
  }
  if (one.throttled) {
    out += out.empty() ? "throttled" : ", throttled";
  }
  return out;
}

/// The value to the digit that its uncertainty leaves, but no more than five.
Cell value_cell(const HardwareConstant& one, const Scale& scale) {
  constexpr int digits = 5;
  return significant_cell(one.value, digits, scale.factor);
}

Table constants_table(const HardwareConstants& constants) {
  Table table;
  table.columns = {{"constant", "name", Align::left},
                   {"value", "value"},
                   {"±", "uncertainty"},
                   {"unit", "unit", Align::left},
                   {"of limit", "limit_share"},
                   {"datasheet", "datasheet"},
                   {"MHz", "sm_clock_hz"},
                   {"", "marks", Align::left}};
  for (const HardwareConstant& one : constants.constants) {
    const Scale scale = scale_of(one.value, one.unit);
    const std::optional<double> share = one.limit_share();
    table.rows.push_back(
        {text_cell(one.name), value_cell(one, scale),
         significant_cell(one.uncertainty, 2, scale.factor), Cell{scale.unit, one.unit},
         share ? percent_cell(*share) : no_cell(),
         one.datasheet ? significant_cell(one.datasheet->value, 5, scale.factor) : no_cell(),
         one.sm_clock_hz ? fixed_cell(*one.sm_clock_hz, 0, 1e-6) : no_cell(),
         text_cell(marks(one))});
  }
  return table;
}

}  // namespace

Report constants_report(const HardwareConstants& constants, nlohmann::ordered_json json) {
  Report report;
  report.data = constants_table(constants);
  report.json = std::move(json);
  Document& document = report.document;
  document.title = fmt::format("Hardware constants of {}", constants.attributes.name);
  std::string clocks = "The SM clock is not known.";
  if (constants.sm_clock_hz && constants.max_sm_clock_hz) {
    clocks = fmt::format("SM clock {:.4g} GHz under load, at most {:.4g}.",
                         *constants.sm_clock_hz / 1e9, *constants.max_sm_clock_hz / 1e9);
  }
  document.parts.emplace_back(
      Paragraph{clocks + " ± is half of what lies between the quartiles of the samples; of limit "
                         "is the share of what the hardware can do at most."});
  document.parts.emplace_back(report.data);
  for (const SkippedConstant& one : constants.skipped) {
    document.parts.emplace_back(Paragraph{fmt::format("Skipped: {}: {}.", one.name, one.reason)});
  }
  return report;
}

Report microbenchmark_list(std::span<const ListedMicrobenchmark> benchmarks) {
  Report report;
  Table& table = report.data;
  table.columns = {{"name", "name", Align::left},
                   {"unit", "unit", Align::left},
                   {"what it measures", "proves", Align::left}};
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const ListedMicrobenchmark& one : benchmarks) {
    table.rows.push_back({text_cell(one.name), text_cell(one.unit), text_cell(one.proves)});
    items.push_back({{"name", one.name}, {"unit", one.unit}, {"proves", one.proves}});
  }
  report.document.title = fmt::format("micro-benchmarks: {}", benchmarks.size());
  report.document.parts.emplace_back(table);
  report.json = {{"schema", "perfmodel.list/1"}, {"microbenchmarks", std::move(items)}};
  return report;
}

}  // namespace perfmodel::reports
