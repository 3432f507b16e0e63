#include "reports/comparison_report.hpp"

#include <gtest/gtest.h>

#include "reports/github_annotations.hpp"
#include "reports/junit_report.hpp"

namespace perfmodel::reports {
namespace {

KernelComparison kernel(const std::string& label, Change change, double ratio) {
  KernelComparison made;
  made.label = label;
  made.change = change;
  made.ratio = RatioInterval{ratio, ratio * 0.99, ratio * 1.01};
  made.a.time_s = 1e-3;
  made.a.samples = 30;
  made.b.time_s = ratio * 1e-3;
  made.b.samples = 40;
  made.ledger_basis = "none";
  return made;
}

RecordingComparison comparison() {
  RecordingComparison made;
  made.name_a = "old.json";
  made.name_b = "new.json";
  made.device_a = "h200";
  made.device_b = "h200";
  made.margins = one_board_margins;
  made.fail_slower = 0.03;
  made.kernels = {kernel("K3", Change::slower, 1.10), kernel("K4", Change::slower, 1.035),
                  kernel("K5", Change::unsure, 1.01), kernel("K6", Change::same, 1.0)};
  made.kernels[0].is_regression = true;
  made.kernels[2].reason = "too noisy";
  made.uncompared = {{"K1", "wrong results in B: off by 3", false, true},
                     {"K2", "only in A", false, false}};
  made.warnings = {"B was interrupted"};
  return made;
}

/// What a name may try: a terminal's escapes, a formula, markup, a workflow command, a new line.
const std::string hostile =
    "=cmd()\x1b[31m<b>&\"'\n::error::x\r%0A::set-output name=a::b|`]]>\xC2\x9B, :";

RecordingComparison hostile_comparison() {
  RecordingComparison made = comparison();
  made.name_a = hostile;
  made.name_b = hostile;
  for (KernelComparison& one : made.kernels) {
    one.label = hostile;
  }
  for (UncomparedKernel& one : made.uncompared) {
    one.label = hostile;
    one.reason = hostile;
  }
  return made;
}

TEST(GithubAnnotations, OneLinePerFinding) {
  EXPECT_EQ(github_annotations(comparison()),
            "::error title=Wrong results%3A K1::wrong results in B: off by 3\n"
            "::error title=SLOWER%3A K3::+10.0 %25 (+8.9 %25 to +11.1 %25): 1.1 ms against 1 ms\n"
            "::warning title=SLOWER%3A K4::+3.5 %25 (+2.5 %25 to +4.5 %25): 1.035 ms against 1 ms\n"
            "::warning title=perfmodel compare::B was interrupted\n"
            "::notice title=perfmodel compare::4 kernels: 2 SLOWER, 0 FASTER, 1 SAME, 1 UNSURE; 2 "
            "not compared\n");
}

TEST(GithubAnnotations, NoNameBeginsOrEndsACommand) {
  const std::string text = github_annotations(hostile_comparison());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("title=SLOWER%3A =cmd()?[31m<b>&\"'?%3A%3Aerror%3A%3Ax?%250A%3A%3Aset-"),
            std::string::npos)
      << text;
}

TEST(JunitReport, ATestCasePerKernel) {
  const std::string text = junit_report(comparison());
  EXPECT_TRUE(text.starts_with(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"2\">\n"
      "  <testsuite name=\"perfmodel compare: new.json against old.json\" tests=\"6\" "
      "failures=\"1\" errors=\"1\" skipped=\"2\">\n"
      "    <testcase classname=\"perfmodel.compare\" name=\"K3\" time=\"0.0011\">\n"
      "      <failure message=\"SLOWER +10.0 % (+8.9 % to +11.1 %): 1.1 ms against 1 ms\"/>\n"
      "    </testcase>\n"))
      << text;
  EXPECT_NE(
      text.find("name=\"K5\" time=\"0.00101\">\n      <skipped message=\"UNSURE: too noisy\"/>"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("name=\"K1\">\n      <error message=\"wrong results in B: off by 3\"/>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("name=\"K2\">\n      <skipped message=\"only in A\"/>"), std::string::npos);
  EXPECT_TRUE(text.ends_with("  </testsuite>\n</testsuites>\n"));
}

TEST(JunitReport, NamesAreData) {
  const std::string text = junit_report(hostile_comparison());
  EXPECT_NE(text.find("name=\"=cmd()?[31m&#60;b&#62;&#38;&#34;&#39;?::error::x?%0A::"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_EQ(text.find("]]>"), std::string::npos);
}

TEST(JunitReport, BytesThatXmlForbidsAreReplaced) {
  RecordingComparison made = comparison();
  // No UTF-8: alone, cut, too long a form, a surrogate; and U+FFFF. Then two good characters.
  made.kernels = {kernel("\xff \xc3 \xc0\xaf \xed\xa0\x80 \xef\xbf\xbf \xc3\xa4\xf0\x9f\x98\x80",
                         Change::same, 1.0)};
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_NE(junit_report(made).find("name=\"" + r + " " + r + " " + r + r + " " + r + " " + r +
                                    " \xc3\xa4\xf0\x9f\x98\x80\""),
            std::string::npos)
      << junit_report(made);
}

TEST(ComparisonReport, HostileNamesAreDataInEveryFormat) {
  const Report report = comparison_report(hostile_comparison());
  for (const Format format : {Format::table, Format::markdown, Format::csv, Format::json}) {
    const std::string text = render(report, format, {});
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find("\n::"), std::string::npos) << text;
    if (format != Format::json) {  // where text is not for a terminal
      EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos) << text;
    }
  }
  EXPECT_NE(render(report, Format::csv, {}).find("\n\"'=cmd()"), std::string::npos);
  EXPECT_NE(render(report, Format::markdown, {}).find("\\<b\\>"), std::string::npos);
}

TEST(ComparisonReport, FitsNarrowTerminals) {
  RecordingComparison made = comparison();
  made.kernels[0].label = std::string(300, 'x') + " 1024x1x1 of 256x1x1";
  made.conditions = {{"board", "GPU-ff27e4fb-adc6-4943-3b71-beeef4dfabb4", "unknown", "wider"}};
  for (const std::size_t width : {60U, 80U, 120U}) {
    const std::string text = render(comparison_report(made), Format::table, {width, false});
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
      EXPECT_LE(end - begin, width) << text.substr(begin, end - begin);
      begin = end + 1;
    }
    EXPECT_NE(text.find("xxx...x1 of 256x1x1"), std::string::npos) << text;
  }
}

TEST(ComparisonReport, CsvHasARowPerKernelInSiUnits) {
  const std::string text = render(comparison_report(comparison()), Format::csv, {});
  EXPECT_TRUE(text.starts_with(
      "kernel,verdict,ratio,ratio_low,ratio_high,time_a_s,time_b_s,is_regression,samples_a,"))
      << text;
  EXPECT_NE(text.find("\r\nK3,SLOWER,1.1,1.089,1.1110000000000002,0.001,0.0011,true,30,40,"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\r\nK1,WRONG RESULTS,"), std::string::npos) << text;
  EXPECT_NE(text.find("\r\nK2,NOT COMPARED,"), std::string::npos) << text;
}

TEST(ComparisonReport, JsonHasIntervalsAndCounts) {
  const nlohmann::ordered_json json = comparison_report(comparison()).json;
  EXPECT_EQ(json.at("schema"), "perfmodel.comparison/1");
  EXPECT_EQ(json.at("counts").at("slower"), 2);
  EXPECT_EQ(json.at("counts").at("regressions"), 1);
  EXPECT_EQ(json.at("counts").at("wrong_results_in_b"), 1);
  EXPECT_EQ(json.at("kernels").at(0).at("ratio").at("value"), 1.1);
  EXPECT_EQ(json.at("kernels").at(2).at("reason"), "too noisy");
  EXPECT_EQ(json.at("kernels").at(3).at("reason"), nullptr);
  EXPECT_EQ(json.at("uncompared").at(1).at("verdict"), "NOT COMPARED");
}

}  // namespace
}  // namespace perfmodel::reports
