#include "profiling/resume.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::profiling {
namespace {

class Differences {
 public:
  void compare(std::string_view what, std::string before, std::string now) {
    if (before != now) {
      found_.push_back({std::string(what), std::move(before), std::move(now)});
    }
  }

  void compare(std::string_view what, const std::optional<std::string>& before,
               const std::optional<std::string>& now) {
    compare(what, before.value_or(""), now.value_or(""));
  }

  template <typename Number>
  void compare_number(std::string_view what, Number before, Number now) {
    compare(what, fmt::format("{}", before), fmt::format("{}", now));
  }

  [[nodiscard]] std::vector<Difference> take() { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

}  // namespace

std::string shown(const std::string& value) {
  return value.empty() ? "unknown" : fmt::format("'{}'", printable(value));
}

std::vector<Difference> differences(const Recording& existing, const Recording& planned) {
  Differences found;
  found.compare("source", std::string(to_string(existing.source_kind)),
                std::string(to_string(planned.source_kind)));
  found.compare("device", existing.device, planned.device);
  const DeviceAttributes old_device = existing.device_attributes.value_or(DeviceAttributes{});
  const DeviceAttributes new_device = planned.device_attributes.value_or(DeviceAttributes{});
  found.compare("device name", old_device.name, new_device.name);
  found.compare(device_uuid, old_device.uuid, new_device.uuid);

  const Environment before = existing.environment.value_or(Environment{});
  const Environment now = planned.environment.value_or(Environment{});
  found.compare("perfmodel version", before.perfmodel_version, now.perfmodel_version);
  found.compare("git commit", before.git_commit, now.git_commit);
  found.compare("driver", before.driver, now.driver);
  found.compare("CUDA runtime", before.cuda_runtime, now.cuda_runtime);

  const auto presence = [](bool present) { return std::string(present ? "known" : ""); };
  found.compare("set of options", presence(existing.settings.has_value()),
                presence(planned.settings.has_value()));
  const MeasureSettings old_settings = existing.settings.value_or(MeasureSettings{});
  const MeasureSettings settings = planned.settings.value_or(MeasureSettings{});
  found.compare("cache mode", std::string(to_string(old_settings.cache_mode)),
                std::string(to_string(settings.cache_mode)));
  found.compare_number("number of warm-up launches", old_settings.warmup_launches,
                       settings.warmup_launches);
  found.compare_number("least number of samples", old_settings.min_samples, settings.min_samples);
  found.compare_number("greatest number of samples", old_settings.max_samples,
                       settings.max_samples);
  found.compare_number("noise limit", old_settings.max_noise, settings.max_noise);
  found.compare_number("least time in seconds", old_settings.min_time_s, settings.min_time_s);
  found.compare_number("time limit in seconds", old_settings.time_limit_s, settings.time_limit_s);
  return found.take();
}

void require_resumable(const Recording& existing, const Recording& planned) {
  const std::vector<Difference> found = differences(existing, planned);
  if (!found.empty()) {
    const Difference& first = found.front();
    fail(
        fmt::format("recording {} cannot be continued: its {} is {}, now it is {}; measure into "
                    "a new file, or delete the old one",
                    existing.name, first.what, shown(first.before), shown(first.now)));
  }
}

bool already_done(const Recording& recording, const std::string& kernel, const Shape& shape) {
  const auto matches = [&](const auto& entry) {
    return entry.kernel == kernel && entry.shape == shape;
  };
  return std::ranges::any_of(recording.entries, matches) ||
         std::ranges::any_of(recording.skipped, matches);
}

}  // namespace perfmodel::profiling
