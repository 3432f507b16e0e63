#include "profiling/import/csv_reader.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

using Fields = std::vector<std::string>;

TEST(CsvReader, QuotedFieldsHoldAnything) {
  CsvReader reader("a,\"b,\"\"c\"\"\nd\",\r\n1,2,3", "f.csv", ',');
  const CsvRecord first = reader.record();
  EXPECT_EQ(first.line, 1U);
  EXPECT_EQ(first.fields, (Fields{"a", "b,\"c\"\nd", ""}));
  EXPECT_EQ(reader.line_number(), 3U);
  EXPECT_EQ(reader.line(), "1,2,3");
  EXPECT_EQ(reader.record().fields, (Fields{"1", "2", "3"}));
  EXPECT_TRUE(reader.at_end());
}

TEST(CsvReader, EveryLineEnd) {
  CsvReader reader("a\rb\nc\r\nd", "f.csv", ',');
  for (const char* line : {"a", "b", "c", "d"}) {
    EXPECT_EQ(reader.line(), line);
    reader.skip_line();
  }
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(reader.line_number(), 4U);
}

TEST(CsvReader, OtherDelimiters) {
  CsvReader reader("a,b;\"c;d\";", "f.csv", ';');
  EXPECT_EQ(reader.record().fields, (Fields{"a,b", "c;d", ""}));
}

TEST(CsvReader, KeepsWhatFollowsAClosingQuote) {
  CsvReader reader("\"a\"b,c", "f.csv", ',');
  EXPECT_EQ(reader.record().fields, (Fields{"ab", "c"}));
}

TEST(CsvReader, AnOpenQuoteIsATruncatedFile) {
  CsvReader reader("x\n\"a,b\nc", "f.csv", ',');
  reader.skip_line();
  EXPECT_EQ(testing::error_of([&] { (void)reader.record(); }),
            "f.csv:2: a quote is opened here and never closed: the file is truncated");
}

}  // namespace
}  // namespace perfmodel::profiling
