#include "kernels/launcher.hpp"

#include <array>

#include "kernels/catalog.hpp"
#include "tests/kernels/helpers.hpp"

namespace perfmodel::kernels {
namespace {

TEST(Launcher, EveryKernelButTheLibrarysHasDeviceCode) {
  for (const Kernel& kernel : catalog()) {
    if (kernel.name == "sweep") {
      continue;
    }
    EXPECT_EQ(device_function(kernel, Shape()) == nullptr, kernel.name == "K0") << kernel.name;
  }
}

TEST(Launcher, EveryPlannedSweepHasDeviceCode) {
  const Kernel& kernel = find_kernel("sweep");
  for (const std::int64_t block : {64, 128, 256, 512}) {
    for (const std::int64_t tk : {8, 16, 32, 64}) {
      for (const std::int64_t coarsen : {1, 2, 4, 8}) {
        const Shape shape(
            {{"m", 8}, {"n", 8}, {"k", 8}, {"block", block}, {"tk", tk}, {"coarsen", coarsen}});
        EXPECT_EQ(device_function(kernel, shape) == nullptr, kernel.plan(shape, {}).skipped())
            << shape.key();
      }
    }
  }
}

TEST(Launcher, RefusesASkippedPlan) {
  const Kernel& kernel = find_kernel("K6");
  const Shape shape = gemm_shape(3, 3, 3);
  EXPECT_EQ(error_of([&] {
              launch(kernel, shape, kernel.plan(shape, {}), std::array<const void*, 2>{}, nullptr,
                     nullptr);
            }),
            "kernel K6 cannot run: n = 3 and k = 3 must be multiples of 4 for float4 accesses");
}

TEST(Launcher, AnEmptyResultTouchesNoDevice) {
  const Kernel& kernel = find_kernel("K5");
  const Shape shape = gemm_shape(0, 8, 8);
  EXPECT_NO_THROW(launch(kernel, shape, kernel.plan(shape, {}), std::array<const void*, 2>{},
                         nullptr, nullptr));
}

}  // namespace
}  // namespace perfmodel::kernels
