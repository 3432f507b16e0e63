#include <gtest/gtest.h>

#include "kernels/catalog.hpp"
#include "kernels/sgemm/kernels.hpp"
#include "kernels/spmv/problem.hpp"
#include "profiling/runner.hpp"

namespace perfmodel::profiling {
namespace {

class RunnerOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const Answer<LiveDevices> live = query_devices();
    if (!live) {
      GTEST_SKIP() << "skipped: no device (" << live.absence().why << ")";
    }
    runner_ = open_runner(live->devices.front(), Nvml::open());
  }

  RunOutcome check(const kernels::Kernel& kernel, std::shared_ptr<kernels::Problem> problem) {
    RunOptions options;
    options.check_only = true;
    return runner_->run(kernel, problem, options);
  }

  std::unique_ptr<Runner> runner_;
};

TEST_F(RunnerOnDevice, EveryMatrixProductIsRightAtOddShapes) {
  for (const kernels::Kernel& kernel : kernels::catalog()) {
    if (kernel.family != "sgemm") {
      continue;
    }
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1},
                                  {33, 31, 5},
                                  {129, 127, 65},
                                  {1, 300, 257},
                                  {256, 128, 64},
                                  {100, 132, 36},
                                  {7, 5, 0},
                                  {1025, 1023, 1000}}) {
      const Shape shape({{"m", m}, {"n", n}, {"k", k}});
      const RunOutcome outcome = check(kernel, kernels::make_problem(kernel, shape));
      const bool vector_kernel_refuses = kernel.name == "K6" && (n % 4 != 0 || k % 4 != 0);
      EXPECT_EQ(outcome.status,
                vector_kernel_refuses ? RunOutcome::Status::skipped : RunOutcome::Status::measured)
          << kernel.name << " at " << shape.key() << ": " << outcome.reason;
    }
  }
}

TEST_F(RunnerOnDevice, AnEmptyResultIsASuccess) {
  for (const char* name : {"K0", "K2", "K6"}) {
    const kernels::Kernel& kernel = kernels::find_kernel(name);
    for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{0, 4}, {4, 0}}) {
      const Shape shape({{"m", m}, {"n", n}, {"k", 8}});
      EXPECT_EQ(check(kernel, kernels::make_problem(kernel, shape)).status,
                RunOutcome::Status::empty)
          << name;
    }
  }
}

TEST_F(RunnerOnDevice, EveryPointOfTheSweepIsRight) {
  const kernels::Kernel& kernel = kernels::find_kernel("sweep");
  for (const Shape& shape : kernels::sweep_shapes(131, 67, 45)) {
    const RunOutcome outcome = check(kernel, kernels::make_problem(kernel, shape));
    EXPECT_EQ(outcome.status, RunOutcome::Status::measured) << shape.key() << outcome.reason;
  }
}

TEST_F(RunnerOnDevice, EveryTileIsRightOrSaysWhyNot) {
  const kernels::Kernel& kernel = kernels::find_kernel("tiled");
  std::size_t measured = 0;
  for (const std::int64_t tile : {8, 16, 32}) {
    for (const std::int64_t block : {64, 100, 256, 1024}) {
      const Shape shape({{"m", 131}, {"n", 67}, {"k", 45}, {"tile", tile}, {"block", block}});
      const RunOutcome outcome = check(kernel, kernels::make_problem(kernel, shape));
      if (outcome.status == RunOutcome::Status::skipped) {
        EXPECT_FALSE(outcome.reason.empty());
        continue;
      }
      EXPECT_EQ(outcome.status, RunOutcome::Status::measured) << shape.key() << outcome.reason;
      ++measured;
    }
  }
  EXPECT_GE(measured, 6U);
}

TEST_F(RunnerOnDevice, EveryVectorAndSparseKernelIsRight) {
  for (const kernels::Kernel& kernel : kernels::catalog()) {
    if (kernel.family == "gemv") {
      for (const std::int64_t size : {1, 33, 1000, 2048}) {
        const Shape shape({{"m", size}, {"n", size + 3}});
        const RunOutcome outcome = check(kernel, kernels::make_problem(kernel, shape));
        EXPECT_EQ(outcome.status, RunOutcome::Status::measured)
            << kernel.name << " at " << shape.key() << ": " << outcome.reason;
      }
    }
    if (kernel.family == "spmv") {
      for (const char* matrix : {"stencil-A:32", "stencil-B:64"}) {
        const RunOutcome outcome =
            check(kernel, kernels::make_spmv_problem(kernels::load_matrix(matrix)));
        EXPECT_EQ(outcome.status, RunOutcome::Status::measured)
            << kernel.name << " on " << matrix << ": " << outcome.reason;
      }
    }
  }
}

TEST_F(RunnerOnDevice, LargeProductsAreCheckedAgainstAnotherKernel) {
  const kernels::Kernel& kernel = kernels::find_kernel("K4");
  const Shape shape({{"m", 1500}, {"n", 1100}, {"k", 1300}});
  const RunOutcome outcome = check(kernel, kernels::make_problem(kernel, shape));
  ASSERT_EQ(outcome.status, RunOutcome::Status::measured) << outcome.reason;
  EXPECT_NE(outcome.verification->method.find("GPU kernel K2"), std::string::npos)
      << outcome.verification->method;
}

TEST_F(RunnerOnDevice, MeasuresWithSamplesClocksAndOccupancy) {
  const kernels::Kernel& kernel = kernels::find_kernel("K4");
  RunOptions options;
  options.settings.time_limit_s = 1.0;
  const std::shared_ptr<kernels::Problem> problem =
      kernels::make_problem(kernel, Shape({{"m", 1024}, {"n", 1024}, {"k", 1024}}));
  const RunOutcome outcome = runner_->run(kernel, problem, options);
  ASSERT_EQ(outcome.status, RunOutcome::Status::measured) << outcome.reason;
  EXPECT_GE(outcome.measurement.samples_s.size(), 10U);
  EXPECT_GT(outcome.measurement.occupancy.value_or(0.0), 0.0);
}

}  // namespace
}  // namespace perfmodel::profiling
