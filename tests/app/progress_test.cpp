#include "app/progress.hpp"

#include <gtest/gtest.h>

namespace perfmodel::app {
namespace {

const ProgressState state = {3, 12, "K3 at 4096x4096x4096", 30.0};

TEST(ProgressText, Width20) { EXPECT_EQ(progress_text(state, 20), "3/12, 1 min 30 s"); }

TEST(ProgressText, Width60) {
  EXPECT_EQ(progress_text(state, 60), "3/12 K3 at 4096x4096x4096, 1 min 30 s left");
}

TEST(ProgressText, Width120) {
  EXPECT_EQ(progress_text(state, 120),
            "[#####...............] 3/12 K3 at 4096x4096x4096, 1 min 30 s left");
}

TEST(ProgressText, NeverFillsALine) {
  for (std::size_t width = 0; width < 130; ++width) {
    const std::string text = progress_text(state, width);
    EXPECT_LT(text.size(), std::max<std::size_t>(width, 1)) << width;
  }
}

TEST(ProgressText, LongLabelsAreCut) {
  EXPECT_EQ(progress_text(state, 40), "3/12 K3 at 4096x409..., 1 min 30 s left");
}

TEST(ProgressText, NoEstimateBeforeTheFirstIsDone) {
  EXPECT_EQ(progress_text({0, 12, "K0", 5.0}, 60), "[....................] 0/12 K0");
  EXPECT_FALSE(seconds_left({0, 12, "", 5.0}));
  EXPECT_EQ(seconds_left({12, 12, "", 5.0}), 0.0);
  EXPECT_FALSE(seconds_left({13, 12, "", 5.0}));
}

TEST(ProgressText, Durations) {
  EXPECT_EQ(progress_text({1, 2, "", 0.2}, 30), "1/2, 1 s left");
  EXPECT_EQ(progress_text({1, 2, "", 3661.0}, 30), "1/2, 1 h 1 min left");
  EXPECT_EQ(progress_text({1, 2, "", 1e300}, 30), "1/2, 100 h 0 min left");
}

class ProgressTest : public testing::Test {
 protected:
  [[nodiscard]] ProgressTerminal terminal(bool is_enabled) {
    return {is_enabled, [] { return std::size_t{30}; },
            [this](std::string_view text) { written_ += text; }, [this] { return now_; }};
  }

  std::string written_;
  std::chrono::steady_clock::time_point now_;
};

TEST_F(ProgressTest, IsQuietWhereThereIsNoTerminal) {
  {
    Progress progress(2, terminal(false));
    progress.update(1, "K0");
  }
  EXPECT_EQ(written_, "");
}

TEST_F(ProgressTest, OverwritesItselfAndIsClearedInTheEnd) {
  {
    Progress progress(2, terminal(true));
    progress.update(0, "a long label");
    now_ += std::chrono::seconds(1);
    progress.update(1, "K1");
  }
  EXPECT_EQ(written_,
            "\r0/2 a long label"
            "\r1/2 K1, 1 s left"
            "\r                \r");
}

TEST_F(ProgressTest, IsLimitedToTenTimesASecond) {
  Progress progress(2, terminal(true));
  progress.update(0, "K0");
  const std::string first = written_;
  now_ += std::chrono::milliseconds(99);
  progress.update(1, "K1");
  EXPECT_EQ(written_, first);
  now_ += std::chrono::milliseconds(1);
  progress.update(1, "K1");
  EXPECT_NE(written_, first);
}

}  // namespace
}  // namespace perfmodel::app
