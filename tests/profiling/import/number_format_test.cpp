#include "profiling/import/number_format.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

constexpr DecimalMark point = DecimalMark::point;
constexpr DecimalMark comma = DecimalMark::comma;

TEST(ParseNumber, GroupsAndFractions) {
  EXPECT_EQ(parse_number("1,234,567.5", point), 1234567.5);
  EXPECT_EQ(parse_number("1.234.567,5", comma), 1234567.5);
  EXPECT_EQ(parse_number("1,234", point), 1234.0);
  EXPECT_EQ(parse_number("1,234", comma), 1.234);
  EXPECT_EQ(parse_number(" -12.5 ", point), -12.5);
  EXPECT_EQ(parse_number("+0,50", comma), 0.5);
  EXPECT_EQ(parse_number(".5", point), 0.5);
  EXPECT_EQ(parse_number("1.5e-05", point), 1.5e-5);
  EXPECT_EQ(parse_number("1,5E+3", comma), 1500.0);
  EXPECT_EQ(parse_number("12345678", comma), 12345678.0);
}

TEST(ParseNumber, EveryMarkBetweenGroups) {
  for (const char* text : {"1\xC2\xA0"
                           "234\xC2\xA0"
                           "567,5",
                           "1\xE2\x80\xAF"
                           "234\xE2\x80\xAF"
                           "567,5",
                           "1\xE2\x80\x89"
                           "234\xE2\x80\x89"
                           "567,5",
                           "1'234'567,5", "1 234 567,5",
                           "1\xE2\x80\x99"
                           "234\xE2\x80\x99"
                           "567,5",
                           "1\xA0"
                           "234\xA0"
                           "567,5",
                           "1_234_567,5"}) {
    EXPECT_EQ(parse_number(text, comma), 1234567.5) << text;
  }
}

TEST(ParseNumber, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"",     " ",    "-",         ".",        "n/a",   "nan",       "inf",
        "0x10", "1,23", "12,34,567", "1234,567", "0,123", "1,234 567", "1.2.3",
        "1e",   "1e5x", "1e999",     "(16; 17)", "1,",    "--1",       "1,234,56"}) {
    EXPECT_EQ(parse_number(text, point), std::nullopt) << text;
  }
}

DecimalMark decided(const std::vector<const char*>& cells) {
  DecimalMarkFinder finder;
  int line = 0;
  for (const char* cell : cells) {
    finder.look_at(cell, [&, at = ++line] { return "f.csv:" + std::to_string(at) + ": m"; });
  }
  return finder.decide();
}

TEST(DecimalMarkFinder, DecidesFromTheWholeFile) {
  EXPECT_EQ(decided({}), point);
  EXPECT_EQ(decided({"1", "17", "NVIDIA H200", "1.2.3"}), point);
  EXPECT_EQ(decided({"1,234", "0.50"}), point);
  EXPECT_EQ(decided({"1.234", "0,50"}), comma);
  EXPECT_EQ(decided({"1,234", "1,234,567"}), point);
  EXPECT_EQ(decided({"1.234", "1.234.567"}), comma);
  EXPECT_EQ(decided({"1.234", "1'234,5"}), comma);
  EXPECT_EQ(decided({"1,234", "1.5e-5"}), point);
  EXPECT_EQ(decided({"1.234", "1234.567"}), point);
}

TEST(DecimalMarkFinder, NamesTheCellThatNothingDecides) {
  EXPECT_EQ(testing::error_of([] { (void)decided({"5", "1,234", "7,890"}); }),
            "f.csv:2: m: '1,234' may be 1.234 or 1234, and no figure of the file decides; say "
            "--decimal point or --decimal comma");
}

TEST(DecimalMarkFinder, NamesBothCellsOfAContradiction) {
  EXPECT_EQ(
      testing::error_of([] { (void)decided({"1.5", "2", "2,5"}); }),
      "f.csv:1: m: '1.5' has a decimal point, but '2,5' at f.csv:3: m has a decimal comma; say "
      "which of them counts with --decimal point or --decimal comma");
}

}  // namespace
}  // namespace perfmodel::profiling
