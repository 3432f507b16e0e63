#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "reports/cells.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {
namespace {

Table wide_table() {
  Table table{"T", {{"kernel", "kernel", Align::left}}, {{text_cell("K1")}, {text_cell("K22")}}};
  for (int i = 0; i < 12; ++i) {
    table.columns.push_back({"column" + std::to_string(i), "c" + std::to_string(i)});
    table.rows[0].push_back(fixed_cell(i, 1));
    table.rows[1].push_back(fixed_cell(1000.0 * i, 1));
  }
  return table;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, line.size());
  }
  return longest;
}

TEST(Terminal, NeverExceedsTheWidth) {
  Document document{"A title that is longer than a narrow terminal is wide", {}};
  document.parts.emplace_back(Paragraph{"Some words that must wrap at the edge of the terminal."});
  document.parts.emplace_back(wide_table());
  for (const std::size_t width : {24U, 40U, 60U, 80U, 200U}) {
    EXPECT_LE(longest_line(render_terminal(document, {width, false})), width) << width;
  }
}

TEST(Terminal, ContinuesWideTablesBelowWithTheFirstColumnRepeated) {
  Document document{"t", {wide_table()}};
  EXPECT_EQ(render_terminal(document, {40, false}).substr(0, 168),
            "t\n"
            "\n"
            "T\n"
            "kernel  column0  column1  column2\n"
            "------  -------  -------  -------\n"
            "K1          0.0      1.0      2.0\n"
            "K22         0.0   1000.0   2000.0\n"
            "\n"
            "kernel  column3  column4  ");
}

TEST(Terminal, WrapsTheLastColumnOfProse) {
  Table table{"", {{"a", "a", Align::left}, {"reason", "reason", Align::left}}, {}};
  table.rows = {{text_cell("K1"), text_cell("one two three four five six")}};
  Document document{"t", {table}};
  EXPECT_EQ(render_terminal(document, {26, false}),
            "t\n"
            "\n"
            "a   reason\n"
            "--  ----------------------\n"
            "K1  one two three four\n"
            "    five six\n");
}

TEST(Terminal, ColoursOnlyWhenAsked) {
  const Document document{"t", {}};
  EXPECT_EQ(render_terminal(document, {80, false}), "t\n");
  EXPECT_NE(render_terminal(document, {80, true}).find("\x1b["), std::string::npos);
}

TEST(Terminal, VerdictsAreColouredAndColumnsStayAligned) {
  Document document{"title", {}};
  document.parts.emplace_back(Heading{"Verdict", Tone::bad});
  document.parts.emplace_back(
      Table{"T",
            {{"kernel", "kernel", Align::left}, {"verdict", "verdict"}, {"ms", "seconds"}},
            {{text_cell("K1"), verdict_cell("SLOWER", Tone::bad), text_cell("1")},
             {text_cell("K2"), verdict_cell("SAME", Tone::plain), text_cell("2")}}});
  const std::string coloured = render_terminal(document, {80, true});
  EXPECT_NE(coloured.find("K1       \x1b[31mSLOWER\x1b[0m   1\n"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("K2         SAME   2\n"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("\x1b[1m\x1b[31mVerdict\x1b[0m\n"), std::string::npos) << coloured;
  EXPECT_EQ(render_terminal(document, {80, false}).find('\x1b'), std::string::npos);
}

TEST(Csv, QuotesByRfc4180) {
  Table table{"", {{"x", "name"}, {"y", "value,unit"}}, {}};
  table.rows = {{text_cell("a \"b\"\nc"), text_cell("plain")}, {no_cell(), text_cell("1,5")}};
  EXPECT_EQ(render_csv(table),
            "name,\"value,unit\"\r\n"
            "\"a \"\"b\"\"\nc\",plain\r\n"
            ",\"1,5\"\r\n");
}

TEST(Csv, KeepsFullPrecisionAndSiUnits) {
  Table table{"", {{"ms", "median_s"}}, {{fixed_cell(0.0123456789, 1, 1e3)}}};
  EXPECT_EQ(render_csv(table), "median_s\r\n0.0123456789\r\n");
}

TEST(Markdown, EscapesWhatWouldBeInterpreted) {
  Document document{"a*b", {}};
  document.parts.emplace_back(
      Table{"", {{"x", "x", Align::left}}, {{text_cell("<script>|`_[a]\n")}}});
  EXPECT_EQ(render_markdown(document),
            "# a\\*b\n"
            "\n"
            "| x |\n"
            "| --- |\n"
            "| \\<script\\>\\|\\`\\_\\[a\\]  |\n");
}

TEST(Cells, ShowPercentWithOneDecimal) {
  EXPECT_EQ(percent_cell(-0.8782, true).text, "-87.8 %");
  EXPECT_EQ(percent_cell(0.067, true).text, "+6.7 %");
  EXPECT_EQ(percent_cell(2.5741).text, "257.4 %");
  EXPECT_EQ(percent_cell(0.25).raw, "0.25");
}

TEST(Cells, AnErrorThatRoundsToNothingHasNoMinus) {
  EXPECT_EQ(percent_cell(-1e-12, true).text, "+0.0 %");
}

}  // namespace
}  // namespace perfmodel::reports
