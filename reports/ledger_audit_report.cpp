#include "reports/ledger_audit_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/text.hpp"
#include "reports/analysis_json.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

using Json = nlohmann::ordered_json;

Cell figure_cell(double value) { return {fmt::format("{:.0f}", value), full_precision(value)}; }

Cell optional_figure_cell(const std::optional<double>& value) {
  return value ? figure_cell(*value) : no_cell();
}

Cell difference_cell(const sass::AuditFigure& figure) {
  const std::optional<double> off = figure.difference();
  if (!off) {
    return no_cell();
  }
  if (!std::isfinite(*off)) {
    return {"hardware has none", ""};
  }
  return {fmt::format("{:+.3f} %", 100 * *off), full_precision(*off)};
}

std::string mark_of(const sass::AuditFigure& figure) {
  if (!figure.measured) {
    return "";
  }
  if (!figure.tolerance) {
    return "shown";
  }
  return figure.passed().value_or(false) ? "pass" : "FAIL";
}

Json optional_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json figure_json(const sass::AuditFigure& figure) {
  return {{"name", figure.name},
          {"metric", figure.metric},
          {"source", optional_json(figure.source)},
          {"counted", figure.counted},
          {"measured", optional_json(figure.measured)},
          {"difference", optional_json(figure.difference())},
          {"tolerance", optional_json(figure.tolerance)},
          {"passed", figure.passed() ? Json(*figure.passed()) : Json(nullptr)}};
}

struct Tally {
  std::size_t judged = 0;
  std::size_t passed = 0;

  void add(const sass::AuditFigure& figure) {
    if (const std::optional<bool> ok = figure.passed()) {
      ++judged;
      passed += *ok ? 1U : 0U;
    }
  }
};

const std::vector<Column>& figure_columns() {
  static const std::vector<Column> columns = {
      {"count", "name", Align::left}, {"source ledger", "source"},  {"machine ledger", "counted"},
      {"hardware", "measured"},       {"difference", "difference"}, {"", "mark", Align::left}};
  return columns;
}

std::vector<Cell> figure_row(const sass::AuditFigure& figure) {
  return {text_cell(figure.name),      optional_figure_cell(figure.source),
          figure_cell(figure.counted), optional_figure_cell(figure.measured),
          difference_cell(figure),     text_cell(mark_of(figure))};
}

}  // namespace

Report ledger_audit_report(const std::string& device, const std::string& recording,
                           std::span<const AuditedKernel> kernels) {
  Report report;
  report.document.title = fmt::format("Audit of the ledger on {}, recording {}", device, recording);
  report.data.columns = {{"kernel", "kernel", Align::left}};
  for (const Column& column : figure_columns()) {
    report.data.columns.push_back(column);
  }
  report.json = {{"schema", "perfmodel.ledger-audit/1"},
                 {"device", device},
                 {"recording", recording},
                 {"kernels", Json::array()}};
  constexpr std::size_t longest_label = 400;
  Tally all;
  for (const AuditedKernel& kernel : kernels) {
    Tally tally;
    Json json = {{"kernel", kernel.label}};
    Table table;
    table.title = printable(kernel.label, longest_label);
    table.columns = figure_columns();
    json["figures"] = Json::array();
    for (const sass::AuditFigure& figure : kernel.figures) {
      tally.add(figure);
      all.add(figure);
      table.rows.push_back(figure_row(figure));
      json["figures"].push_back(figure_json(figure));
      std::vector<Cell> row = {text_cell(kernel.label)};
      for (const Cell& cell : table.rows.back()) {
        row.push_back(cell);
      }
      report.data.rows.push_back(std::move(row));
    }
    report.document.parts.emplace_back(std::move(table));
    if (tally.judged > 0) {
      report.document.parts.emplace_back(Paragraph{fmt::format(
          "{} of {} judged counts agree ({}).", tally.passed, tally.judged, kernel.source)});
    }
    json["source"] = kernel.source;
    if (!kernel.refused.empty()) {
      json["refused"] = kernel.refused;
      report.document.parts.emplace_back(Paragraph{"No hardware counters: " + kernel.refused});
    }
    if (!kernel.evidence.empty()) {
      Table evidence;
      evidence.title = "Evidence without counters";
      evidence.columns = {{"topic", "topic", Align::left},
                          {"figure", "kind", Align::left},
                          {"finding", "finding", Align::left}};
      json["evidence_without_counters"] = Json::array();
      for (const Evidence& line : kernel.evidence) {
        evidence.rows.push_back(
            {text_cell(line.topic), text_cell(to_string(line.kind)), text_cell(line.finding)});
        json["evidence_without_counters"].push_back(
            {{"topic", line.topic}, {"kind", to_string(line.kind)}, {"finding", line.finding}});
      }
      report.document.parts.emplace_back(std::move(evidence));
    }
    json["judged"] = tally.judged;
    json["passed"] = tally.passed;
    report.json["kernels"].push_back(std::move(json));
  }
  report.json["judged"] = all.judged;
  report.json["passed"] = all.passed;
  if (all.judged > 0) {
    report.document.parts.emplace_back(Paragraph{fmt::format(
        "In all, {} of {} judged counts agree with the hardware.", all.passed, all.judged)});
  }
  return report;
}

Report instruction_audit_report(const std::string& kernel, const Shape& shape,
                                const std::string& device,
                                std::span<const AuditedInstruction> instructions) {
  Report report;
  report.document.title =
      fmt::format("Audit by instruction: {} at {} on {}", kernel, shape.to_string(), device);
  Table table;
  table.columns = {{"address", "address"},
                   {"executions", "executions"},
                   {"hardware", "executions_measured"},
                   {"wavefronts", "wavefronts"},
                   {"hardware", "wavefronts_measured"},
                   {"sectors", "sectors"},
                   {"hardware", "sectors_measured"},
                   {"", "mark", Align::left},
                   {"instruction", "instruction", Align::left}};
  Tally tally;
  for (const AuditedInstruction& one : instructions) {
    std::vector<Cell> row = {{fmt::format("{:04x}", one.address), std::to_string(one.address)},
                             figure_cell(one.executions.counted),
                             optional_figure_cell(one.executions.measured)};
    bool agree = one.executions.passed().value_or(true);
    tally.add(one.executions);
    for (const std::optional<sass::AuditFigure>& figure : {one.wavefronts, one.sectors}) {
      row.push_back(figure ? figure_cell(figure->counted) : no_cell());
      row.push_back(figure ? optional_figure_cell(figure->measured) : no_cell());
      if (figure) {
        agree = agree && figure->passed().value_or(true);
        tally.add(*figure);
      }
    }
    row.push_back(text_cell(agree ? "pass" : "FAIL"));
    row.push_back(text_cell(printable(one.text, 200)));
    table.rows.push_back(std::move(row));
  }
  report.json = {{"schema", "perfmodel.instruction-audit/1"},
                 {"kernel", kernel},
                 {"shape", shape_json(shape)},
                 {"device", device},
                 {"judged", tally.judged},
                 {"passed", tally.passed},
                 {"instructions", Json::array()}};
  for (const AuditedInstruction& one : instructions) {
    Json json = {{"address", one.address},
                 {"instruction", one.text},
                 {"executions", figure_json(one.executions)}};
    if (one.wavefronts) {
      json["wavefronts"] = figure_json(*one.wavefronts);
    }
    if (one.sectors) {
      json["sectors"] = figure_json(*one.sectors);
    }
    report.json["instructions"].push_back(std::move(json));
  }
  report.document.parts.emplace_back(table);
  report.document.parts.emplace_back(Paragraph{fmt::format(
      "{} of {} counts by instruction agree with the hardware.", tally.passed, tally.judged)});
  report.data = std::move(table);
  return report;
}

}  // namespace perfmodel::reports
