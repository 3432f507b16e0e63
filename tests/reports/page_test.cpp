// The page, the picture and the drawing, and what hostile names do to them: nothing.

#include <gtest/gtest.h>

#include <regex>

#include "model/error.hpp"
#include "model/spec/catalog.hpp"
#include "reports/html_report.hpp"
#include "reports/page_assets.hpp"
#include "reports/page_data.hpp"
#include "reports/render.hpp"
#include "reports/svg_roofline.hpp"
#include "reports/text_roofline.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::reports {
namespace {

constexpr std::string_view hostile =
    "</script><script>alert(1)</script>\x1b[31m&\"'<img src=x onerror=alert(1)>\xe2\x80\xa8\xff";

PerformanceReport report_of(const std::vector<std::string>& names) {
  const Device device = spec::Catalog(testing::source_specs()).device("rtx4090");
  PerformanceReport report = report_of_device(device, {"given", 2.52e9}, {});
  report.title = names.front();
  for (std::size_t i = 0; i < names.size(); ++i) {
    sass::MachineTotals totals;
    totals.fp32_fmas = 1e10;
    totals.warp_instructions = 1e9;
    totals.lsu_wavefronts = 1e8;
    Traffic traffic;
    traffic.l2_load_bytes = 5e9;
    traffic.dram_load_bytes = 1e9;
    KernelFigures kernel;
    kernel.name = names[i];
    kernel.why_not_audited = names[i];
    kernel.points = roofline_points(launch_work(totals, traffic),
                                    1e-3 * (1 + 0.01 * static_cast<double>(i)), report.ceilings);
    report.kernels.push_back(std::move(kernel));
  }
  return report;
}

/// A launch that takes 2 ms and what changes would bring, with `text` wherever text may stand.
KernelFigures changed_kernel(const std::string& text) {
  KernelFigures kernel;
  kernel.name = text;
  LaunchAudit audit;
  audit.device = text;
  audit.predictions = {{"combined", 2e-3, 1.8e-3, 2.2e-3}};
  audit.verdict.limiting = {text, 0.9};
  WhatIf what_if;
  what_if.changes = {text, "registers=96"};
  what_if.notes = {text};
  what_if.counts = {{text, text, 100, 25}};
  what_if.after = audit;
  what_if.after.predictions = {{"combined", 1.5e-3, 1.3e-3, 1.7e-3}};
  what_if.after.verdict = {LimitClass::latency_bound, {text, 0.4}, {text, 0.3}, text, text, {}};
  what_if.time_ratio = 0.75;
  what_if.ratio_low = 0.7;
  what_if.ratio_high = 0.8;
  kernel.audit = std::move(audit);
  kernel.what_if = std::move(what_if);
  return kernel;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(PageData, HoldsPointsAgainstEverySetOfCeilings) {
  const nlohmann::ordered_json data = page_data(report_of({"saxpy"}));
  EXPECT_EQ(data["schema"], "perfmodel.page/1");
  EXPECT_EQ(data["ceilings"].size(), 2U);
  const auto& point = data["kernels"][0]["points"][2];
  EXPECT_EQ(point["level"], "DRAM");
  EXPECT_EQ(point["intensity"], 20);
  EXPECT_EQ(point["roofs"].size(), 2U);
  EXPECT_EQ(point["roofs"][0]["limiter"], "DRAM");
  EXPECT_TRUE(data["kernels"][0]["measured_s"].is_null());
}

TEST(PageData, HoldsWhatChangesWouldBring) {
  PerformanceReport report = report_of({"saxpy"});
  EXPECT_TRUE(page_data(report)["kernels"][0]["what_if"].is_null());
  report.kernels = {changed_kernel("K5")};
  report.kernels[0].audit->measured_s = 4e-3;
  report.kernels[0].what_if->expected_s = 3e-3;
  const nlohmann::ordered_json data = page_data(report)["kernels"][0];
  const auto& what_if = data["what_if"];
  EXPECT_EQ(what_if["changes"], (nlohmann::ordered_json{"K5", "registers=96"}));
  EXPECT_EQ(data["audit"]["predictions"][0]["seconds"], 2e-3);
  EXPECT_EQ(what_if["prediction"]["seconds"], 1.5e-3);
  EXPECT_EQ(what_if["prediction"]["low_s"], 1.3e-3);
  EXPECT_EQ(what_if["prediction"]["high_s"], 1.7e-3);
  EXPECT_EQ(what_if["saved"],
            (nlohmann::ordered_json{{"share", 0.25}, {"low", 0.2}, {"high", 0.3}}));
  EXPECT_EQ(what_if["expected_s"], 3e-3);
  EXPECT_EQ(what_if["class"], "latency-bound");
  EXPECT_EQ(what_if["limiting"]["share"], 0.4);
  EXPECT_EQ(what_if["counts"][0]["before"], 100);
  EXPECT_EQ(what_if["counts"][0]["after"], 25);
  EXPECT_EQ(what_if["notes"].size(), 1U);
}

TEST(PageData, IsSafeInAScriptElement) {
  PerformanceReport report = report_of({std::string(hostile)});
  report.kernels.push_back(changed_kernel(std::string(hostile)));
  const nlohmann::ordered_json data = page_data(report);
  const std::string text = script_safe(data);
  for (const char c : text) {
    EXPECT_TRUE(c >= 0x20 && c < 0x7f) << static_cast<int>(c);
    EXPECT_TRUE(c != '<' && c != '>' && c != '&');
  }
  // Still the same text for who reads it, but for the byte that is no UTF-8.
  const std::string name = nlohmann::json::parse(text)["kernels"][0]["name"];
  EXPECT_EQ(name.substr(0, hostile.size() - 1), hostile.substr(0, hostile.size() - 1));
}

TEST(HtmlReport, AHostileNameStaysData) {
  if (chart_library().text.empty()) {
    EXPECT_NE(
        testing::error_of([] { (void)html_report(report_of({"saxpy"})); }).find("libjs-chart.js"),
        std::string::npos);
    GTEST_SKIP() << "built without Chart.js";
  }
  const std::string plain = html_report(report_of({"saxpy"}));
  PerformanceReport report = report_of({std::string(hostile)});
  report.kernels.push_back(changed_kernel(std::string(hostile)));
  const std::string page = html_report(report);
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "</script"), count(plain, "</script"));
  EXPECT_EQ(count(page, "<img"), 0U);
  EXPECT_EQ(count(page, "{{"), count(plain, "{{"));
  EXPECT_EQ(count(page, "'unsafe-"), 0U);
  EXPECT_EQ(count(page, "'sha256-"), 3U);
  EXPECT_NE(page.find("Permission is hereby granted"), std::string::npos);
}

TEST(HtmlReport, AsksNothingOfTheNetwork) {
  if (chart_library().text.empty()) {
    GTEST_SKIP() << "built without Chart.js";
  }
  const std::string page = html_report(report_of({"saxpy"}));
  EXPECT_EQ(count(page, " src="), 0U);
  EXPECT_EQ(count(page, "<link"), 0U);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(SvgRoofline, AHostileNameStaysText) {
  const std::string picture = svg_roofline(report_of({std::string(hostile)}));
  EXPECT_EQ(count(picture, "<script"), 0U);
  EXPECT_EQ(count(picture, "<img"), 0U);
  EXPECT_NE(picture.find("&#60;/script&#62;"), std::string::npos);
  for (const char c : picture) {
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << static_cast<int>(c);
  }
}

TEST(SvgRoofline, TextOfXml) {
  EXPECT_EQ(xml_text("a<b>&\"c'"), "a&#60;b&#62;&#38;&#34;c&#39;");
  EXPECT_EQ(xml_text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "&#233;&#8364;&#128512;");
  EXPECT_EQ(xml_text(std::string_view("\x01\x7f\0\xff\xc3", 5)), "?&#127;???");
  EXPECT_EQ(xml_text("\xed\xa0\x80\xc0\xaf"), "???");  // half a surrogate pair, overlong
}

TEST(SvgRoofline, LabelsDoNotOverlap) {
  const std::string picture = svg_roofline(
      report_of({"transpose_padded", "transpose", "copy", "saxpy", "dot", "scan", "histogram"}));
  const std::regex label(R"re(<text x="([\d.]+)" y="([\d.]+)" font-weight="600">(\w+)</text>)re");
  struct Box {
    double left, right, y;
  };
  std::vector<Box> boxes;
  for (std::sregex_iterator it(picture.begin(), picture.end(), label), end; it != end; ++it) {
    const double left = std::stod((*it)[1]);
    boxes.push_back(
        {left, left + 7.0 * static_cast<double>((*it)[3].length()), std::stod((*it)[2])});
  }
  ASSERT_EQ(boxes.size(), 7U);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = boxes[i].right <= boxes[j].left || boxes[j].right <= boxes[i].left ||
                         std::abs(boxes[i].y - boxes[j].y) >= 12.9;
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
}

/// A kernel on tensor cores, with a type whose peak is among the ceilings and one whose is not.
PerformanceReport tensor_report() {
  PerformanceReport report = report_of({"gemm"});
  for (CeilingSet& set : report.ceilings) {
    set.compute.push_back({"tensor bf16", 1.6e14, "a data sheet"});
  }
  sass::MachineTotals totals;
  totals.by_opcode = {{"HMMA.16816.F32.BF16", 3e7}, {"QMMA.16832.F32.E4M3.E4M3", 1e7}};
  totals.lsu_wavefronts = 1e8;
  KernelFigures& kernel = report.kernels.front();
  kernel.points = roofline_points(launch_work(totals, {}), 1e-3, report.ceilings);
  kernel.uncounted_products = {"IMMA<.16832.S8.S8"};
  return report;
}

TEST(PageData, PointsOfTensorCoresHaveTheirTypesRoof) {
  const nlohmann::ordered_json kernel = page_data(tensor_report())["kernels"][0];
  EXPECT_EQ(kernel["points"][0]["type"], "tensor bf16");
  EXPECT_EQ(kernel["points"][0]["roofs"][0]["limiter"], "tensor bf16");
  EXPECT_EQ(kernel["points"][1]["type"], "tensor fp8");
  EXPECT_EQ(kernel["points"][1]["roofs"][0]["limiter"], "");
  EXPECT_EQ(kernel["uncounted_products"][0], "IMMA<.16832.S8.S8");
}

TEST(SvgRoofline, PointsOfTensorCoresHaveTheirTypesRoof) {
  const std::string picture = svg_roofline(tensor_report());
  EXPECT_NE(picture.find(">tensor bf16 160 TFLOP/s</text>"), std::string::npos);
  EXPECT_NE(picture.find(">gemm (tensor bf16)</text>"), std::string::npos);
  EXPECT_NE(picture.find(">gemm (tensor fp8)</text>"), std::string::npos);
  EXPECT_NE(picture.find("; the peak of tensor fp8 is not known</text>"), std::string::npos);
  EXPECT_NE(picture.find("not drawn, because they are of integers, sparse or of a size that their "
                         "code does not tell: IMMA&#60;.16832.S8.S8</text>"),
            std::string::npos);
  const std::string plain = svg_roofline(report_of({"saxpy"}));
  EXPECT_EQ(plain.find("is not known"), std::string::npos);
  EXPECT_EQ(plain.find("not drawn"), std::string::npos);
  EXPECT_NE(plain.find(">saxpy</text>"), std::string::npos);
}

TEST(SvgRoofline, APointWithoutAPeakStaysInThePicture) {
  PerformanceReport report = tensor_report();
  for (CeilingSet& set : report.ceilings) {
    set.compute.pop_back();
  }
  const std::string picture = svg_roofline(report);
  EXPECT_NE(picture.find("; the peak of tensor bf16, tensor fp8 is not known"), std::string::npos);
  const std::regex triangle(R"re(<path d="M[\d.]+ (-?[\d.]+)l)re");
  std::size_t triangles = 0;
  for (std::sregex_iterator it(picture.begin(), picture.end(), triangle), end; it != end; ++it) {
    EXPECT_GT(std::stod((*it)[1]), 30);
    ++triangles;
  }
  EXPECT_EQ(triangles, 3U) << "two points, and the legend";
}

Analysis analysis_of(std::size_t kernels) {
  Analysis analysis;
  analysis.device = spec::Catalog(testing::source_specs()).device("rtx4090");
  analysis.clock = {"given", 2.52e9};
  for (std::size_t i = 0; i < kernels; ++i) {
    KernelAnalysis kernel;
    kernel.name = "K\x1b[31m" + std::to_string(i);
    kernel.flop_per_s = 1e12 * static_cast<double>(i + 1);
    kernel.roofline = evaluate_roofline(2.0 * static_cast<double>(i + 1), 1e12, kernel.flop_per_s);
    analysis.kernels.push_back(std::move(kernel));
  }
  return analysis;
}

TEST(TextRoofline, FitsATerminalAndNamesItsKernels) {
  const std::optional<Drawing> drawing = text_roofline(analysis_of(5));
  ASSERT_TRUE(drawing);
  std::size_t letters = 0;
  for (const std::string& line : drawing->lines) {
    EXPECT_LE(line.size(), 80U);
    letters += count(line, "A") + count(line, "E");
  }
  EXPECT_EQ(letters, 2U);
  EXPECT_NE(drawing->caption.find("E K?[31m4"), std::string::npos) << drawing->caption;
}

TEST(TextRoofline, NothingWithoutKernelsOrWithTooMany) {
  EXPECT_FALSE(text_roofline(analysis_of(0)));
  EXPECT_FALSE(text_roofline(analysis_of(27)));
  EXPECT_TRUE(text_roofline(analysis_of(26)));
}

TEST(TextRoofline, ANarrowTerminalLeavesItOut) {
  Document document{"t", {}};
  document.parts.emplace_back(*text_roofline(analysis_of(1)));
  EXPECT_EQ(render_terminal(document, {60, false}), "t\n");
  EXPECT_NE(render_terminal(document, {80, false}).find("GFLOP/s +---"), std::string::npos);
  EXPECT_NE(render_markdown(document).find("\n     GFLOP/s +---"), std::string::npos);
}

}  // namespace
}  // namespace perfmodel::reports
