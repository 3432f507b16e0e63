#include "profiling/resume.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "tests/profiling/recordings.hpp"

namespace perfmodel::profiling {
namespace {

std::string difference(const Recording& planned) {
  try {
    require_resumable(full_recording(), planned);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Resume, TheSameRunGoesOn) {
  Recording planned = full_recording();
  planned.entries.clear();
  planned.environment->date_utc = "2026-11-30T08:00:00Z";
  EXPECT_EQ(difference(planned), "");
}

TEST(Resume, NamesTheFirstDifference) {
  Recording planned = full_recording();
  planned.device_attributes->uuid = "GPU-2";
  EXPECT_NE(difference(planned).find("its device UUID is 'GPU-1', now it is 'GPU-2'"),
            std::string::npos);
  planned = full_recording();
  planned.environment->git_commit.reset();
  EXPECT_NE(difference(planned).find("its git commit is '0123abc', now it is unknown"),
            std::string::npos);
  planned = full_recording();
  planned.settings->cache_mode = CacheMode::cold;
  EXPECT_NE(difference(planned).find("its cache mode is 'warm', now it is 'cold'"),
            std::string::npos);
  planned = full_recording();
  planned.settings->time_limit_s = 10.0;
  EXPECT_NE(difference(planned).find("its time limit in seconds is '2.5', now it is '10'"),
            std::string::npos);
  planned = full_recording();
  planned.settings.reset();
  EXPECT_NE(difference(planned).find("its set of options is 'known', now it is unknown"),
            std::string::npos);
}

TEST(Resume, MeasuredAndSkippedAreDone) {
  const Recording recording = full_recording();
  const Shape square({{"m", 4096}, {"n", 4096}, {"k", 4096}});
  const Shape odd({{"m", 4097}, {"n", 4097}, {"k", 4097}});
  EXPECT_TRUE(already_done(recording, "K3", square));
  EXPECT_TRUE(already_done(recording, "K6", odd));
  EXPECT_FALSE(already_done(recording, "K3", odd));
  EXPECT_FALSE(already_done(recording, "K6", square));
}

}  // namespace
}  // namespace perfmodel::profiling
