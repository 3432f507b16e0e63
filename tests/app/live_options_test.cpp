#include "app/live_options.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::app {
namespace {

profiling::CampaignResult result_of(bool noisy) {
  profiling::CampaignResult result;
  result.recording.name = "run";
  Measurement& entry = result.recording.entries.emplace_back();
  entry.kernel = "K4";
  entry.shape = Shape({{"m", 4}});
  entry.noisy = noisy;
  return result;
}

/// The kind of the Error that is thrown, or nothing.
std::optional<ErrorKind> judged(const profiling::CampaignResult& result, bool strict) {
  try {
    require_trustworthy({&result, 1}, strict);
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

TEST(RequireTrustworthy, AWrongResultIsNeverAccepted) {
  profiling::CampaignResult result = result_of(false);
  EXPECT_EQ(judged(result, true), std::nullopt);
  result.wrong.push_back({"K3", "4096x4096x4096", "1 of 16 results are wrong"});
  EXPECT_EQ(judged(result, false), ErrorKind::wrong_result);
  EXPECT_EQ(testing::error_of([&] { require_trustworthy({&result, 1}, false); }),
            "K3 at 4096x4096x4096 is wrong: 1 of 16 results are wrong");
}

TEST(RequireTrustworthy, NoiseIsAFailureOnlyWhenStrict) {
  EXPECT_EQ(judged(result_of(true), false), std::nullopt);
  EXPECT_EQ(judged(result_of(true), true), ErrorKind::wrong_result);
}

TEST(FindTasks, SharesAProblemAmongTheKernelsOfAFamily) {
  spec::Catalog catalog(testing::source_specs());
  const auto tasks = find_tasks("K[23]|gemv-row", {}, {}, catalog);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].kernels.size(), 2U);
  EXPECT_EQ(tasks[0].label, "4096x4096x4096");
  EXPECT_EQ(tasks[1].label, "8192x8192");
}

TEST(FindTasks, SparseKernelsTakeMatrices) {
  spec::Catalog catalog(testing::source_specs());
  const auto tasks = find_tasks("spmv-.*", {}, {"stencil-A:8", "stencil-B:8"}, catalog);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].kernels.size(), 3U);
  EXPECT_EQ(tasks[0].problem->shape().extent("nnz"), 22 * 22);
}

}  // namespace
}  // namespace perfmodel::app
