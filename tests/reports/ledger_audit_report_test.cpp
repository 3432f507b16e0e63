#include "reports/ledger_audit_report.hpp"

#include <gtest/gtest.h>

namespace perfmodel::reports {
namespace {

sass::AuditFigure figure(double counted, std::optional<double> measured,
                         std::optional<double> tolerance) {
  return {
      "warp instructions", "smsp__inst_executed.sum", std::nullopt, counted, measured, tolerance};
}

TEST(LedgerAuditReport, MarksWhatAgreesAndWhatDoesNot) {
  AuditedKernel kernel;
  kernel.label = "K3 at 4x4x4";
  kernel.source = "ncu";
  kernel.figures = {figure(100, 100, 0.001), figure(100, 101, 0.001), figure(100, 90, std::nullopt),
                    figure(100, std::nullopt, 0.001)};
  const Report report = ledger_audit_report("h200", "mine", {&kernel, 1});
  ASSERT_EQ(report.data.rows.size(), 4U);
  const auto mark = [&](std::size_t row) { return report.data.rows[row].back().text; };
  EXPECT_EQ(mark(0), "pass");
  EXPECT_EQ(mark(1), "FAIL");
  EXPECT_EQ(mark(2), "shown");
  EXPECT_EQ(mark(3), "");
  EXPECT_EQ(report.json.at("judged"), 2);
  EXPECT_EQ(report.json.at("passed"), 1);
  EXPECT_TRUE(report.json.at("kernels")[0].at("figures")[3].at("measured").is_null());
}

TEST(LedgerAuditReport, RefusalAndEvidenceStandInTheReport) {
  AuditedKernel kernel;
  kernel.label = "K3 at 4x4x4";
  kernel.refused = "The driver keeps counters.";
  kernel.evidence = {{FigureKind::measured, "N against N+1", "the same"}};
  const Report report = ledger_audit_report("h200", "mine", {&kernel, 1});
  const auto& json = report.json.at("kernels")[0];
  EXPECT_EQ(json.at("refused"), "The driver keeps counters.");
  EXPECT_EQ(json.at("evidence_without_counters")[0].at("kind"), "measured");
  const std::string text = render_markdown(report.document);
  EXPECT_NE(text.find("No hardware counters: The driver keeps counters."), std::string::npos);
  EXPECT_NE(text.find("N against N+1"), std::string::npos);
}

TEST(LedgerAuditReport, HostileLabelsAreHarmless) {
  AuditedKernel kernel;
  kernel.label = "evil\x1b[31m(int)";
  kernel.figures = {figure(1, 1, 0.001)};
  const std::string text =
      render_terminal(ledger_audit_report("h200", "mine", {&kernel, 1}).document, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(InstructionAuditReport, JudgesEveryCount) {
  AuditedInstruction load;
  load.address = 0x40;
  load.text = "LDS R1, [R2]";
  load.executions = figure(8, 8, 0.001);
  load.wavefronts = figure(16, 12, 0.02);
  AuditedInstruction add;
  add.text = "IADD3 R1, R2, R3, RZ";
  add.executions = figure(8, 8, 0.001);
  const std::vector<AuditedInstruction> both = {load, add};
  const Report report = instruction_audit_report("K3", Shape({{"m", 4}}), "h200", both);
  EXPECT_EQ(report.json.at("judged"), 3);
  EXPECT_EQ(report.json.at("passed"), 2);
  EXPECT_EQ(report.data.rows[0][0].text, "0040");
  EXPECT_EQ(report.data.rows[0][7].text, "FAIL");
  EXPECT_EQ(report.data.rows[1][7].text, "pass");
  EXPECT_EQ(report.data.rows[1][3].text, "");
}

}  // namespace
}  // namespace perfmodel::reports
