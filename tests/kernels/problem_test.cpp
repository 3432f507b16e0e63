#include "kernels/problem.hpp"

#include <cmath>
#include <limits>

#include "kernels/catalog.hpp"
#include "kernels/gemv/problem.hpp"
#include "kernels/inputs.hpp"
#include "kernels/sgemm/problem.hpp"
#include "kernels/spmv/problem.hpp"
#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

TEST(Inputs, AreSignedThirtySecondsFromDifferentFormulas) {
  bool below = false;
  bool above = false;
  int equal = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    for (const float value : {left_element(i), right_element(i)}) {
      EXPECT_EQ(value * 32, std::round(value * 32));
      EXPECT_LE(std::abs(value), 0.5F);
      below = below || value < 0;
      above = above || value > 0;
    }
    equal += left_element(i) == right_element(i) ? 1 : 0;
  }
  EXPECT_TRUE(below && above);
  EXPECT_LT(equal, 100);
}

TEST(GemmProblem, ReferenceIsTheProductOfItsInputs) {
  const auto problem = make_gemm_problem(gemm_shape(2, 3, 2));
  const auto a = values_in<float>(problem->input("A"));
  const auto b = values_in<float>(problem->input("B"));
  ASSERT_EQ(a.size(), 4U);
  ASSERT_EQ(b.size(), 6U);
  const std::vector<double> c = problem->reference();
  ASSERT_EQ(c.size(), 6U);
  EXPECT_EQ(c[0], double{a[0]} * b[0] + double{a[1]} * b[3]);
  EXPECT_EQ(c[5], double{a[2]} * b[2] + double{a[3]} * b[5]);
  EXPECT_EQ(problem->fmas(), 12);
  EXPECT_EQ(problem->reference_fmas(), 12);
}

TEST(GemmProblem, InputsAreTheSameEveryTime) {
  const auto first = make_gemm_problem(gemm_shape(5, 4, 3));
  const auto second = make_gemm_problem(gemm_shape(5, 4, 3));
  EXPECT_EQ(values_in<float>(first->input("A")), values_in<float>(second->input("A")));
}

TEST(GemmProblem, UnknownInputIsAnError) {
  EXPECT_EQ(error_of([] { make_gemm_problem(gemm_shape(1, 1, 1))->input("x"); }),
            "a matrix product has the inputs A and B, not 'x'");
}

TEST(GemmProblem, ProjectionsPassTheRightResult) {
  const auto problem = make_gemm_problem(gemm_shape(17, 33, 29));
  const ProjectionCheck check = problem->check_projections(to_floats(problem->reference()));
  EXPECT_EQ(check.worst_scaled_error, 0);
  EXPECT_EQ(check.checks, 50U);
  EXPECT_TRUE(check.passed());
}

TEST(GemmProblem, ProjectionsCatchAnySingleElement) {
  const auto problem = make_gemm_problem(gemm_shape(7, 9, 40));
  const std::vector<float> right = to_floats(problem->reference());
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (const float wrong :
         {right[i] + 1.0F / 1024, right[i] - 1, std::numeric_limits<float>::quiet_NaN(),
          std::numeric_limits<float>::infinity()}) {
      std::vector<float> output = right;
      output[i] = wrong;
      EXPECT_FALSE(problem->check_projections(output).passed()) << i << " " << wrong;
    }
  }
}

TEST(GemmProblem, ProjectionsSayWhere) {
  const auto problem = make_gemm_problem(gemm_shape(7, 9, 4));
  std::vector<float> output = to_floats(problem->reference());
  output[3 * 9 + 5] += 1;
  EXPECT_EQ(problem->check_projections(output).where, "row 3");
  EXPECT_EQ(problem->check_projections(output).worst_scaled_error, 2048);
}

TEST(GemmProblem, ProjectionsCatchAnUntouchedPoisonedResult) {
  const auto problem = make_gemm_problem(gemm_shape(3, 3, 3));
  std::vector<float> output(9);
  std::memset(output.data(), 0xff, 36);
  EXPECT_FALSE(problem->check_projections(output).passed());
}

TEST(GemmProblem, EmptySumsAreZeros) {
  const auto problem = make_gemm_problem(gemm_shape(2, 3, 0));
  EXPECT_EQ(problem->reference(), std::vector<double>(6, 0.0));
  EXPECT_TRUE(problem->check_projections(std::vector<float>(6)).passed());
  EXPECT_TRUE(problem->input("A").empty());
}

TEST(GemmProblem, EmptyResultsPass) {
  const auto problem = make_gemm_problem(gemm_shape(0, 3, 5));
  EXPECT_TRUE(problem->reference().empty());
  EXPECT_TRUE(problem->check_projections({}).passed());
  EXPECT_EQ(error_of([&] { problem->check_projections(std::vector<float>(1)); }),
            "the output has 0 elements, not 1");
}

TEST(GemmProblem, WorkThatOverflowsIsAnError) {
  EXPECT_EQ(error_of([] { make_gemm_problem(gemm_shape(1 << 21, 1 << 21, 1 << 21)); }),
            "the number of FMAs overflows 64 bits: 4398046511104 x 2097152");
}

TEST(GemvProblem, ColumnMajorInputIsTheSameMatrixPadded) {
  const auto problem = make_gemv_problem(Shape({{"m", 3}, {"n", 2}}));
  const auto rows = values_in<float>(problem->input("A"));
  const auto columns = values_in<float>(problem->input("A_columns"));
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(columns,
            (std::vector<float>{rows[0], rows[2], rows[4], 0, rows[1], rows[3], rows[5], 0}));
  const auto x = values_in<float>(problem->input("x"));
  const std::vector<double> y = problem->reference();
  ASSERT_EQ(y.size(), 3U);
  EXPECT_EQ(y[1], double{rows[2]} * x[0] + double{rows[3]} * x[1]);
  EXPECT_TRUE(problem->check_projections(to_floats(y)).passed());
  std::vector<float> wrong = to_floats(y);
  wrong[2] += 1.0F / 1024;
  EXPECT_EQ(problem->check_projections(wrong).where, "row 2");
}

CsrMatrix two_by_three() {
  // [ 2 0 1 ]
  // [ 0 0 0 ]
  CsrMatrix matrix;
  matrix.rows = 2;
  matrix.columns = 3;
  matrix.row_pointers = {0, 2, 2};
  matrix.entry_columns = {0, 2};
  matrix.values = {2, 1};
  return matrix;
}

TEST(SpmvProblem, ShapeInputsAndReference) {
  const auto problem = make_spmv_problem(two_by_three());
  EXPECT_EQ(problem->shape().to_string(), "2x3x2x2");  // rows, columns, nnz, width
  EXPECT_EQ(values_in<float>(problem->input("x")), (std::vector<float>{-2, -1.75, -1.5}));
  EXPECT_EQ(values_in<int>(problem->input("row_pointers")), (std::vector<int>{0, 2, 2}));
  EXPECT_EQ(values_in<int>(problem->input("ell_columns")), (std::vector<int>{0, 0, 2, 0}));
  EXPECT_EQ(values_in<float>(problem->input("ell_values")), (std::vector<float>{2, 0, 1, 0}));
  EXPECT_EQ(problem->reference(), (std::vector<double>{-5.5, 0}));
  EXPECT_EQ(problem->flops(), 4);
}

TEST(SpmvProblem, ChecksEveryRow) {
  const auto problem = make_spmv_problem(two_by_three());
  EXPECT_TRUE(problem->check_projections(std::vector<float>{-5.5, 0}).passed());
  EXPECT_EQ(problem->check_projections(std::vector<float>{-5.5, 1e-30F}).where, "row 1");
  EXPECT_FALSE(problem->check_projections(std::vector<float>{-5.49999F, 0}).passed());
}

TEST(SpmvProblem, RoundingOfASinglePrecisionSumPasses) {
  const CsrMatrix matrix = stencil_b(32);
  const auto problem = make_spmv_problem(matrix);
  const auto x = values_in<float>(problem->input("x"));
  std::vector<float> y(static_cast<std::size_t>(matrix.rows));
  for (std::size_t row = 0; row < y.size(); ++row) {
    for (auto i = static_cast<std::size_t>(matrix.row_pointers[row]);
         i < static_cast<std::size_t>(matrix.row_pointers[row + 1]); ++i) {
      y[row] += matrix.values[i] * x[static_cast<std::size_t>(matrix.entry_columns[i])];
    }
  }
  const ProjectionCheck check = problem->check_projections(y);
  EXPECT_TRUE(check.passed()) << check.worst_scaled_error << " at " << check.where;
  EXPECT_GT(check.worst_scaled_error, 0);
}

}  // namespace
}  // namespace perfmodel::kernels
