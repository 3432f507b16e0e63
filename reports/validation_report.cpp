#include "reports/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "model/text.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

Table group_table(const Validation& validation) {
  Table table;
  table.title = "Relative errors of predicted times";
  table.columns = {{"recording", "name", Align::left},
                   {"model", "model", Align::left},
                   {"role", "role", Align::left},
                   {"cases", "count"},
                   {"median", "median_abs_error"},
                   {"mean", "mean_abs_error"},
                   {"90 %", "p90_abs_error"},
                   {"max", "max_abs_error"},
                   {"rank", "spearman"},
                   {"inside", "inside_share"}};
  for (const ValidationGroup& group : validation.groups) {
    table.rows.push_back({text_cell(group.name), text_cell(group.model),
                          text_cell(to_string(group.role)),
                          fixed_cell(static_cast<double>(group.count), 0),
                          percent_cell(group.median_abs_error), percent_cell(group.mean_abs_error),
                          percent_cell(group.p90_abs_error), percent_cell(group.max_abs_error),
                          group.spearman ? fixed_cell(*group.spearman, 3) : no_cell(),
                          percent_cell(group.inside_share)});
  }
  return table;
}

Table case_table(const Validation& validation) {
  Table table;
  table.title = "Cases";
  table.columns = {{"kernel", "label", Align::left},
                   {"recording", "group", Align::left},
                   {"model", "model", Align::left},
                   {"role", "role", Align::left},
                   {"measured us", "measured_s"},
                   {"predicted us", "predicted_s"},
                   {"error", "error"},
                   {"inside", "is_inside", Align::left},
                   {"verdict", "verdict", Align::left},
                   {"busiest unit", "measured_unit", Align::left}};
  for (const ValidationCase& one : validation.cases) {
    table.rows.push_back({text_cell(one.label), text_cell(one.group), text_cell(one.model),
                          text_cell(to_string(one.role)), significant_cell(one.measured_s, 4, 1e6),
                          significant_cell(one.predicted_s, 4, 1e6),
                          percent_cell(one.error(), true),
                          text_cell(one.is_inside() ? "yes" : "no"), text_cell(one.verdict),
                          one.measured_unit ? text_cell(*one.measured_unit) : no_cell()});
  }
  return table;
}

/// Launches by what they mostly wait for.
Table stall_table(std::span<const StallCase> cases) {
  Table table;
  table.title = "Top stall reason, predicted against measured";
  table.columns = {{"measured", "measured", Align::left},
                   {"predicted", "predicted", Align::left},
                   {"launches", "count"},
                   {"agree", "agree"}};
  std::map<std::pair<std::string, std::string>, std::pair<int, int>> launches;
  for (const StallCase& one : cases) {
    auto& [count, agree] = launches[{one.top.measured.name, one.top.predicted.name}];
    ++count;
    agree += one.top.agrees() ? 1 : 0;
  }
  for (const auto& [names, counts] : launches) {
    table.rows.push_back({text_cell(printable(names.first)), text_cell(names.second),
                          fixed_cell(counts.first, 0), fixed_cell(counts.second, 0)});
  }
  return table;
}

Table stall_case_table(std::span<const StallCase> cases) {
  Table table;
  table.title = "Top stall reasons of each launch";
  table.columns = {
      {"kernel", "label", Align::left},      {"recording", "group", Align::left},
      {"role", "role", Align::left},         {"predicted", "predicted", Align::left},
      {"share", "predicted_share"},          {"as measured", "measured_share_of_predicted"},
      {"measured", "measured", Align::left}, {"share", "measured_share"},
      {"agrees", "agrees", Align::left}};
  for (const StallCase& one : cases) {
    const TopStall& top = one.top;
    table.rows.push_back(
        {text_cell(one.label), text_cell(one.group), text_cell(to_string(one.role)),
         text_cell(top.predicted.name), percent_cell(top.predicted.share),
         percent_cell(top.measured_share_of_predicted), text_cell(printable(top.measured.name)),
         percent_cell(top.measured.share), text_cell(top.agrees() ? "yes" : "no")});
  }
  return table;
}

void add_stalls(Document& document, std::span<const StallCase> cases, bool with_cases) {
  if (cases.empty()) {
    return;
  }
  document.parts.emplace_back(Paragraph{fmt::format(
      "The top stall reason of the timeline is that of the counters, or within five points of it, "
      "in {} of {} launches; shares are of the time in which warps do not issue.",
      std::ranges::count_if(cases, [](const StallCase& one) { return one.top.agrees(); }),
      cases.size())});
  document.parts.emplace_back(with_cases ? stall_case_table(cases) : stall_table(cases));
}

nlohmann::ordered_json stalls_json(std::span<const StallCase> cases) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const StallCase& one : cases) {
    json.push_back({{"group", one.group},
                    {"label", one.label},
                    {"role", to_string(one.role)},
                    {"predicted", one.top.predicted.name},
                    {"predicted_share", one.top.predicted.share},
                    {"measured", one.top.measured.name},
                    {"measured_share", one.top.measured.share},
                    {"measured_share_of_predicted", one.top.measured_share_of_predicted},
                    {"agrees", one.top.agrees()}});
  }
  return json;
}

}  // namespace

Report validation_report(const Validation& validation, bool with_cases) {
  Report report;
  report.document.title = fmt::format("Models against what was measured on {}", validation.device);
  report.document.parts.emplace_back(Paragraph{
      "Reference kernels went into the calibration, held-out ones did not. 90 % of the errors are "
      "at most the figure of that column; rank is the correlation of predicted and measured ranks; "
      "inside is the share whose prediction interval holds the measured time."});
  const Table groups = group_table(validation);
  const Table cases = case_table(validation);
  report.document.parts.emplace_back(groups);
  if (with_cases) {
    report.document.parts.emplace_back(cases);
  }
  add_stalls(report.document, validation.stalls, with_cases);
  for (const std::string& reason : validation.left_out) {
    report.document.parts.emplace_back(Paragraph{fmt::format("Left out: {}.", reason)});
  }
  report.data = with_cases ? cases : groups;
  nlohmann::ordered_json group_json = nlohmann::ordered_json::array();
  for (const ValidationGroup& group : validation.groups) {
    group_json.push_back({{"name", group.name},
                          {"model", group.model},
                          {"role", to_string(group.role)},
                          {"count", group.count},
                          {"mean_abs_error", group.mean_abs_error},
                          {"median_abs_error", group.median_abs_error},
                          {"p90_abs_error", group.p90_abs_error},
                          {"max_abs_error", group.max_abs_error},
                          {"spearman", group.spearman ? nlohmann::ordered_json(*group.spearman)
                                                      : nlohmann::ordered_json(nullptr)},
                          {"inside_share", group.inside_share}});
  }
  nlohmann::ordered_json case_json = nlohmann::ordered_json::array();
  for (const ValidationCase& one : validation.cases) {
    nlohmann::ordered_json item = {{"group", one.group},
                                   {"label", one.label},
                                   {"model", one.model},
                                   {"role", to_string(one.role)},
                                   {"measured_s", one.measured_s},
                                   {"predicted_s", one.predicted_s},
                                   {"low_s", one.low_s},
                                   {"high_s", one.high_s},
                                   {"error", one.error()},
                                   {"verdict", one.verdict},
                                   {"prediction_took_s", one.prediction_s}};
    if (one.measured_unit) {
      item["measured_unit"] = *one.measured_unit;
      item["verdict_agrees"] = one.verdict_agrees.value_or(false);
    }
    case_json.push_back(std::move(item));
  }
  report.json = {{"schema", "perfmodel.validation/1"},       {"device", validation.device},
                 {"groups", std::move(group_json)},          {"cases", std::move(case_json)},
                 {"stalls", stalls_json(validation.stalls)}, {"left_out", validation.left_out}};
  return report;
}

}  // namespace perfmodel::reports
