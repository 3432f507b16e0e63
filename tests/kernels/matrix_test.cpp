#include "kernels/spmv/matrix.hpp"

#include <set>

#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

TEST(Stencil, RowLengthsOfASmallGrid) {
  const CsrMatrix matrix = stencil_a(3);
  const std::vector<int> expected = {4, 6, 4, 6, 9, 6, 4, 6, 4};
  for (std::int32_t row = 0; row < 9; ++row) {
    EXPECT_EQ(matrix.row_length(row), expected[static_cast<std::size_t>(row)]) << row;
  }
  EXPECT_EQ(matrix.entries(), 49);  // (3 * 3 - 2)^2
  EXPECT_EQ(stencil_a(1).entries(), 1);
  EXPECT_EQ(stencil_a(2).entries(), 16);
  EXPECT_EQ(stencil_a(32).entries(), 94 * 94);
}

TEST(Stencil, ColumnsAndValuesOfACorner) {
  const CsrMatrix matrix = stencil_a(3);
  EXPECT_EQ(std::vector<int>(matrix.entry_columns.begin(), matrix.entry_columns.begin() + 4),
            (std::vector<int>{0, 1, 3, 4}));
  // 17 c mod 13 = 0, 4, 12, 3.
  EXPECT_EQ(std::vector<float>(matrix.values.begin(), matrix.values.begin() + 4),
            (std::vector<float>{4.0F, 1.004F, 1.012F, 1.003F}));
}

TEST(Stencil, TheLargeOneOfTheStudy) {
  const CsrMatrix matrix = stencil_a(1024);
  EXPECT_EQ(matrix.rows, 1048576);
  EXPECT_EQ(matrix.entries(), 9424900);
  const RowStatistics statistics = row_statistics(matrix);
  EXPECT_EQ(statistics.max_length, 9);
  EXPECT_DOUBLE_EQ(statistics.padding_factor, 9.0 * 1048576 / 9424900);
  EXPECT_FALSE(statistics.padding_explosion);
}

TEST(Stencil, BHasFortyMoreEntriesInEvery1024thRow) {
  const CsrMatrix a = stencil_a(64);
  const CsrMatrix b = stencil_b(64);  // 4096 rows: 0, 1024, 2048, 3072
  EXPECT_EQ(b.entries(), a.entries() + 4 * 40);
  EXPECT_EQ(b.row_length(0), 44);
  EXPECT_EQ(b.row_length(1024), 46);
  EXPECT_EQ(b.row_length(1), a.row_length(1));
  for (std::int32_t row = 0; row < b.rows; ++row) {
    const auto first = b.entry_columns.begin() + b.row_pointers[static_cast<std::size_t>(row)];
    const auto last = first + b.row_length(row);
    EXPECT_TRUE(std::is_sorted(first, last));
    EXPECT_EQ(std::set<int>(first, last).size(), static_cast<std::size_t>(b.row_length(row)));
  }
  EXPECT_EQ(row_statistics(b).max_length, 46);
  EXPECT_TRUE(row_statistics(b).padding_explosion);  // 46 > 4 * 8.8
}

TEST(Stencil, BOnASmallGridUsesTheColumnsThereAre) {
  const CsrMatrix matrix = stencil_b(3);
  EXPECT_EQ(matrix.row_length(0), 9);
  EXPECT_EQ(matrix.entries(), 49 + 5);
}

TEST(Stencil, RefusesOtherSizes) {
  EXPECT_EQ(error_of([] { stencil_a(0); }), "a stencil's grid is between 1 and 8192 wide, not 0");
  EXPECT_EQ(error_of([] { stencil_b(8193); }),
            "a stencil's grid is between 1 and 8192 wide, not 8193");
}

TEST(CsrMatrix, FromDenseAndBack) {
  const std::vector<float> dense = {0, 1, 0, 2, 3, 0};
  const CsrMatrix matrix = csr_from_dense(dense, 2, 3);
  EXPECT_EQ(matrix.row_pointers, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(matrix.entry_columns, (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(matrix.values, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(dense_from_csr(matrix), dense);
  EXPECT_EQ(error_of([&] { csr_from_dense(dense, 2, 2); }),
            "a dense matrix of 2 x 2 cannot have 6 elements");
}

TEST(CsrMatrix, TheDenseFormOfTheStudyConvertsBack) {
  const CsrMatrix stencil = stencil_a(32);
  const CsrMatrix back = csr_from_dense(dense_from_csr(stencil), 1024, 1024);
  EXPECT_EQ(back.row_pointers, stencil.row_pointers);
  EXPECT_EQ(back.entry_columns, stencil.entry_columns);
  EXPECT_EQ(back.values, stencil.values);
}

TEST(EllMatrix, IsStoredSlotBySlot) {
  const EllMatrix ell = ell_from_csr(csr_from_dense(std::vector<float>{0, 1, 0, 2, 3, 0}, 2, 3));
  EXPECT_EQ(ell.width, 2);
  EXPECT_EQ(ell.entry_columns, (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(ell.values, (std::vector<float>{1, 2, 0, 3}));
}

TEST(RowStatistics, HandCounted) {
  // 33 rows: one of 9 entries, then 31 of 1, and the last one, of 2, in a warp of its own.
  CsrMatrix matrix;
  matrix.rows = 33;
  matrix.columns = 100;
  matrix.row_pointers = {0, 9};
  for (int row = 1; row < 32; ++row) {
    matrix.row_pointers.push_back(9 + row);
  }
  matrix.row_pointers.push_back(42);
  matrix.entry_columns.resize(42);
  matrix.values.resize(42);
  const RowStatistics statistics = row_statistics(matrix);
  EXPECT_DOUBLE_EQ(statistics.mean_length, 42.0 / 33);
  EXPECT_EQ(statistics.max_length, 9);
  EXPECT_DOUBLE_EQ(statistics.warp_imbalance, (32.0 * 9 + 2) / 42);
  EXPECT_DOUBLE_EQ(statistics.padding_factor, 33.0 * 9 / 42);
  EXPECT_TRUE(statistics.padding_explosion);
  EXPECT_DOUBLE_EQ(statistics.csr_to_dense_bytes, (8.0 * 42 + 4 * 34) / (4 * 33 * 100));
}

TEST(RowStatistics, OfNothing) {
  CsrMatrix matrix;
  matrix.row_pointers = {0};
  const RowStatistics statistics = row_statistics(matrix);
  EXPECT_EQ(statistics.mean_length, 0);
  EXPECT_EQ(statistics.warp_imbalance, 1);
  EXPECT_EQ(statistics.padding_factor, 1);
  EXPECT_EQ(ell_from_csr(matrix).width, 0);
}

TEST(LoadMatrix, ByName) {
  EXPECT_EQ(load_matrix("stencil-A:3").entries(), 49);
  EXPECT_EQ(load_matrix("stencil-B:3").entries(), 54);
  EXPECT_EQ(error_of([] { load_matrix("stencil-A:3x"); }),
            "matrix 'stencil-A:3x': '3x' is not the width of a grid");
  EXPECT_EQ(error_of([] { load_matrix("A"); }),
            "there is no matrix 'A'; give stencil-A, stencil-B, stencil-A:NX or a .mtx file");
  EXPECT_EQ(error_of([] { load_matrix("/no/such.mtx"); }),
            "/no/such.mtx: not a file that can be read");
}

}  // namespace
}  // namespace perfmodel::kernels
