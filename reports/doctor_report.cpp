#include "reports/doctor_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/cells.hpp"
#include "reports/tone.hpp"

namespace perfmodel::reports {

Report doctor_report(std::span<const Finding> findings) {
  Report report;
  const auto failed = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.status != FindingStatus::ok;
  });
  report.document.title = failed == 0
                              ? fmt::format("{} checks, all ok", findings.size())
                              : fmt::format("{} checks, {} to look at", findings.size(), failed);
  report.json = {{"schema", "perfmodel.doctor/1"}, {"findings", nlohmann::ordered_json::array()}};

  Table checks;
  checks.columns = {{"check", "check", Align::left},
                    {"status", "status", Align::left},
                    {"found", "detail", Align::left}};
  report.data.columns = checks.columns;
  report.data.columns.push_back({"remedy", "remedy", Align::left});
  for (const Finding& finding : findings) {
    const std::vector<Cell> row = {text_cell(finding.check),
                                   verdict_cell(to_string(finding.status), tone_of(finding.status)),
                                   text_cell(finding.detail)};
    checks.rows.push_back(row);
    report.data.rows.push_back(row);
    report.data.rows.back().push_back(text_cell(finding.remedy));
    report.json["findings"].push_back({{"check", finding.check},
                                       {"status", to_string(finding.status)},
                                       {"detail", finding.detail},
                                       {"remedy", finding.remedy}});
  }
  report.document.parts.emplace_back(std::move(checks));
  if (failed > 0) {
    report.document.parts.emplace_back(Heading{"Remedies"});
  }
  for (const Finding& finding : findings) {
    if (finding.status != FindingStatus::ok) {
      report.document.parts.emplace_back(
          Paragraph{fmt::format("{}: {}", finding.check, finding.remedy)});
    }
  }
  return report;
}

}  // namespace perfmodel::reports
