#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/spec/write_file.hpp"
#include "profiling/recording_file.hpp"
#include "profiling/recording_parts.hpp"

namespace perfmodel::profiling {
namespace {

using Json = nlohmann::ordered_json;

double finite(std::string_view key, double value) {
  if (!std::isfinite(value)) {
    fail(fmt::format("{} is {}, which a recording cannot hold", key, value));
  }
  return value;
}

// Absent figures leave no key behind.

void put(Json& object, const char* key, const std::optional<double>& value) {
  if (value) {
    object[key] = finite(key, *value);
  }
}

template <typename T>
void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) {
    object[key] = *value;
  }
}

void put_text(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) {
    object[key] = value;
  }
}

Json shape_json(const Shape& shape) {
  Json object = Json::object();
  for (const auto& [name, extent] : shape.extents()) {
    object[name] = extent;
  }
  return object;
}

Json clocks_json(const ClockConditions& clocks) {
  Json object = {{"readings", clocks.readings}};
  put(object, "sm_clock_hz", clocks.sm_clock_hz);
  put(object, "min_sm_clock_hz", clocks.min_sm_clock_hz);
  put(object, "max_sm_clock_hz", clocks.max_sm_clock_hz);
  put(object, "memory_clock_hz", clocks.memory_clock_hz);
  put(object, "power_w", clocks.power_w);
  put(object, "temperature_c", clocks.temperature_c);
  put(object, "throttled", clocks.throttled);
  if (!clocks.throttle_reasons.empty()) {
    object["throttle_reasons"] = clocks.throttle_reasons;
  }
  return object;
}

Json verification_json(const Verification& verification) {
  Json object = {{"status", to_string(verification.status)}};
  put_text(object, "method", verification.method);
  put(object, "checked", verification.checked);
  put(object, "max_abs_error", verification.max_abs_error);
  put(object, "max_scaled_error", verification.max_scaled_error);
  return object;
}

Json counters_json(const Counters& counters) {
  if (counters.values.empty() == counters.refused.empty()) {
    fail("counters hold either values or the reason why there are none");
  }
  Json object = {{"source", counters.source}};
  if (counters.values.empty()) {
    object["refused"] = counters.refused;
    return object;
  }
  Json values = Json::object();
  for (const auto& [metric, value] : counters.values) {
    values[metric] = finite(metric, value);
  }
  object["values"] = std::move(values);
  return object;
}

/// What an entry is of.
template <typename Entry>
Json identity_json(const Entry& entry) {
  if (!entry.foreign) {
    return {{"kernel", entry.kernel}, {"shape", shape_json(entry.shape)}};
  }
  Json object = {{"function", entry.foreign->name}};
  put(object, "grid", entry.foreign->grid);
  put(object, "block", entry.foreign->block);
  for (const auto& [name, value] : entry.foreign->parameters) {
    object["parameters"][name] = value;
  }
  return object;
}

Json entry_json(const Measurement& entry) {
  Json object = identity_json(entry);
  if (entry.samples_s.empty()) {
    object[entry.is_mean ? "mean_s" : "median_s"] = finite("median_s", entry.median_s);
    put(object, "sample_count", entry.sample_count);
    put(object, "stdev_s", entry.stdev_s);
  } else {
    Json samples = Json::array();
    for (const double sample : entry.samples_s) {
      samples.push_back(finite("sample", sample));
    }
    object["samples_s"] = std::move(samples);
  }
  put_text(object, "note", entry.note);
  put(object, "launches_per_sample", entry.launches_per_sample);
  if (entry.cache_mode) {
    object["cache_mode"] = to_string(*entry.cache_mode);
  }
  put(object, "event_overhead_s", entry.event_overhead_s);
  put(object, "noisy", entry.noisy);
  put(object, "shared_bytes_per_block", entry.shared_bytes_per_block);
  put(object, "blocks_per_sm", entry.blocks_per_sm);
  put(object, "occupancy", entry.occupancy);
  if (entry.clocks) {
    object["clocks"] = clocks_json(*entry.clocks);
  }
  if (entry.verification) {
    object["verification"] = verification_json(*entry.verification);
  }
  if (!entry.kernel_durations_s.empty()) {
    Json durations = Json::array();
    for (const double duration_s : entry.kernel_durations_s) {
      durations.push_back(finite("kernel_durations_s", duration_s));
    }
    object["kernel_durations_s"] = std::move(durations);
  }
  if (entry.counters) {
    object["counters"] = counters_json(*entry.counters);
  }
  return object;
}

Json skipped_json(const SkippedMeasurement& skipped) {
  Json object = identity_json(skipped);
  object["reason"] = skipped.reason;
  if (skipped.verification) {
    object["verification"] = verification_json(*skipped.verification);
  }
  if (skipped.counters) {
    object["counters"] = counters_json(*skipped.counters);
  }
  return object;
}

Json settings_json(const MeasureSettings& settings) {
  return {{"cache_mode", to_string(settings.cache_mode)},
          {"warmup_launches", settings.warmup_launches},
          {"min_samples", settings.min_samples},
          {"max_samples", settings.max_samples},
          {"max_noise", finite("max_noise", settings.max_noise)},
          {"min_time_s", finite("min_time_s", settings.min_time_s)},
          {"time_limit_s", finite("time_limit_s", settings.time_limit_s)}};
}

/// A list with one item a line: short enough to read, and a change is one line of a diff.
template <typename Range, typename ToJson>
std::string list_text(const Range& items, ToJson to_json) {
  std::string out = "[";
  const char* separator = "\n    ";
  for (const auto& item : items) {
    out += separator + to_json(item).dump();
    separator = ",\n    ";
  }
  return out + (items.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string format_attributes(const DeviceAttributes& device) {
  Json object = {{"name", device.name}};
  put(object, "pci_bus_id", device.pci_bus_id);
  put(object, "uuid", device.uuid);
  put(object, "compute_capability", device.compute_capability);
  put(object, "sm_count", device.sm_count);
  put(object, "clock_rate_hz", device.clock_rate_hz);
  put(object, "memory_clock_hz", device.memory_clock_hz);
  put(object, "memory_bus_bits", device.memory_bus_bits);
  put(object, "memory_bytes", device.memory_bytes);
  put(object, "l2_bytes", device.l2_bytes);
  put(object, "shared_bytes_per_block", device.shared_bytes_per_block);
  put(object, "shared_bytes_per_sm", device.shared_bytes_per_sm);
  put(object, "threads_per_sm", device.threads_per_sm);
  return object.dump();
}

std::string format_environment(const Environment& environment) {
  Json object = Json::object();
  put(object, "driver", environment.driver);
  put(object, "cuda_runtime", environment.cuda_runtime);
  put(object, "perfmodel_version", environment.perfmodel_version);
  put(object, "git_commit", environment.git_commit);
  put(object, "date_utc", environment.date_utc);
  return object.dump();
}

std::string format_recording(const Recording& recording) {
  std::string out = "{\n  \"schema\": \"perfmodel.recording/1\"";
  const auto member = [&](std::string_view key, const std::string& value) {
    out += fmt::format(",\n  \"{}\": {}", key, value);
  };
  member("device", Json(recording.device).dump());
  if (recording.clock_hz != 0.0) {
    member("clock", Json({{"basis", recording.clock_basis},
                          {"clock_hz", finite("clock_hz", recording.clock_hz)}})
                        .dump());
  }
  member(
      "source",
      Json({{"kind", to_string(recording.source_kind)}, {"description", recording.source}}).dump());
  if (recording.device_attributes) {
    member("device_attributes", format_attributes(*recording.device_attributes));
  }
  if (recording.environment) {
    member("environment", format_environment(*recording.environment));
  }
  if (recording.settings) {
    member("settings", settings_json(*recording.settings).dump());
  }
  member("complete", recording.complete ? "true" : "false");
  member("entries", list_text(recording.entries, entry_json));
  if (!recording.skipped.empty()) {
    member("skipped", list_text(recording.skipped, skipped_json));
  }
  return out + "\n}\n";
}

void write_recording(const std::filesystem::path& path, const Recording& recording) {
  spec::write_file(path, format_recording(recording));
}

}  // namespace perfmodel::profiling
