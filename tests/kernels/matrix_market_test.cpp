#include "kernels/spmv/matrix_market.hpp"

#include <cstdio>
#include <fstream>

#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

CsrMatrix parse(const std::string& text) { return parse_matrix_market(text, "t.mtx"); }

std::string refusal(const std::string& text) {
  return error_of([&] { parse(text); });
}

TEST(MatrixMarket, GeneralRealInAnyOrder) {
  const CsrMatrix matrix = parse(general +
                                 "% a comment\n\n2 3 3\n2 3 -1.5e2\n1 2 +0.25\n% another\n"
                                 "2 1 7\n");
  EXPECT_EQ(matrix.rows, 2);
  EXPECT_EQ(matrix.columns, 3);
  EXPECT_EQ(matrix.row_pointers, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(matrix.entry_columns, (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(matrix.values, (std::vector<float>{0.25, 7, -150}));
}

TEST(MatrixMarket, WindowsLineEndsTabsAndNoLastLineEnd) {
  const CsrMatrix matrix =
      parse("%%MatrixMarket MATRIX Coordinate Integer General\r\n1\t1  1\r\n 1 1 -3");
  EXPECT_EQ(matrix.values, std::vector<float>{-3});
}

TEST(MatrixMarket, SymmetricIsMirrored) {
  const CsrMatrix matrix =
      parse("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 5\n2 1 3\n");
  EXPECT_EQ(matrix.row_pointers, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(matrix.entry_columns, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(matrix.values, (std::vector<float>{5, 3, 3}));
}

TEST(MatrixMarket, SkewSymmetricChangesSign) {
  const CsrMatrix matrix =
      parse("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n");
  EXPECT_EQ(matrix.values, (std::vector<float>{-3, 3}));
}

TEST(MatrixMarket, PatternCountsAsOnes) {
  const CsrMatrix matrix =
      parse("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n");
  EXPECT_EQ(matrix.values, (std::vector<float>{1, 1}));
}

TEST(MatrixMarket, EmptyMatrix) {
  const CsrMatrix matrix = parse(general + "3 4 0\n");
  EXPECT_EQ(matrix.row_pointers, (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(matrix.entries(), 0);
}

TEST(MatrixMarket, BadBanners) {
  const std::string expected =
      "t.mtx:1: expected '%%MatrixMarket matrix coordinate FIELD SYMMETRY'";
  EXPECT_EQ(refusal(""), expected);
  EXPECT_EQ(refusal("1 1 1\n"), expected);
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real\n"), expected);
  EXPECT_EQ(refusal("%%MatrixMarket vector coordinate real general\n"),
            "t.mtx:1: holds a 'vector', not a matrix");
  EXPECT_EQ(refusal("%%MatrixMarket matrix array real general\n"),
            "t.mtx:1: the format 'array' is not supported; only 'coordinate' is sparse");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate complex general\n"),
            "t.mtx:1: values of the field 'complex' are not supported; use real, integer or "
            "pattern");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real hermitian\n"),
            "t.mtx:1: the symmetry 'hermitian' is not supported; use general, symmetric or "
            "skew-symmetric");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate pattern skew-symmetric\n"),
            "t.mtx:1: a pattern has no signs and cannot be skew-symmetric");
}

TEST(MatrixMarket, BadSizes) {
  EXPECT_EQ(refusal(general), "t.mtx:1: the file ends before the line 'ROWS COLUMNS ENTRIES'");
  EXPECT_EQ(refusal(general + "% c\n2 2\n"), "t.mtx:3: expected 'ROWS COLUMNS ENTRIES'");
  EXPECT_EQ(refusal(general + "2 x 1\n"), "t.mtx:2: columns 'x' is not a whole number");
  EXPECT_EQ(refusal(general + "2 99999999999999999999 1\n"),
            "t.mtx:2: columns '99999999999999999999' overflows 64 bits");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n"),
            "t.mtx:2: a symmetric matrix is square, not 2 x 3");
}

TEST(MatrixMarket, HostileHeadersAreBoundedByTheFile) {
  // The banner has 46 bytes.
  EXPECT_EQ(refusal(general + "2147483647 1 0\n"),
            "t.mtx:2: 2147483647 rows are more than a file of 61 bytes can justify (0 to 976)");
  EXPECT_EQ(refusal(general + "1 -1 0\n"),
            "t.mtx:2: -1 columns are more than a file of 53 bytes can justify (0 to 848)");
  EXPECT_EQ(refusal(general + "9 9 2000000000\n1 1 1\n"),
            "t.mtx:2: 2000000000 entries do not fit a file of 67 bytes");
  EXPECT_EQ(refusal(general + "9 9 -1\n"), "t.mtx:2: -1 entries do not fit a file of 53 bytes");
}

TEST(MatrixMarket, BadEntries) {
  const std::string two = general + "2 2 2\n";
  EXPECT_EQ(refusal(two + "1 1\n"), "t.mtx:3: expected 'ROW COLUMN VALUE'");
  EXPECT_EQ(refusal(two + "1 1 1 1\n"), "t.mtx:3: expected 'ROW COLUMN VALUE'");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n"),
            "t.mtx:3: expected 'ROW COLUMN'");
  EXPECT_EQ(refusal(two + "0 1 1\n"), "t.mtx:3: row 0 is not between 1 and 2");
  EXPECT_EQ(refusal(two + "1 1 1\n1 3 1\n"), "t.mtx:4: column 3 is not between 1 and 2");
  EXPECT_EQ(refusal(two + "1 1 one\n"), "t.mtx:3: value 'one' is not a number");
  EXPECT_EQ(refusal(two + "1 1 +-1\n"), "t.mtx:3: value '+-1' is not a number");
  EXPECT_EQ(refusal(two + "1 1 ++1\n"), "t.mtx:3: value '++1' is not a number");
  EXPECT_EQ(refusal(two + "1 1 nan\n"), "t.mtx:3: value 'nan' does not fit a float");
  EXPECT_EQ(refusal(two + "1 1 1e39\n"), "t.mtx:3: value '1e39' does not fit a float");
  EXPECT_EQ(refusal(two + "1 1 1e999\n"), "t.mtx:3: value '1e999' is out of range");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n"),
            "t.mtx:3: value '1.5' is not a whole number");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 1\n1 1 1\n"),
            "t.mtx:3: a skew-symmetric matrix stores no diagonal");
}

TEST(MatrixMarket, CountsMustAgree) {
  EXPECT_EQ(refusal(general + "2 2 2\n1 1 1\n"), "t.mtx:3: the file ends after 1 of 2 entries");
  EXPECT_EQ(refusal(general + "2 2 1\n1 1 1\n2 2 1\n"),
            "t.mtx:4: there are more entries than the 1 of the header");
}

TEST(MatrixMarket, RepeatedPositions) {
  EXPECT_EQ(refusal(general + "2 2 3\n1 2 1\n1 1 1\n1 2 5\n"),
            "t.mtx:5: row 1, column 2 stands already on line 3");
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n"),
            "t.mtx:4: row 1, column 2 stands already on line 3");
}

TEST(MatrixMarket, ReadsAFile) {
  const std::string path = testing::TempDir() + "perfmodel_matrix_market_test.mtx";
  std::ofstream(path, std::ios::binary) << general << "1 1 1\n1 1 2\n";
  EXPECT_EQ(read_matrix_market(path).values, std::vector<float>{2});
  EXPECT_EQ(load_matrix(path).values, std::vector<float>{2});
  std::ofstream(path, std::ios::binary) << general << "1 1 1\n1 1 z\n";
  EXPECT_EQ(error_of([&] { read_matrix_market(path); }), path + ":3: value 'z' is not a number");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace perfmodel::kernels
