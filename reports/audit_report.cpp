#include "reports/audit_report.hpp"

#include <fmt/format.h>

#include "reports/analysis_json.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {

Report audit_report(const Analysis& analysis, const KernelAnalysis& kernel) {
  Report report;
  report.data.title = "Evidence";
  report.data.columns = {{"topic", "topic", Align::left},
                         {"figure", "kind", Align::left},
                         {"finding", "finding", Align::left}};
  for (const Evidence& line : kernel.verdict.evidence) {
    report.data.rows.push_back(
        {text_cell(line.topic), text_cell(to_string(line.kind)), text_cell(line.finding)});
  }

  Document& document = report.document;
  document.title =
      fmt::format("{} at {} on {}", kernel.name, kernel.shape.to_string(), analysis.device.title);
  document.parts.emplace_back(Paragraph{fmt::format("{}.", kernel.summary)});
  document.parts.emplace_back(Paragraph{fmt::format(
      "{:.4g} ms, {:.5g} GFLOP/s, {:.3g} % of the fp32 peak at {:.4g} GHz ({}); recording {} ({}).",
      kernel.median_s * 1e3, kernel.flop_per_s / 1e9, 100.0 * kernel.share_of_peak,
      analysis.clock.hz / 1e9, analysis.clock.basis, analysis.recording,
      to_string(analysis.source_kind))});
  document.parts.emplace_back(
      Heading{fmt::format("Verdict: {}", to_string(kernel.verdict.verdict_class))});
  document.parts.emplace_back(Paragraph{kernel.verdict.reason + "."});
  document.parts.emplace_back(report.data);

  report.json = {{"schema", "perfmodel.audit/1"},   {"device", analysis.device.name},
                 {"clock_hz", analysis.clock.hz},   {"clock_basis", analysis.clock.basis},
                 {"recording", analysis.recording}, {"source", analysis.source},
                 {"kernel", kernel_json(kernel)},   {"warnings", analysis.warnings}};
  return report;
}

}  // namespace perfmodel::reports
