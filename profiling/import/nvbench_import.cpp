#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "model/error.hpp"
#include "model/spec/fields.hpp"
#include "model/spec/node.hpp"
#include "model/spec/tree_builder.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"
#include "profiling/import/import.hpp"
#include "profiling/import/text_encoding.hpp"

namespace perfmodel::profiling {
namespace {

using spec::Document;
using spec::Node;
using spec::NodeKind;

constexpr std::string_view times_file_tag = "nv/json/bin:nv/cold/sample_times";
constexpr std::string_view clocks_file_tag = "nv/json/freqs-bin:nv/cold/sample_freqs";

/// What nvbench times without disturbing the caches between launches is another measurement.
constexpr std::string_view cold_time = "nv/cold/time/gpu/";
constexpr std::string_view batch_mean = "nv/batch/time/gpu/mean";

/// Values of one summary by name: numbers and texts alike stand as text in the file.
using Values = std::map<std::string, std::string, std::less<>>;

using NamedText = std::pair<std::string, std::string>;

/// The summaries of one state by tag.
class Summaries {
 public:
  void add(std::string tag, Values values) { all_.emplace(std::move(tag), std::move(values)); }

  [[nodiscard]] const std::map<std::string, Values, std::less<>>& all() const { return all_; }

  [[nodiscard]] std::optional<std::string> text(std::string_view tag, std::string_view name) const {
    const auto summary = all_.find(tag);
    if (summary == all_.end()) {
      return std::nullopt;
    }
    const auto value = summary->second.find(name);
    return value == summary->second.end() ? std::nullopt : std::optional(value->second);
  }

  /// A finite number; nothing where there is none.
  [[nodiscard]] std::optional<double> number(std::string_view tag,
                                             std::string_view name = "value") const {
    const std::optional<std::string> found = text(tag, name);
    return found ? read(*found) : std::nullopt;
  }

  [[nodiscard]] std::optional<double> positive(std::string_view tag) const {
    const std::optional<double> value = number(tag);
    return value && *value > 0.0 ? value : std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> count(std::string_view tag,
                                                  std::string_view name = "value") const {
    constexpr double most = 9007199254740992.0;  // 2^53
    const std::optional<double> value = number(tag, name);
    return value && *value >= 1.0 && *value <= most
               ? std::optional(static_cast<std::int64_t>(*value))
               : std::nullopt;
  }

  static std::optional<double> read(std::string_view text) {
    double value = 0.0;
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    return status == std::errc() && stop == end && std::isfinite(value) ? std::optional(value)
                                                                        : std::nullopt;
  }

 private:
  std::map<std::string, Values, std::less<>> all_;
};

class NvbenchImport {
 public:
  NvbenchImport(const Document& document, const ImportOptions& options)
      : document_(document), options_(options) {}

  Imported import() {
    require_version();
    choose_device();
    imported_.tool = "nvbench";
    Recording& recording = imported_.recording;
    recording.source_kind = SourceKind::imported;
    recording.source = "nvbench " + plain_text(version("nvbench"), 100);
    recording.device_attributes = attributes();
    for (const Node& benchmark : list(document_.root, "benchmarks")) {
      const std::string name = plain_text(text(benchmark, "name"));
      for (const Node& state : list(benchmark, "states")) {
        if (device_of(state) == device_) {
          add_state(name, state);
        }
      }
    }
    if (recording.entries.empty() && recording.skipped.empty()) {
      fail(fmt::format("{}: holds no measured state: it was cut, or made with --list",
                       options_.file));
    }
    if (missing_files_ > 0) {
      imported_.warnings.push_back(fmt::format(
          "the raw samples of {} states are missing: nvbench's -bin folder does not lie beside the "
          "file; their means are kept",
          missing_files_));
    }
    return std::move(imported_);
  }

 private:
  // What nvbench leaves empty it writes as null.

  [[nodiscard]] const Node& member(const Node& node, std::string_view key) const {
    const Node* found = node.kind == NodeKind::mapping ? node.find(key) : nullptr;
    if (found == nullptr) {
      document_.fail_at(node.mark,
                        fmt::format("key '{}' is missing: the file is no JSON result of nvbench as "
                                    "it was written",
                                    key));
    }
    return *found;
  }

  [[nodiscard]] const std::vector<Node>& list(const Node& node, std::string_view key) const {
    static const std::vector<Node> none;
    const Node* found = node.kind == NodeKind::mapping ? node.find(key) : nullptr;
    if (found == nullptr || found->kind == NodeKind::null) {
      return none;
    }
    if (found->kind != NodeKind::sequence) {
      document_.fail_at(found->mark, fmt::format("{} must be a list", key));
    }
    return found->items;
  }

  [[nodiscard]] std::string text(const Node& node, std::string_view key) const {
    return spec::read_text_value(document_, member(node, key), key);
  }

  /// "1.0.0" of "json" or "nvbench".
  [[nodiscard]] std::string version(std::string_view of) const {
    return text(member(member(member(document_.root, "meta"), "version"), of), "string");
  }

  void require_version() const {
    const Node* meta = document_.root.find("meta");
    const Node* known = meta == nullptr ? nullptr : meta->find("version");
    if (known == nullptr) {
      document_.fail_at(document_.root.mark,
                        "the file states no version: it is a list of benchmarks or older than "
                        "nvbench's format 1; run the benchmark with --json FILE");
    }
    const std::string json = version("json");
    if (!json.starts_with("1.")) {
      document_.fail_at(known->mark,
                        fmt::format("version {} of nvbench's format is not known, only "
                                    "version 1",
                                    printable(json)));
    }
  }

  /// The ID of the device that a state ran on; nothing for a benchmark of the CPU.
  [[nodiscard]] std::optional<std::int64_t> device_of(const Node& state) const {
    const Node* device = state.kind == NodeKind::mapping ? state.find("device") : nullptr;
    if (device == nullptr || device->kind == NodeKind::null) {
      return std::nullopt;
    }
    constexpr std::int64_t least = -1;
    return spec::read_integer(document_, *device, "device", least);
  }

  /// A recording is of one device.
  void choose_device() {
    std::set<std::optional<std::int64_t>> used;
    for (const Node& benchmark : list(document_.root, "benchmarks")) {
      for (const Node& state : list(benchmark, "states")) {
        used.insert(device_of(state));
      }
    }
    std::vector<std::string> shown;
    for (const std::optional<std::int64_t>& one : used) {
      shown.push_back(one ? std::to_string(*one) : "none");
    }
    if (options_.gpu) {
      device_ = options_.gpu;
      if (!used.contains(device_)) {
        fail(fmt::format("{}: no state ran on device {}; there are {}", options_.file,
                         *options_.gpu, join(shown)));
      }
      return;
    }
    used.erase(std::nullopt);
    if (used.size() > 1) {
      fail(
          fmt::format("{}: states ran on several devices ({}), but a recording is of one; choose "
                      "it with --gpu",
                      options_.file, join(shown)));
    }
    device_ = used.empty() ? std::nullopt : *used.begin();
  }

  [[nodiscard]] DeviceAttributes attributes() const {
    DeviceAttributes device;
    for (const Node& node : list(document_.root, "devices")) {
      if (!device_ || spec::read_integer(document_, member(node, "id"), "id", 0) != *device_) {
        continue;
      }
      device.name = plain_text(text(node, "name"), longest_text);
      if (const auto version = whole(node, "sm_version")) {
        device.compute_capability = fmt::format("{}.{}", *version / 100, *version % 100 / 10);
      }
      device.sm_count = whole(node, "number_of_sms");
      device.clock_rate_hz = real(node, "sm_default_clock_rate");
      device.memory_clock_hz = real(node, "global_memory_bus_peak_clock_rate");
      device.memory_bus_bits = whole(node, "global_memory_bus_width");
      device.memory_bytes = whole(node, "global_memory_size");
      device.l2_bytes = whole(node, "l2_cache_size");
      device.shared_bytes_per_block = whole(node, "shared_memory_per_block");
      device.shared_bytes_per_sm = whole(node, "shared_memory_per_sm");
      device.threads_per_sm = whole(node, "max_threads_per_sm");
    }
    return device;
  }

  /// A number above zero; nothing where the driver told none.
  [[nodiscard]] std::optional<double> real(const Node& node, std::string_view key) const {
    const Node* found = node.find(key);
    if (found == nullptr || found->kind == NodeKind::null) {
      return std::nullopt;
    }
    const double value = spec::read_number(document_, *found, key);
    return value > 0.0 ? std::optional(value) : std::nullopt;
  }

  [[nodiscard]] std::optional<std::int64_t> whole(const Node& node, std::string_view key) const {
    return real(node, key) ? std::optional(spec::read_integer(document_, *node.find(key), key, 1))
                           : std::nullopt;
  }

  [[nodiscard]] std::string value_text(const Node& node) const {
    const Node& value = member(node, "value");
    if (value.kind != NodeKind::scalar) {
      return {};
    }
    return value.scalar;
  }

  [[nodiscard]] Summaries summaries_of(const Node& state) const {
    Summaries summaries;
    for (const Node& summary : list(state, "summaries")) {
      Values values;
      for (const Node& value : list(summary, "data")) {
        values.emplace(text(value, "name"), value_text(value));
      }
      summaries.add(text(summary, "tag"), std::move(values));
    }
    return summaries;
  }

  /// Whether a summary became one of the entry's own fields.
  static bool is_field(std::string_view tag) {
    return tag.starts_with(cold_time) || tag.starts_with("nv/json/") ||
           tag == "nv/cold/sample_size";
  }

  /// What nvbench derived from the times and what it counted, under its own tags.
  static std::optional<Counters> counters_of(const Summaries& summaries) {
    Counters counters{"nvbench", "", {}};
    for (const auto& [tag, values] : summaries.all()) {
      const std::optional<double> value = summaries.number(tag);
      if (value && is_metric_name(tag) && !is_field(tag)) {
        // A share, although the tag says percent.
        constexpr double per_cent = 100.0;
        counters.values.emplace(tag, tag.ends_with("/percent") ? per_cent * *value : *value);
      }
    }
    return counters.values.empty() ? std::nullopt : std::optional(std::move(counters));
  }

  /// The floats of a file that nvbench wrote beside the JSON; nothing where it is not there.
  [[nodiscard]] std::optional<std::vector<double>> read_floats(const Summaries& summaries,
                                                               std::string_view tag) {
    const std::optional<std::string> name = summaries.text(tag, "filename");
    if (!name) {
      return std::nullopt;
    }
    // The name holds the folder that the benchmark ran in; only what lies beside the file counts.
    const std::filesystem::path recorded(*name);
    const std::filesystem::path path =
        options_.folder / recorded.parent_path().filename() / recorded.filename();
    const bool beside = !options_.folder.empty() && recorded.parent_path().filename() != "..";
    std::error_code status;
    if (!beside || !std::filesystem::is_regular_file(path, status)) {
      ++missing_files_;
      return std::nullopt;
    }
    const std::string bytes = spec::read_text(path, spec::recording_limits.bytes);
    const std::optional<std::int64_t> count = summaries.count(tag, "size");
    if (!count || bytes.size() != static_cast<std::size_t>(*count) * sizeof(float)) {
      fail(fmt::format("{}: has {} bytes, but {} announces {} samples of 4 bytes", path.string(),
                       bytes.size(), options_.file, count.value_or(0)));
    }
    std::vector<double> values;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      std::uint32_t bits = 0;  // little-endian on every machine
      for (std::size_t i = 0; i < sizeof(float); ++i) {
        bits |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
      }
      const double value = std::bit_cast<float>(bits);
      if (!std::isfinite(value) || value <= 0.0) {
        fail(fmt::format("{}: sample {} is {}, which cannot be", path.string(), at / sizeof(float),
                         value));
      }
      values.push_back(value);
    }
    return values;
  }

  std::optional<ClockConditions> clocks_of(const Summaries& summaries,
                                           const std::optional<std::int64_t>& samples) {
    ClockConditions clocks;
    const std::size_t missing = missing_files_;
    const std::optional<std::vector<double>> raw = read_floats(summaries, clocks_file_tag);
    missing_files_ = missing;  // the times are what is asked for
    if (raw && !raw->empty()) {
      clocks.readings = raw->size();
      clocks.sm_clock_hz = median(*raw);
      clocks.min_sm_clock_hz = std::ranges::min(*raw);
      clocks.max_sm_clock_hz = std::ranges::max(*raw);
      return clocks;
    }
    clocks.sm_clock_hz = summaries.positive("nv/cold/sm_clock_rate/mean");
    clocks.readings = static_cast<std::size_t>(samples.value_or(1));
    return clocks.sm_clock_hz ? std::optional(clocks) : std::nullopt;
  }

  /// The times of a state: raw, or what nvbench made of them. False where there are none.
  bool read_times(const Summaries& summaries, Measurement& entry) {
    entry.sample_count = summaries.count("nv/cold/sample_size");
    entry.cache_mode = CacheMode::cold;
    if (std::optional<std::vector<double>> raw = read_floats(summaries, times_file_tag);
        raw && !raw->empty()) {
      entry.sample_count.reset();
      entry.median_s = median(*raw).value();
      entry.samples_s = std::move(*raw);
      return true;
    }
    entry.stdev_s = summaries.positive(fmt::format("{}stdev/absolute", cold_time));
    const auto relative = summaries.positive(fmt::format("{}stdev/relative", cold_time));
    const auto middle = summaries.positive(fmt::format("{}median", cold_time));
    const auto mean = summaries.positive(fmt::format("{}mean", cold_time));
    if (!entry.stdev_s && relative && mean) {
      entry.stdev_s = *relative * *mean;
    }
    if (middle || mean) {
      entry.median_s = middle ? *middle : *mean;
      entry.is_mean = !middle;
      return true;
    }
    const auto batch = summaries.positive(batch_mean);
    entry.sample_count = summaries.count("nv/batch/sample_size");
    entry.cache_mode = CacheMode::warm;
    entry.is_mean = true;
    entry.median_s = batch.value_or(0.0);
    return batch.has_value();
  }

  void add_state(const std::string& benchmark, const Node& state) {
    ForeignKernel kernel;
    kernel.name = benchmark;
    for (const Node& axis : list(state, "axis_values")) {
      std::string name = plain_text(text(axis, "name"), longest_text);
      if (std::ranges::find(kernel.parameters, name, &NamedText::first) !=
          kernel.parameters.end()) {
        document_.fail_at(axis.mark, fmt::format("axis {} stands here twice", printable(name)));
      }
      kernel.parameters.emplace_back(std::move(name), plain_text(value_text(axis), longest_text));
    }
    if (!seen_.insert(kernel.label()).second) {
      imported_.warnings.push_back(fmt::format("{} stands in the file twice; the first one counts",
                                               printable(kernel.label())));
      return;
    }
    SkippedMeasurement skipped;
    skipped.foreign = kernel;
    const Node* is_skipped = state.find("is_skipped");
    if (is_skipped != nullptr && is_skipped->scalar == "true") {
      const Node* reason = state.find("skip_reason");
      skipped.reason = reason == nullptr || reason->scalar.empty()
                           ? "skipped by the benchmark"
                           : plain_text(reason->scalar, longest_text);
      imported_.recording.skipped.push_back(std::move(skipped));
      return;
    }
    const Summaries summaries = summaries_of(state);
    std::optional<Counters> counters = counters_of(summaries);
    Measurement entry;
    if (!read_times(summaries, entry)) {
      skipped.reason = "nvbench took no time of it on a GPU";
      skipped.counters = std::move(counters);
      imported_.recording.skipped.push_back(std::move(skipped));
      return;
    }
    entry.foreign = std::move(kernel);
    entry.clocks = clocks_of(summaries, summaries.count("nv/cold/sample_size"));
    entry.counters = std::move(counters);
    imported_.recording.entries.push_back(std::move(entry));
  }

  const Document& document_;
  const ImportOptions& options_;
  std::optional<std::int64_t> device_;
  std::set<std::string> seen_;
  std::size_t missing_files_ = 0;
  Imported imported_;
};

}  // namespace

Imported import_nvbench(std::string_view text, const ImportOptions& options) {
  const Document document = spec::parse_json(text, options.file, spec::recording_limits);
  return NvbenchImport(document, options).import();
}

}  // namespace perfmodel::profiling
