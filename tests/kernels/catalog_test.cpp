#include "kernels/catalog.hpp"

#include <set>

#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

TEST(KernelCatalog, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Kernel& kernel : catalog()) {
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
  }
  EXPECT_EQ(names.size(), 19U);
}

TEST(KernelCatalog, FindsByNameAndSuggestsTheNearest) {
  EXPECT_EQ(find_kernel("K3c").name, "K3c");
  EXPECT_EQ(find_kernel("spmv-ell4").family, "spmv");
  const std::string message = error_of([] { find_kernel("gemv-cols"); });
  EXPECT_NE(message.find("there is no runnable kernel 'gemv-cols' (did you mean 'gemv-col'?)"),
            std::string::npos)
      << message;
}

TEST(KernelCatalog, MakesProblemsFromShapes) {
  const auto gemm = make_problem(find_kernel("K1"), gemm_shape(2, 3, 4));
  EXPECT_EQ(gemm->output_elements(), 6);
  EXPECT_EQ(gemm->flops(), 48);
  const auto tiled = make_problem(
      find_kernel("tiled"), Shape({{"block", 64}, {"m", 2}, {"n", 3}, {"k", 4}, {"tile", 16}}));
  EXPECT_EQ(tiled->shape().extent("tile"), 16);
  const auto gemv = make_problem(find_kernel("gemv-row"), Shape({{"m", 5}, {"n", 7}}));
  EXPECT_EQ(gemv->output_elements(), 5);
}

TEST(KernelCatalog, RefusesShapesThatAreNotTheKernels) {
  EXPECT_EQ(
      error_of([] { make_problem(find_kernel("spmv-csr"), Shape({{"rows", 1}, {"nnz", 1}})); }),
      "kernel spmv-csr needs a matrix, not a shape: stencil-A, stencil-B or a .mtx file");
  EXPECT_EQ(error_of([] {
              make_problem(find_kernel("gemv-row"), Shape({{"m", 5}, {"n", 7}, {"k", 1}}));
            }),
            "kernel gemv-row has the dimensions m x n, not those of 'k=1,m=5,n=7'");
}

TEST(KernelCatalog, RecordsOnlyTheExtentsThatAKernelNames) {
  const Shape full({{"rows", 8}, {"columns", 9}, {"nnz", 20}, {"width", 4}});
  EXPECT_EQ(recorded_shape(find_kernel("spmv-csr"), full).key(), "nnz=20,rows=8");
  EXPECT_EQ(recorded_shape(find_kernel("spmv-ell"), full).to_string(), "8x20x4");
}

}  // namespace
}  // namespace perfmodel::kernels
