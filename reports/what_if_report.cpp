#include "reports/what_if_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "model/text.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

/// "17.2 % less time (10.1 to 25.3 %)".
std::string gain_text(const WhatIf& what_if) {
  const double saved = what_if.saved_share();
  const bool gains = saved >= 0;
  const double first = gains ? 1 - what_if.ratio_high : what_if.ratio_low - 1;
  const double last = gains ? 1 - what_if.ratio_low : what_if.ratio_high - 1;
  return fmt::format("{:.1f} % {} time ({:.1f} to {:.1f} % in nine of ten cases)",
                     100 * std::abs(saved), gains ? "less" : "more", 100 * first, 100 * last);
}

Table counts_table(const WhatIf& what_if) {
  Table table;
  table.title = "What moves";
  table.columns = {{"count", "count", Align::left},
                   {"unit", "unit", Align::left},
                   {"before", "before"},
                   {"after", "after"},
                   {"change", "change"}};
  for (const CountChange& one : what_if.counts) {
    table.rows.push_back(
        {text_cell(one.count), text_cell(one.unit), significant_cell(one.before, 4),
         significant_cell(one.after, 4),
         one.before != 0 ? percent_cell(one.after / one.before - 1, true) : no_cell()});
  }
  return table;
}

}  // namespace

void add_what_if(Document& document, const LaunchAudit& before, const WhatIf& what_if) {
  const TimePrediction& was = before.predictions.front();
  const TimePrediction& is = what_if.after.predictions.front();
  document.parts.emplace_back(Heading{fmt::format("What if: {}", join(what_if.changes))});
  document.parts.emplace_back(Paragraph{fmt::format(
      "Predicted: {:.4g} us instead of {:.4g} us: {}, {:.3g} times as fast.", is.seconds * 1e6,
      was.seconds * 1e6, gain_text(what_if), 1 / what_if.time_ratio)});
  if (what_if.expected_s) {
    document.parts.emplace_back(
        Paragraph{fmt::format("The measured {:.4g} us would become {:.4g} us.",
                              *before.measured_s * 1e6, *what_if.expected_s * 1e6)});
  }
  const LaunchVerdict& then = what_if.after.verdict;
  document.parts.emplace_back(Paragraph{fmt::format(
      "Then it would be {}: {}. As it is, it is {}, limited by {}.", to_string(then.limit_class),
      then.reason, to_string(before.verdict.limit_class), before.verdict.limiting.resource)});
  for (const std::string& note : what_if.notes) {
    document.parts.emplace_back(Paragraph{note + "."});
  }
  if (!what_if.counts.empty()) {
    document.parts.emplace_back(counts_table(what_if));
  }
}

nlohmann::ordered_json what_if_json(const WhatIf& what_if) {
  const TimePrediction& is = what_if.after.predictions.front();
  const LaunchVerdict& verdict = what_if.after.verdict;
  nlohmann::ordered_json json;
  json["changes"] = what_if.changes;
  json["device"] = what_if.after.device;
  json["clock_hz"] = what_if.after.clock_hz;
  json["prediction"] = {
      {"model", is.model}, {"seconds", is.seconds}, {"low_s", is.low_s}, {"high_s", is.high_s}};
  json["bounds"] = nlohmann::ordered_json::array();
  for (const ResourceBound& bound : what_if.after.bounds) {
    json["bounds"].push_back({{"resource", bound.resource}, {"seconds", bound.seconds}});
  }
  json["saved_share"] = {{"value", what_if.saved_share()},
                         {"low", 1 - what_if.ratio_high},
                         {"high", 1 - what_if.ratio_low}};
  if (what_if.expected_s) {
    json["expected_s"] = *what_if.expected_s;
  }
  json["counts"] = nlohmann::ordered_json::array();
  for (const CountChange& one : what_if.counts) {
    json["counts"].push_back(
        {{"count", one.count}, {"unit", one.unit}, {"before", one.before}, {"after", one.after}});
  }
  json["verdict"] = {{"class", to_string(verdict.limit_class)},
                     {"limiting_resource", verdict.limiting.resource},
                     {"share", verdict.limiting.share},
                     {"runner_up", verdict.runner_up.resource},
                     {"runner_up_share", verdict.runner_up.share},
                     {"reason", verdict.reason},
                     {"advice", verdict.advice}};
  json["notes"] = what_if.notes;
  return json;
}

}  // namespace perfmodel::reports
