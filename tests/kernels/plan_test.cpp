#include "kernels/catalog.hpp"
#include "kernels/sgemm/kernels.hpp"
#include "kernels/sizes.hpp"
#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

using Extents = std::array<std::uint32_t, 3>;

Plan plan_of(std::string_view name, const Shape& shape, const DeviceLimits& limits = {}) {
  return find_kernel(name).plan(shape, limits);
}

void expect_launch(std::string_view name, const Shape& shape, Extents grid, Extents block,
                   std::size_t shared_bytes = 0) {
  const Plan plan = plan_of(name, shape);
  EXPECT_EQ(plan.skip_reason, "") << name;
  ASSERT_EQ(plan.launches.size(), 1U) << name;
  EXPECT_EQ(plan.launches[0].grid, grid) << name;
  EXPECT_EQ(plan.launches[0].block, block) << name;
  EXPECT_EQ(plan.launches[0].dynamic_shared_bytes, shared_bytes) << name;
}

Shape tiled_shape(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t tile,
                  std::int64_t block) {
  return Shape({{"m", m}, {"n", n}, {"k", k}, {"tile", tile}, {"block", block}});
}

Shape sweep_shape(std::int64_t block, std::int64_t tk, std::int64_t coarsen) {
  return Shape(
      {{"m", 1000}, {"n", 100}, {"k", 10}, {"block", block}, {"tk", tk}, {"coarsen", coarsen}});
}

TEST(Plan, LadderAtAnOddSize) {
  const Shape shape = gemm_shape(1025, 1023, 1000);  // 33 tiles of 32 rows, 32 of 32 columns
  expect_launch("K1", shape, {33, 32, 1}, {32, 32, 1});
  expect_launch("K2", shape, {32, 33, 1}, {32, 32, 1});
  expect_launch("K3", shape, {32, 33, 1}, {32, 32, 1});
  expect_launch("K3c", shape, {8, 33, 1}, {32, 32, 1});
  expect_launch("K4", shape, {32, 33, 1}, {32, 4, 1});
  expect_launch("K5", shape, {8, 33, 1}, {32, 4, 1});
  expect_launch("K5-unpadded", shape, {8, 33, 1}, {32, 4, 1});
  expect_launch("naive", shape, {64, 65, 1}, {16, 16, 1});
  expect_launch("tiled16", shape, {64, 65, 1}, {16, 16, 1});
  EXPECT_EQ(plan_of("K3", shape).device_bytes, 4U * (1025 * 1000 + 1000 * 1023 + 1025 * 1023));
}

TEST(Plan, LadderAtOneElement) {
  for (const char* name : {"K1", "K2", "K3", "K3c"}) {
    expect_launch(name, gemm_shape(1, 1, 1), {1, 1, 1}, {32, 32, 1});
  }
}

TEST(Plan, K6NeedsMultiplesOfFour) {
  expect_launch("K6", gemm_shape(4097, 4100, 4096), {33, 129, 1}, {32, 4, 1});
  EXPECT_EQ(plan_of("K6", gemm_shape(4096, 4097, 4096)).skip_reason,
            "n = 4097 and k = 4096 must be multiples of 4 for float4 accesses");
  EXPECT_TRUE(plan_of("K6", gemm_shape(4096, 4096, 4098)).skipped());
}

TEST(Plan, K0IsTheLibrarys) {
  const Plan plan = plan_of("K0", gemm_shape(3, 5, 7));
  EXPECT_EQ(plan.library, "cuBLAS");
  EXPECT_TRUE(plan.launches.empty());
  EXPECT_FALSE(plan.nothing_to_do());
}

TEST(Plan, EmptyResultsNeedNoLaunchAndEmptySumsDo) {
  for (const Kernel& kernel : catalog()) {
    if (kernel.family != "sgemm") {
      continue;
    }
    EXPECT_TRUE(kernel.plan(gemm_shape(0, 4, 4), {}).nothing_to_do()) << kernel.name;
    EXPECT_TRUE(kernel.plan(gemm_shape(4, 0, 4), {}).nothing_to_do()) << kernel.name;
    const Plan zeros = kernel.plan(gemm_shape(4, 4, 0), {});
    EXPECT_FALSE(zeros.nothing_to_do()) << kernel.name;
    EXPECT_FALSE(zeros.skipped()) << kernel.name;
  }
  EXPECT_TRUE(plan_of("gemv-col", Shape({{"m", 0}, {"n", 9}})).nothing_to_do());
  EXPECT_TRUE(plan_of("tiled", tiled_shape(0, 8, 8, 16, 64)).nothing_to_do());
}

TEST(Plan, GridLimits) {
  // 65535 tiles of 32 rows are 2 097 120 rows.
  EXPECT_FALSE(plan_of("K2", gemm_shape(2097120, 32, 32)).skipped());
  EXPECT_EQ(plan_of("K2", gemm_shape(2097121, 32, 32)).skip_reason,
            "grid.y = 65536 is more than the limit of 65535");
  EXPECT_FALSE(plan_of("K1", gemm_shape(2097121, 32, 32)).skipped());  // rows lie along x
  DeviceLimits narrow;
  narrow.grid_x = 7;
  EXPECT_EQ(plan_of("K5", gemm_shape(32, 1023, 32), narrow).skip_reason,
            "grid.x = 8 is more than the limit of 7");
}

TEST(Plan, SizesThatOverflowAreErrors) {
  EXPECT_EQ(error_of([] { plan_of("K2", gemm_shape(-1, 1, 1)); }),
            "extent m = -1 must be between 0 and 2147479551");
  EXPECT_EQ(error_of([] { plan_of("K2", gemm_shape(max_extent, max_extent, 1)); }),
            "C in bytes overflows 64 bits: 4611668421963161601 x 4");
  EXPECT_EQ(checked_product(0, 5, "x"), 0);
  EXPECT_EQ(error_of([] { checked_product(INT64_MAX, 2, "size"); }),
            "size overflows 64 bits: 9223372036854775807 x 2");
  EXPECT_EQ(error_of([] { checked_sum(INT64_MAX, 1, "size"); }),
            "size overflows 64 bits: 9223372036854775807 + 1");
}

TEST(Plan, TiledGeometry) {
  // 128 threads of tile 16 are 16 x 8; 8 x 16 floats of A and 16 x 16 of B.
  expect_launch("tiled", tiled_shape(1025, 1023, 1000, 16, 128), {64, 129, 1}, {16, 8, 1},
                4 * (8 * 16 + 16 * 16));
  expect_launch("tiled", tiled_shape(1, 1, 1, 32, 1024), {1, 1, 1}, {32, 32, 1}, 8192);
  expect_launch("tiled", tiled_shape(3, 5, 1, 1, 2), {5, 2, 1}, {1, 2, 1}, 4 * (2 + 1));
}

TEST(Plan, TiledResourceChecks) {
  EXPECT_EQ(plan_of("tiled", tiled_shape(8, 8, 8, 24, 128)).skip_reason,
            "a block of 128 threads is not a multiple of the tile of 24");
  EXPECT_EQ(plan_of("tiled", tiled_shape(8, 8, 8, 32, 2048)).skip_reason,
            "2048 threads per block are more than the limit of 1024");
  EXPECT_EQ(plan_of("tiled", tiled_shape(8, 8, 8, 0, 128)).skip_reason,
            "tile = 0 and block = 128 must be at least 1");
  const Shape wide = tiled_shape(8, 8, 8, 128, 1024);  // (8 x 128 + 128 x 128) floats
  EXPECT_EQ(plan_of("tiled", wide).skip_reason,
            "69632 bytes of dynamic shared memory are more than the limit of 49152");
  DeviceLimits opted_in;
  opted_in.shared_bytes_per_block = 227 * 1024;
  EXPECT_FALSE(plan_of("tiled", wide, opted_in).skipped());
}

TEST(Plan, SweepHasTwentySevenCombinations) {
  int built = 0;
  for (const std::int64_t block : {64, 128, 256, 512, 1024}) {
    for (const std::int64_t tk : {4, 8, 16, 32}) {
      for (const std::int64_t coarsen : {1, 2, 3, 4}) {
        built += plan_of("sweep", sweep_shape(block, tk, coarsen)).skipped() ? 0 : 1;
      }
    }
  }
  EXPECT_EQ(built, 27);
  const std::vector<Shape> shapes = sweep_shapes(1000, 100, 10);
  EXPECT_EQ(shapes.size(), 27U);
  for (const Shape& shape : shapes) {
    EXPECT_FALSE(plan_of("sweep", shape).skipped()) << shape.key();
  }
  // 256 threads are 32 x 8, two rows each: 16 x 32 outputs.
  expect_launch("sweep", sweep_shape(256, 8, 2), {4, 63, 1}, {32, 8, 1});
  EXPECT_EQ(plan_of("sweep", sweep_shape(100, 8, 2)).skip_reason,
            "block = 100 is not one of 128, 256, 512");
  EXPECT_EQ(plan_of("sweep", sweep_shape(128, 9, 2)).skip_reason, "tk = 9 is not one of 8, 16, 32");
}

TEST(Plan, Gemv) {
  const Shape shape({{"m", 1025}, {"n", 12288}});
  expect_launch("gemv-row", shape, {5, 1, 1}, {256, 1, 1});
  expect_launch("gemv-col", shape, {2, 1, 1}, {256, 1, 1});
  expect_launch("gemv-col-shared", shape, {2, 1, 1}, {256, 1, 1}, 49152);
  EXPECT_EQ(plan_of("gemv-col", shape).device_bytes, 4U * (1028 * 12288 + 12288 + 1025));
  EXPECT_EQ(plan_of("gemv-col-shared", Shape({{"m", 1}, {"n", 12289}})).skip_reason,
            "x takes 49156 bytes, which 49152 bytes of shared memory do not hold");
}

TEST(Plan, Spmv) {
  const Shape shape({{"rows", 1028}, {"columns", 10}, {"nnz", 99}, {"width", 7}});
  expect_launch("spmv-csr", shape, {5, 1, 1}, {256, 1, 1});
  expect_launch("spmv-ell", shape, {5, 1, 1}, {256, 1, 1});
  expect_launch("spmv-ell4", shape, {2, 1, 1}, {256, 1, 1});
  EXPECT_EQ(plan_of("spmv-csr", shape).device_bytes, 8U * 99 + 4 * 1029 + 4 * 1028 + 4 * 10);
  EXPECT_EQ(plan_of("spmv-ell", shape).device_bytes, 8U * 1028 * 7 + 4 * 1028 + 4 * 10);
  const Shape odd({{"rows", 1027}, {"nnz", 99}, {"width", 7}});
  EXPECT_EQ(plan_of("spmv-ell4", odd).skip_reason,
            "rows = 1027 must be a multiple of 4 for float4 accesses");
  const Shape padded({{"rows", 1 << 20}, {"nnz", 99}, {"width", 2048}});
  EXPECT_EQ(plan_of("spmv-ell", padded).skip_reason,
            "1048576 rows of 2048 slots are more than an int can index");
}

}  // namespace
}  // namespace perfmodel::kernels
