#include "profiling/environment.hpp"

#include <gtest/gtest.h>

#include "profiling/build_info.hpp"

namespace perfmodel::profiling {
namespace {

TEST(Environment, DatesAreIso8601InUtc) {
  using namespace std::chrono;
  EXPECT_EQ(iso8601_utc(system_clock::time_point{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso8601_utc(sys_days{year{2026} / November / 29} + hours{9} + minutes{5} + seconds{7} +
                        milliseconds{999}),
            "2026-11-29T09:05:07Z");
}

TEST(Environment, SaysWhatItCanWithoutNvml) {
  LiveDevices live;
  live.driver_cuda_version = "13.0";
  live.runtime_version = "12.8";
  const Environment environment = current_environment(
      live, Absence{AbsenceKind::no_library, "none"}, std::chrono::system_clock::time_point{});
  EXPECT_EQ(environment.driver, "CUDA 13.0");
  EXPECT_EQ(environment.cuda_runtime, "12.8");
  EXPECT_EQ(environment.perfmodel_version, build_version());
  EXPECT_EQ(environment.git_commit.value_or(""), build_commit());
}

}  // namespace
}  // namespace perfmodel::profiling
