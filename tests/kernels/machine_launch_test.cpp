#include "kernels/machine_launch.hpp"

#include <variant>

#include "kernels/catalog.hpp"
#include "kernels/spmv/matrix.hpp"
#include "kernels/spmv/problem.hpp"
#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

/// As cuobjdump shows them.
TEST(MachineFunction, NamesAreTheCompilers) {
  const auto name = [](const char* kernel, const Shape& shape) {
    return machine_function(find_kernel(kernel), shape);
  };
  const Shape gemm = gemm_shape(64, 64, 64);
  EXPECT_EQ(name("K3", gemm), "_ZN9perfmodel7kernels8sgemm_k3EPKfS2_Pfiii");
  EXPECT_EQ(name("K3c", gemm), "_ZN9perfmodel7kernels9sgemm_k3cEPKfS2_Pfiii");
  EXPECT_EQ(name("K5", gemm), "_ZN9perfmodel7kernels8sgemm_k5ILi33EEEvPKfS3_Pfiii");
  EXPECT_EQ(name("K5-unpadded", gemm), "_ZN9perfmodel7kernels8sgemm_k5ILi32EEEvPKfS3_Pfiii");
  EXPECT_EQ(name("tiled16", gemm), "_ZN9perfmodel7kernels13sgemm_tiled16EPKfS2_Pfiii");
  EXPECT_EQ(name("tiled", Shape({{"m", 64}, {"n", 64}, {"k", 64}, {"tile", 16}, {"block", 64}})),
            "_ZN9perfmodel7kernels11sgemm_tiledEPKfS2_Pfiii");
  EXPECT_EQ(
      name("sweep",
           Shape({{"m", 64}, {"n", 64}, {"k", 64}, {"block", 256}, {"tk", 16}, {"coarsen", 4}})),
      "_ZN9perfmodel7kernels11sgemm_sweepILi8ELi16ELi4EEEvPKfS3_Pfiii");
  EXPECT_EQ(name("gemv-col-shared", Shape({{"m", 64}, {"n", 64}})),
            "_ZN9perfmodel7kernels15gemv_col_sharedEPKfS2_Pfii");
  const Shape sparse({{"rows", 64}, {"nnz", 256}, {"width", 4}});
  EXPECT_EQ(name("spmv-csr", sparse), "_ZN9perfmodel7kernels8spmv_csrEPKiS2_PKfS4_Pfi");
  EXPECT_EQ(name("spmv-ell4", sparse), "_ZN9perfmodel7kernels9spmv_ell4EPKiPKfS4_Pfii");
}

TEST(MachineFunction, RefusesWhatHasNoCode) {
  EXPECT_EQ(error_of([] { machine_function(find_kernel("K0"), gemm_shape(8, 8, 8)); }),
            "kernel K0 is a library's: it has no machine code here");
  EXPECT_EQ(error_of([] { machine_function(find_kernel("K6"), gemm_shape(3, 3, 3)); }),
            "kernel K6 cannot run: n = 3 and k = 3 must be multiples of 4 for float4 accesses");
}

TEST(MachineLaunch, ArgumentsAreInputsOutputExtents) {
  const Kernel& kernel = find_kernel("K3");
  const auto problem = make_problem(kernel, gemm_shape(100, 40, 7));
  const std::vector<sass::Launch> launches = machine_launches(kernel, *problem, Contents::indices);
  ASSERT_EQ(launches.size(), 1U);
  const sass::Launch& launch = launches.front();
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{2, 4, 1}));
  EXPECT_EQ(launch.block, (std::array<std::uint32_t, 3>{32, 32, 1}));
  ASSERT_EQ(launch.arguments.size(), 6U);
  const auto buffer = [&](std::size_t i) {
    return std::get<sass::BufferArgument>(launch.arguments[i]);
  };
  EXPECT_EQ(buffer(0).size_bytes, 4U * 100 * 7);
  EXPECT_EQ(buffer(0).fill, sass::Fill::random_f32);
  EXPECT_EQ(buffer(1).size_bytes, 4U * 7 * 40);
  EXPECT_NE(buffer(1).seed, buffer(0).seed);
  EXPECT_EQ(buffer(2).size_bytes, 4U * 100 * 40);
  EXPECT_EQ(buffer(2).fill, sass::Fill::nothing);
  const auto m = std::get<sass::ValueArgument>(launch.arguments[3]);
  EXPECT_EQ(m.size_bytes, 4U);
  EXPECT_EQ(m.bytes[0], std::byte{100});
  EXPECT_EQ(m.bytes[1], std::byte{0});
}

TEST(MachineLaunch, LazySizesAreThoseOfTheInputs) {
  for (const char* name : {"K1", "K6", "gemv-row", "gemv-col", "gemv-col-shared"}) {
    const Kernel& kernel = find_kernel(name);
    const auto problem = make_problem(
        kernel, kernel.family == "gemv" ? Shape({{"m", 33}, {"n", 20}}) : gemm_shape(5, 12, 8));
    const auto lazy = machine_launches(kernel, *problem, Contents::indices);
    const auto full = machine_launches(kernel, *problem, Contents::all);
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
      const auto& one = std::get<sass::BufferArgument>(lazy[0].arguments[i]);
      const auto& other = std::get<sass::BufferArgument>(full[0].arguments[i]);
      EXPECT_EQ(one.size_bytes, other.size_bytes) << name << " " << kernel.inputs[i];
      EXPECT_EQ(other.fill, sass::Fill::data);
      EXPECT_EQ(other.data.size(), other.size_bytes);
    }
  }
}

TEST(MachineLaunch, SparseIndicesAreAlwaysReal) {
  const Kernel& kernel = find_kernel("spmv-csr");
  const auto problem = make_spmv_problem(stencil_a(8));
  const auto launches = machine_launches(kernel, *problem, Contents::indices);
  const auto& pointers = std::get<sass::BufferArgument>(launches[0].arguments[0]);
  ASSERT_EQ(pointers.fill, sass::Fill::data);
  EXPECT_EQ(values_in<std::int32_t>(pointers.data)[1], 4);
}

TEST(MachineLaunch, NothingToDoIsNoLaunch) {
  const Kernel& kernel = find_kernel("K2");
  const auto problem = make_problem(kernel, gemm_shape(0, 8, 8));
  EXPECT_TRUE(machine_launches(kernel, *problem, Contents::all).empty());
}

}  // namespace
}  // namespace perfmodel::kernels
