#include "profiling/environment.hpp"

#include <fmt/format.h>

#include "profiling/build_info.hpp"

namespace perfmodel::profiling {

std::string iso8601_utc(std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

Environment current_environment(const LiveDevices& live, const Answer<Nvml>& nvml,
                                std::chrono::system_clock::time_point now) {
  const auto known = [](std::string_view text) {
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  Environment environment;
  environment.driver = "CUDA " + live.driver_cuda_version;
  if (nvml) {
    if (const Answer<std::string> version = nvml->driver_version()) {
      environment.driver = *version;
    }
  }
  environment.cuda_runtime = known(live.runtime_version);
  environment.perfmodel_version = known(build_version());
  environment.git_commit = known(build_commit());
  environment.date_utc = iso8601_utc(now);
  return environment;
}

}  // namespace perfmodel::profiling
