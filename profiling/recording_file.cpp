#include "profiling/recording_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <unordered_set>

#include "model/error.hpp"
#include "model/spec/fields.hpp"
#include "model/spec/shape_reader.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"
#include "profiling/recording_parts.hpp"

namespace perfmodel::profiling {
namespace {

using spec::Document;
using spec::Fields;
using spec::Node;

/// The value whose name stands under `key`.
template <typename Enum, std::size_t Count>
Enum read_choice(const Fields& fields, std::string_view key, const std::array<Enum, Count>& all) {
  const std::string text = fields.text(key);
  std::vector<std::string> names;
  for (const Enum value : all) {
    if (to_string(value) == text) {
      return value;
    }
    names.emplace_back(to_string(value));
  }
  fields.document().fail_at(fields.at(key).mark, fmt::format("{} '{}' must be one of {}", key,
                                                             printable(text), join(names)));
}

CacheMode read_cache_mode(const Fields& fields) {
  return read_choice(fields, "cache_mode", std::array{CacheMode::cold, CacheMode::warm});
}

bool read_flag(const Fields& fields, std::string_view key) {
  const Node& node = fields.at(key);
  const bool is_flag = node.kind == spec::NodeKind::scalar && !node.quoted &&
                       (node.scalar == "true" || node.scalar == "false");
  if (!is_flag) {
    fields.document().fail_at(node.mark, fmt::format("{} must be true or false", key));
  }
  return node.scalar == "true";
}

double read_non_negative(const Fields& fields, std::string_view key) {
  const double value = spec::read_number(fields.document(), fields.at(key), key);
  if (value < 0.0) {
    fields.document().fail_at(fields.at(key).mark,
                              fmt::format("{} must not be negative, not {}", key, value));
  }
  return value;
}

// What stands there, or nothing.

std::optional<std::string> optional_text(const Fields& fields, std::string_view key) {
  return fields.has(key) ? std::optional(fields.text(key)) : std::nullopt;
}

std::optional<double> optional_positive(const Fields& fields, std::string_view key) {
  return fields.has(key) ? std::optional(fields.positive(key)) : std::nullopt;
}

std::optional<double> optional_non_negative(const Fields& fields, std::string_view key) {
  return fields.has(key) ? std::optional(read_non_negative(fields, key)) : std::nullopt;
}

std::optional<std::int64_t> optional_integer(const Fields& fields, std::string_view key,
                                             std::int64_t minimum = 1) {
  return fields.has(key) ? std::optional(fields.integer(key, minimum)) : std::nullopt;
}

std::optional<bool> optional_flag(const Fields& fields, std::string_view key) {
  return fields.has(key) ? std::optional(read_flag(fields, key)) : std::nullopt;
}

ClockConditions read_clock_conditions(const Document& document, const Node& node) {
  const Fields fields(document, node, "clocks",
                      {{"readings"},
                       {"sm_clock_hz", false},
                       {"min_sm_clock_hz", false},
                       {"max_sm_clock_hz", false},
                       {"memory_clock_hz", false},
                       {"power_w", false},
                       {"temperature_c", false},
                       {"throttled", false},
                       {"throttle_reasons", false}});
  ClockConditions clocks;
  clocks.readings = static_cast<std::size_t>(fields.integer("readings", 0));
  clocks.sm_clock_hz = optional_positive(fields, "sm_clock_hz");
  clocks.min_sm_clock_hz = optional_positive(fields, "min_sm_clock_hz");
  clocks.max_sm_clock_hz = optional_positive(fields, "max_sm_clock_hz");
  clocks.memory_clock_hz = optional_positive(fields, "memory_clock_hz");
  clocks.power_w = optional_non_negative(fields, "power_w");
  if (fields.has("temperature_c")) {
    clocks.temperature_c = spec::read_number(document, fields.at("temperature_c"), "temperature_c");
  }
  clocks.throttled = optional_flag(fields, "throttled");
  if (fields.has("throttle_reasons")) {
    for (const Node& reason :
         spec::read_sequence(document, fields.at("throttle_reasons"), "throttle_reasons")) {
      clocks.throttle_reasons.push_back(spec::read_text_value(document, reason, "throttle reason"));
    }
  }
  return clocks;
}

Verification read_verification(const Document& document, const Node& node) {
  const Fields fields(document, node, "verification",
                      {{"status"},
                       {"method", false},
                       {"checked", false},
                       {"max_abs_error", false},
                       {"max_scaled_error", false}});
  Verification verification;
  verification.status =
      read_choice(fields, "status",
                  std::array{VerificationStatus::passed, VerificationStatus::failed,
                             VerificationStatus::skipped});
  verification.method = optional_text(fields, "method").value_or("");
  verification.checked = optional_integer(fields, "checked", 0);
  verification.max_abs_error = optional_non_negative(fields, "max_abs_error");
  verification.max_scaled_error = optional_non_negative(fields, "max_scaled_error");
  return verification;
}

Counters read_counters(const Document& document, const Node& node) {
  const Fields fields(document, node, "counters",
                      {{"source"}, {"refused", false}, {"values", false}});
  if (fields.has("refused") == fields.has("values")) {
    document.fail_at(node.mark,
                     "counters: give either 'values' or, where none were read, the reason under "
                     "'refused'");
  }
  Counters counters;
  counters.source = fields.name("source");
  if (fields.has("refused")) {
    counters.refused = fields.text("refused");
    return counters;
  }
  const Node& values = fields.at("values");
  if (values.kind != spec::NodeKind::mapping || values.members.empty()) {
    document.fail_at(values.mark, "values must be a mapping of metrics to their values");
  }
  for (const Node::Member& member : values.members) {
    if (!is_metric_name(member.key)) {
      document.fail_at(member.mark,
                       fmt::format("'{}' is no name for a metric", printable(member.key)));
    }
    counters.values.emplace(member.key, spec::read_number(document, member.value, member.key));
  }
  return counters;
}

Extents read_extents(const Document& document, const Node& node, std::string_view what) {
  const std::vector<Node>& items = spec::read_sequence(document, node, what);
  Extents extents{};
  if (items.size() != extents.size()) {
    document.fail_at(node.mark, fmt::format("{} must have 3 extents: x, y and z", what));
  }
  for (std::size_t i = 0; i < extents.size(); ++i) {
    extents[i] = spec::read_integer(document, items[i], fmt::format("extent of {}", what), 1);
  }
  return extents;
}

std::string read_function(const Document& document, const Node& node) {
  if (node.kind != spec::NodeKind::scalar || node.scalar.empty() ||
      node.scalar.size() > longest_function_name) {
    document.fail_at(
        node.mark, fmt::format("function must be a name of 1 to {} bytes", longest_function_name));
  }
  return node.scalar;
}

/// What an entry is of: a kernel of the catalogue at a shape, or any other function.
template <typename Entry>
void read_identity(const Fields& fields, SourceKind kind, Entry& entry) {
  const Document& document = fields.document();
  if (!fields.has("function")) {
    for (const std::string_view key : {"grid", "block", "parameters"}) {
      if (fields.has(key)) {
        document.fail_at(fields.at(key).mark,
                         fmt::format("'{}' belongs to a 'function'; a kernel of the catalogue has "
                                     "a 'shape'",
                                     key));
      }
    }
    entry.kernel = fields.name("kernel");
    entry.shape = spec::read_shape(document, fields.at("shape"));
    return;
  }
  for (const std::string_view key : {"kernel", "shape"}) {
    if (fields.has(key)) {
      document.fail_at(
          fields.at(key).mark,
          fmt::format("give either 'kernel' and 'shape' or 'function', not '{}' too", key));
    }
  }
  if (kind == SourceKind::published) {
    document.fail_at(fields.at("function").mark,
                     "a published recording has no functions; name a kernel of the catalogue");
  }
  ForeignKernel foreign;
  foreign.name = read_function(document, fields.at("function"));
  if (fields.has("grid")) {
    foreign.grid = read_extents(document, fields.at("grid"), "grid");
  }
  if (fields.has("block")) {
    foreign.block = read_extents(document, fields.at("block"), "block");
  }
  if (fields.has("parameters")) {
    const Node& parameters = fields.at("parameters");
    if (parameters.kind != spec::NodeKind::mapping) {
      document.fail_at(parameters.mark, "parameters must be a mapping of names to values");
    }
    for (const Node::Member& member : parameters.members) {
      if (member.value.kind != spec::NodeKind::scalar || !member.value.quoted) {
        document.fail_at(member.value.mark,
                         fmt::format("parameter {} must be text", printable(member.key)));
      }
      foreign.parameters.emplace_back(member.key, member.value.scalar);
    }
  }
  entry.foreign = std::move(foreign);
}

/// The times of an entry: raw samples, or a median or mean where only that is known.
void read_times(const Fields& fields, SourceKind kind, Measurement& entry) {
  const Document& document = fields.document();
  const int given = static_cast<int>(fields.has("samples_s")) +
                    static_cast<int>(fields.has("median_s")) +
                    static_cast<int>(fields.has("mean_s"));
  if (given != 1) {
    document.fail_at(fields.node().mark,
                     "entry: give either 'samples_s' (raw samples) or, where only that was "
                     "published, 'median_s' or 'mean_s'");
  }
  if (fields.has("samples_s")) {
    for (const std::string_view key : {"sample_count", "stdev_s"}) {
      if (fields.has(key)) {
        document.fail_at(fields.at(key).mark,
                         fmt::format("entry: {} follows from 'samples_s'; leave it out", key));
      }
    }
    for (const Node& sample : spec::read_sequence(document, fields.at("samples_s"), "samples_s")) {
      entry.samples_s.push_back(spec::read_positive(document, sample, "sample"));
    }
    entry.median_s = median(entry.samples_s).value();
    return;
  }
  const std::string_view key = fields.has("median_s") ? "median_s" : "mean_s";
  if (kind == SourceKind::measured) {
    document.fail_at(fields.at(key).mark,
                     "entry: a measured recording keeps its raw samples; write 'samples_s'");
  }
  entry.median_s = fields.positive(key);
  entry.is_mean = key == "mean_s";
  entry.sample_count = optional_integer(fields, "sample_count");
  entry.stdev_s = optional_non_negative(fields, "stdev_s");
}

Measurement read_entry(const Document& document, const Node& node, SourceKind kind) {
  const Fields fields(document, node, "entry",
                      {{"kernel", false},
                       {"shape", false},
                       {"function", false},
                       {"grid", false},
                       {"block", false},
                       {"parameters", false},
                       {"median_s", false},
                       {"mean_s", false},
                       {"samples_s", false},
                       {"sample_count", false},
                       {"stdev_s", false},
                       {"note", false},
                       {"launches_per_sample", false},
                       {"cache_mode", false},
                       {"event_overhead_s", false},
                       {"noisy", false},
                       {"shared_bytes_per_block", false},
                       {"blocks_per_sm", false},
                       {"occupancy", false},
                       {"clocks", false},
                       {"verification", false},
                       {"kernel_durations_s", false},
                       {"counters", false}});
  Measurement entry;
  read_identity(fields, kind, entry);
  read_times(fields, kind, entry);
  entry.note = optional_text(fields, "note").value_or("");
  entry.launches_per_sample = optional_integer(fields, "launches_per_sample");
  if (fields.has("cache_mode")) {
    entry.cache_mode = read_cache_mode(fields);
  }
  entry.event_overhead_s = optional_non_negative(fields, "event_overhead_s");
  entry.noisy = optional_flag(fields, "noisy");
  entry.shared_bytes_per_block = optional_integer(fields, "shared_bytes_per_block", 0);
  entry.blocks_per_sm = optional_integer(fields, "blocks_per_sm");
  entry.occupancy = optional_positive(fields, "occupancy");
  if (fields.has("clocks")) {
    entry.clocks = read_clock_conditions(document, fields.at("clocks"));
  }
  if (fields.has("verification")) {
    entry.verification = read_verification(document, fields.at("verification"));
    if (entry.verification->status == VerificationStatus::failed) {
      document.fail_at(fields.at("verification").mark,
                       "entry: a kernel whose result is wrong has no performance; it belongs "
                       "under 'skipped'");
    }
  }
  if (fields.has("kernel_durations_s")) {
    for (const Node& duration :
         spec::read_sequence(document, fields.at("kernel_durations_s"), "kernel_durations_s")) {
      entry.kernel_durations_s.push_back(
          spec::read_positive(document, duration, "kernel duration"));
    }
  }
  if (fields.has("counters")) {
    entry.counters = read_counters(document, fields.at("counters"));
  }
  return entry;
}

SkippedMeasurement read_skipped(const Document& document, const Node& node, SourceKind kind) {
  const Fields fields(document, node, "skipped entry",
                      {{"kernel", false},
                       {"shape", false},
                       {"function", false},
                       {"grid", false},
                       {"block", false},
                       {"parameters", false},
                       {"reason"},
                       {"verification", false},
                       {"counters", false}});
  SkippedMeasurement skipped;
  read_identity(fields, kind, skipped);
  skipped.reason = fields.text("reason");
  if (fields.has("verification")) {
    skipped.verification = read_verification(document, fields.at("verification"));
  }
  if (fields.has("counters")) {
    skipped.counters = read_counters(document, fields.at("counters"));
  }
  return skipped;
}

MeasureSettings read_settings(const Document& document, const Node& node) {
  const Fields fields(document, node, "settings",
                      {{"cache_mode"},
                       {"warmup_launches"},
                       {"min_samples"},
                       {"max_samples"},
                       {"max_noise"},
                       {"min_time_s"},
                       {"time_limit_s"}});
  MeasureSettings settings;
  settings.cache_mode = read_cache_mode(fields);
  settings.warmup_launches = fields.integer("warmup_launches", 0);
  settings.min_samples = fields.integer("min_samples");
  settings.max_samples = fields.integer("max_samples");
  settings.max_noise = fields.positive("max_noise");
  settings.min_time_s = read_non_negative(fields, "min_time_s");
  settings.time_limit_s = fields.positive("time_limit_s");
  return settings;
}

/// The items of a list; an empty one is allowed where `may_be_empty`.
std::span<const Node> read_items(const Fields& fields, std::string_view key, bool may_be_empty) {
  const Node& node = fields.at(key);
  if (may_be_empty && node.kind == spec::NodeKind::sequence && node.items.empty()) {
    return {};
  }
  return spec::read_sequence(fields.document(), node, key);
}

Recording read_document(const Document& document, const std::filesystem::path& file) {
  spec::check_schema(document, "recording", 1);
  const Fields fields(document, document.root, "recording",
                      {{"schema"},
                       {"device"},
                       {"clock", false},
                       {"source"},
                       {"device_attributes", false},
                       {"environment", false},
                       {"settings", false},
                       {"complete", false},
                       {"entries"},
                       {"skipped", false}});
  Recording recording;
  recording.name = printable(file.stem().string());
  recording.device = fields.name("device");

  const Fields source(document, fields.at("source"), "source", {{"kind"}, {"description"}});
  recording.source_kind =
      read_choice(source, "kind",
                  std::array{SourceKind::measured, SourceKind::published, SourceKind::imported});
  recording.source = source.text("description");

  if (fields.has("clock") || recording.source_kind != SourceKind::imported) {
    const Fields clock(document, fields.at("clock"), "clock", {{"basis"}, {"clock_hz"}});
    recording.clock_basis = clock.name("basis");
    recording.clock_hz = clock.positive("clock_hz");
  }

  if (fields.has("device_attributes")) {
    recording.device_attributes = read_device_attributes(document, fields.at("device_attributes"));
  }
  if (fields.has("environment")) {
    recording.environment = read_environment(document, fields.at("environment"));
  }
  if (fields.has("settings")) {
    recording.settings = read_settings(document, fields.at("settings"));
  }
  recording.complete = optional_flag(fields, "complete").value_or(true);

  std::unordered_set<std::string> seen;
  const auto require_new = [&](const Node& node, const auto& entry) {
    const std::string identity =
        entry.foreign ? entry.foreign->label() : entry.kernel + " " + entry.shape.key();
    if (!seen.insert(identity).second) {
      document.fail_at(node.mark,
                       fmt::format("entry: {} stands here twice", printable(entry.label(), 200)));
    }
  };
  // A run may have skipped all that it reached.
  for (const Node& item :
       read_items(fields, "entries", fields.has("skipped") || !recording.complete)) {
    recording.entries.push_back(read_entry(document, item, recording.source_kind));
    require_new(item, recording.entries.back());
  }
  if (fields.has("skipped")) {
    for (const Node& item : read_items(fields, "skipped", true)) {
      recording.skipped.push_back(read_skipped(document, item, recording.source_kind));
      require_new(item, recording.skipped.back());
    }
  }
  return recording;
}

}  // namespace

DeviceAttributes read_device_attributes(const Document& document, const Node& node) {
  const Fields fields(document, node, "device_attributes",
                      {{"name"},
                       {"pci_bus_id", false},
                       {"uuid", false},
                       {"compute_capability", false},
                       {"sm_count", false},
                       {"clock_rate_hz", false},
                       {"memory_clock_hz", false},
                       {"memory_bus_bits", false},
                       {"memory_bytes", false},
                       {"l2_bytes", false},
                       {"shared_bytes_per_block", false},
                       {"shared_bytes_per_sm", false},
                       {"threads_per_sm", false}});
  DeviceAttributes device;
  device.name = fields.text("name");
  device.pci_bus_id = optional_text(fields, "pci_bus_id");
  device.uuid = optional_text(fields, "uuid");
  device.compute_capability = optional_text(fields, "compute_capability");
  device.sm_count = optional_integer(fields, "sm_count");
  device.clock_rate_hz = optional_positive(fields, "clock_rate_hz");
  device.memory_clock_hz = optional_positive(fields, "memory_clock_hz");
  device.memory_bus_bits = optional_integer(fields, "memory_bus_bits");
  device.memory_bytes = optional_integer(fields, "memory_bytes");
  device.l2_bytes = optional_integer(fields, "l2_bytes");
  device.shared_bytes_per_block = optional_integer(fields, "shared_bytes_per_block");
  device.shared_bytes_per_sm = optional_integer(fields, "shared_bytes_per_sm");
  device.threads_per_sm = optional_integer(fields, "threads_per_sm");
  return device;
}

Environment read_environment(const Document& document, const Node& node) {
  const Fields fields(document, node, "environment",
                      {{"driver", false},
                       {"cuda_runtime", false},
                       {"perfmodel_version", false},
                       {"git_commit", false},
                       {"date_utc", false}});
  Environment environment;
  environment.driver = optional_text(fields, "driver");
  environment.cuda_runtime = optional_text(fields, "cuda_runtime");
  environment.perfmodel_version = optional_text(fields, "perfmodel_version");
  environment.git_commit = optional_text(fields, "git_commit");
  environment.date_utc = optional_text(fields, "date_utc");
  return environment;
}

Recording read_recording(const std::filesystem::path& path) {
  return read_document(spec::read_json(path), path);
}

Recording parse_recording(std::string_view text, const std::filesystem::path& file) {
  return read_document(spec::parse_json(text, file.string(), spec::recording_limits), file);
}

}  // namespace perfmodel::profiling
