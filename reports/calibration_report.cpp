#include "reports/calibration_report.hpp"

#include <fmt/format.h>

#include "reports/analysis_json.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

Table unit_cost_table(const std::vector<ModelAnalysis>& models) {
  Table table{"Unit costs in cycles (calibrated)", {}, {}};
  table.columns = {{"model", "model", Align::left},   {"load", "name", Align::left},
                   {"cycles", "cost_cycles"},         {"std. error", "std_error_cycles"},
                   {"condition", "condition_number"}, {"references", "references", Align::left}};
  for (const ModelAnalysis& model : models) {
    if (!model.costs) {
      continue;
    }
    std::string references;
    for (const ReferencePoint& point : model.costs->references) {
      references += (references.empty() ? "" : " ") + point.kernel;
    }
    for (const UnitCost& cost : model.costs->costs) {
      table.rows.push_back(
          {text_cell(model.name), text_cell(cost.name), fixed_cell(cost.cycles, 3),
           cost.std_error ? significant_cell(*cost.std_error, 2) : Cell{"exact", ""},
           significant_cell(model.costs->condition_number, 3), text_cell(references)});
    }
  }
  return table;
}

Table reference_table(const ModelAnalysis& model) {
  Table table{fmt::format("References of {}", model.name), {}, {}};
  table.columns = {{"kernel", "", Align::left},
                   {"shape", "", Align::left},
                   {"cycles", ""},
                   {"residual", ""},
                   {"left out", ""}};
  for (const ReferencePoint& point : model.costs->references) {
    table.rows.push_back({text_cell(point.kernel), text_cell(point.shape.to_string()),
                          fixed_cell(point.cycles_per_warp_fma, 3), fixed_cell(point.residual, 3),
                          point.leave_one_out_error ? percent_cell(*point.leave_one_out_error, true)
                                                    : Cell{"n/a", ""}});
  }
  return table;
}

}  // namespace

void append_unit_costs(Document& document, const std::vector<ModelAnalysis>& models) {
  Table table = unit_cost_table(models);
  if (!table.rows.empty()) {
    document.parts.emplace_back(std::move(table));
  }
  for (const ModelAnalysis& model : models) {
    if (!model.costs) {
      document.parts.emplace_back(Paragraph{
          fmt::format("\nModel {} is not calibrated: {}.", model.name, model.why_not_calibrated)});
    }
  }
}

Report calibration_report(const Analysis& analysis) {
  Report report;
  Document& document = report.document;
  document.title =
      fmt::format("Calibration on {} ({})", analysis.device.title, analysis.device.name);
  document.parts.emplace_back(Paragraph{
      fmt::format("Recording {}, clock {:.4g} GHz ({}). 'left out' is the error of predicting a "
                  "reference from the others.",
                  analysis.recording, analysis.clock.hz / 1e9, analysis.clock.basis)});
  append_unit_costs(document, analysis.models);
  report.json = {{"schema", "perfmodel.calibration/1"},
                 {"device", analysis.device.name},
                 {"clock_hz", analysis.clock.hz},
                 {"recording", analysis.recording},
                 {"models", nlohmann::ordered_json::array()},
                 {"warnings", analysis.warnings}};
  for (const ModelAnalysis& model : analysis.models) {
    if (model.costs) {
      document.parts.emplace_back(reference_table(model));
    }
    report.json["models"].push_back(model_json(model));
  }
  report.data = unit_cost_table(analysis.models);
  return report;
}

}  // namespace perfmodel::reports
