#include "profiling/resume.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::profiling {
namespace {

class ResumeCheck {
 public:
  explicit ResumeCheck(const Recording& existing) : existing_(existing) {}

  void same(std::string_view what, const std::string& recorded, const std::string& now) const {
    if (recorded != now) {
      fail(
          fmt::format("recording {} cannot be continued: its {} is {}, now it is {}; measure into "
                      "a new file, or delete the old one",
                      existing_.name, what, shown(recorded), shown(now)));
    }
  }

  void same(std::string_view what, const std::optional<std::string>& recorded,
            const std::optional<std::string>& now) const {
    same(what, recorded.value_or(""), now.value_or(""));
  }

  template <typename Number>
  void same_number(std::string_view what, Number recorded, Number now) const {
    same(what, fmt::format("{}", recorded), fmt::format("{}", now));
  }

 private:
  static std::string shown(const std::string& value) {
    return value.empty() ? "unknown" : fmt::format("'{}'", printable(value));
  }

  const Recording& existing_;
};

}  // namespace

void require_resumable(const Recording& existing, const Recording& planned) {
  const ResumeCheck check(existing);
  check.same("source", std::string(to_string(existing.source_kind)),
             std::string(to_string(planned.source_kind)));
  check.same("device", existing.device, planned.device);
  const DeviceAttributes old_device = existing.device_attributes.value_or(DeviceAttributes{});
  const DeviceAttributes new_device = planned.device_attributes.value_or(DeviceAttributes{});
  check.same("device name", old_device.name, new_device.name);
  check.same("device UUID", old_device.uuid, new_device.uuid);

  const Environment before = existing.environment.value_or(Environment{});
  const Environment now = planned.environment.value_or(Environment{});
  check.same("perfmodel version", before.perfmodel_version, now.perfmodel_version);
  check.same("git commit", before.git_commit, now.git_commit);
  check.same("driver", before.driver, now.driver);
  check.same("CUDA runtime", before.cuda_runtime, now.cuda_runtime);

  const auto presence = [](bool present) { return std::string(present ? "known" : ""); };
  check.same("set of options", presence(existing.settings.has_value()),
             presence(planned.settings.has_value()));
  const MeasureSettings old_settings = existing.settings.value_or(MeasureSettings{});
  const MeasureSettings settings = planned.settings.value_or(MeasureSettings{});
  check.same("cache mode", std::string(to_string(old_settings.cache_mode)),
             std::string(to_string(settings.cache_mode)));
  check.same_number("number of warm-up launches", old_settings.warmup_launches,
                    settings.warmup_launches);
  check.same_number("least number of samples", old_settings.min_samples, settings.min_samples);
  check.same_number("greatest number of samples", old_settings.max_samples, settings.max_samples);
  check.same_number("noise limit", old_settings.max_noise, settings.max_noise);
  check.same_number("least time in seconds", old_settings.min_time_s, settings.min_time_s);
  check.same_number("time limit in seconds", old_settings.time_limit_s, settings.time_limit_s);
}

bool already_done(const Recording& recording, const std::string& kernel, const Shape& shape) {
  const auto matches = [&](const auto& entry) {
    return entry.kernel == kernel && entry.shape == shape;
  };
  return std::ranges::any_of(recording.entries, matches) ||
         std::ranges::any_of(recording.skipped, matches);
}

}  // namespace perfmodel::profiling
