#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "model/error.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"
#include "profiling/import/import.hpp"
#include "profiling/import/metric_unit.hpp"
#include "profiling/import/ncu_table.hpp"
#include "profiling/import/text_encoding.hpp"

namespace perfmodel::profiling {
namespace {

constexpr std::string_view attribute_prefix = "device__attribute_";

/// How long a launch took, by name in the order of preference. Older versions leave the roll-up
/// out.
constexpr std::array<std::string_view, 9> time_metrics = {
    "gpu__time_duration.sum",
    "gpu__time_duration.avg",
    "gpu__time_duration.max",
    "gpu__time_duration",
    "gpu__time_duration_measured_user.sum",
    "gpu__time_duration_measured_user",
    "gpu__time_duration_measured_wallclock.sum",
    "gpu__time_duration_measured_wallclock",
    "gpu__time_active.sum",
};

/// Units of the SM clock, the one that counts the whole launch first.
constexpr std::array<std::string_view, 3> clocked_units = {"gpc", "sm", "smsp"};

/// A figure of one launch in base units.
struct Figure {
  std::uint32_t metric = 0;  ///< index into NcuTable::metrics
  bool is_time = false;
  bool is_hertz = false;
  double value = 0.0;
};

using Figures = std::vector<Figure>;

/// The figures of a launch that its entry in a recording has fields for.
class KnownMetrics {
 public:
  explicit KnownMetrics(const std::vector<std::string>& metrics) {
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      positions_.emplace(metrics[i], static_cast<std::uint32_t>(i));
    }
    for (const std::string_view name : time_metrics) {
      times_.push_back(position(name));
    }
    for (const std::string_view unit : clocked_units) {
      cycles_.push_back(position(fmt::format("{}__cycles_elapsed.max", unit)));
      clocks_.push_back(position(fmt::format("{}__cycles_elapsed.avg.per_second", unit)));
    }
  }

  [[nodiscard]] std::optional<double> time_s(const Figures& figures) const {
    for (const Position at : times_) {
      const Figure* time = find(figures, at);
      if (time != nullptr && time->is_time && time->value > 0.0) {
        return time->value;
      }
    }
    // Without a time the elapsed cycles and their frequency tell it.
    for (std::size_t i = 0; i < cycles_.size(); ++i) {
      const Figure* cycles = find(figures, cycles_[i]);
      const Figure* hertz = find(figures, clocks_[i]);
      if (cycles != nullptr && hertz != nullptr && cycles->value > 0.0 && hertz->value > 0.0) {
        const double time = cycles->value / hertz->value;
        return std::isnormal(time) ? std::optional(time) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<double> sm_clock_hz(const Figures& figures) const {
    for (const Position at : clocks_) {
      const Figure* clock = find(figures, at);
      if (clock != nullptr && clock->is_hertz && clock->value > 0.0) {
        return clock->value;
      }
    }
    return std::nullopt;
  }

 private:
  using Position = std::optional<std::uint32_t>;

  [[nodiscard]] Position position(std::string_view metric) const {
    const auto found = positions_.find(metric);
    return found == positions_.end() ? std::nullopt : Position(found->second);
  }

  static const Figure* find(const Figures& figures, Position at) {
    if (!at) {
      return nullptr;
    }
    const auto found = std::ranges::find(figures, *at, &Figure::metric);
    return found == figures.end() ? nullptr : &*found;
  }

  std::map<std::string, std::uint32_t, std::less<>> positions_;
  std::vector<Position> times_;
  std::vector<Position> cycles_;
  std::vector<Position> clocks_;
};

/// "(4096, 1, 1)" or "4096x1x1"; nothing for other text.
std::optional<Extents> parse_extents(std::string_view text) {
  Extents extents{};
  for (std::int64_t& extent : extents) {
    const std::size_t begin = std::min(text.find_first_of("0123456789"), text.size());
    text.remove_prefix(begin);
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (status != std::errc() || extent < 1) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  return text.find_first_of("0123456789") == std::string_view::npos ? std::optional(extents)
                                                                    : std::nullopt;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The launches of one device that are alike: their figures become the samples of one entry.
struct Group {
  ForeignKernel kernel;
  std::vector<Figures> launches;
};

class NcuImport {
 public:
  NcuImport(NcuTable table, const ImportOptions& options)
      : options_(options), table_(std::move(table)), known_(table_.metrics) {}

  Imported import() {
    choose_device();
    const DecimalMark mark = decimal_mark();
    for (const NcuLaunch& launch : table_.launches) {
      add(launch, mark);
    }
    imported_.tool = "Nsight Compute";
    Recording& recording = imported_.recording;
    recording.source_kind = SourceKind::imported;
    recording.source = fmt::format("Nsight Compute, {} launches", table_.launches.size());
    recording.device_attributes = attributes();
    for (const Group& group : groups_) {
      add_entry(group);
    }
    warn();
    return std::move(imported_);
  }

 private:
  [[nodiscard]] std::string where(const NcuCell& cell) const {
    return fmt::format("{}:{}: {}", options_.file, cell.line, table_.metrics[cell.metric]);
  }

  /// A recording is of one device.
  void choose_device() {
    std::set<std::string> devices;
    for (const NcuLaunch& launch : table_.launches) {
      devices.insert(launch.device);
    }
    if (options_.gpu) {
      const std::string wanted = std::to_string(*options_.gpu);
      std::erase_if(table_.launches,
                    [&](const NcuLaunch& launch) { return launch.device != wanted; });
      if (table_.launches.empty()) {
        fail(fmt::format("{}: no launch ran on device {}; there are {}", options_.file, wanted,
                         shown(devices)));
      }
    } else if (devices.size() > 1) {
      fail(
          fmt::format("{}: launches ran on several devices ({}), but a recording is of one; "
                      "choose it with --gpu",
                      options_.file, shown(devices)));
    }
  }

  static std::string shown(const std::set<std::string>& names) {
    std::vector<std::string> printables;
    for (const std::string& name : names) {
      printables.push_back(name.empty() ? "unnamed" : printable(name));
    }
    return join(printables);
  }

  [[nodiscard]] DecimalMark decimal_mark() const {
    if (options_.decimal_mark) {
      return *options_.decimal_mark;
    }
    DecimalMarkFinder finder;
    for (const NcuLaunch& launch : table_.launches) {
      for (const NcuCell& cell : launch.cells) {
        finder.look_at(cell.text, [&] { return where(cell); });
      }
    }
    return finder.decide();
  }

  void add(const NcuLaunch& launch, DecimalMark mark) {
    Figures figures;
    for (const NcuCell& cell : launch.cells) {
      const std::string& metric = table_.metrics[cell.metric];
      const std::optional<double> value = parse_number(cell.text, mark);
      if (!value) {
        if (metric.starts_with(attribute_prefix)) {
          device_texts_.try_emplace(metric, cell.text);
        } else if (std::ranges::find(time_metrics, metric) != time_metrics.end()) {
          fail(fmt::format("{} is no number: '{}'", where(cell), printable(cell.text)));
        }
        continue;  // some metrics are text
      }
      const std::string& unit_text = table_.units[cell.unit];
      const std::optional<UnitScale> unit = parse_unit(unit_text);
      if (!unit) {
        unknown_units_.try_emplace(metric, unit_text);
        continue;
      }
      const Figure figure{cell.metric, unit->is_time, unit->is_hertz, *value * unit->factor};
      // Beyond it, means and sums of figures would not be finite.
      constexpr double largest = 1e300;
      if (std::abs(figure.value) > largest) {
        fail(fmt::format("{}: no counter is as large as '{}'", where(cell), printable(cell.text)));
      }
      if (metric.starts_with(attribute_prefix)) {
        device_figures_.try_emplace(metric, figure);
      } else {
        scaled_ = scaled_ || unit->scaled;
        figures.push_back(figure);
      }
    }
    Group& group = group_of(launch);
    group.launches.push_back(std::move(figures));
  }

  Group& group_of(const NcuLaunch& launch) {
    if (launch.kernel.empty()) {
      fail(
          fmt::format("{}: launch {} has no kernel name; export it again with ncu --csv --page raw",
                      options_.file, printable(launch.id)));
    }
    ForeignKernel kernel;
    kernel.name = plain_text(launch.kernel);
    if (kernel.name.size() > longest_function_name) {
      fail(
          fmt::format("{}: the kernel name of launch {} is longer than {} bytes; export with "
                      "--print-kernel-base function",
                      options_.file, printable(launch.id), longest_function_name));
    }
    kernel.grid = parse_extents(launch.grid);
    kernel.block = parse_extents(launch.block);
    const auto [at, is_new] = positions_.emplace(kernel.label(), groups_.size());
    if (is_new) {
      groups_.push_back({std::move(kernel), {}});
    }
    return groups_[at->second];
  }

  /// The median of every metric over the launches.
  [[nodiscard]] Counters counters_of(const Group& group) const {
    std::map<std::uint32_t, std::vector<double>> values;
    for (const Figures& figures : group.launches) {
      for (const Figure& figure : figures) {
        values[figure.metric].push_back(figure.value);
      }
    }
    Counters counters{"ncu", "", {}};
    for (const auto& [metric, all] : values) {
      counters.values.emplace(table_.metrics[metric], median(all).value());
    }
    if (counters.values.empty()) {
      counters.refused = "the export holds no figure of this kernel";
    }
    return counters;
  }

  static std::optional<double> median_counter(const Counters& counters, std::string_view metric) {
    const auto found = counters.values.find(metric);
    return found == counters.values.end() ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] std::optional<ClockConditions> clocks_of(const Group& group,
                                                         const Counters& counters) const {
    std::vector<double> clocks;
    for (const Figures& figures : group.launches) {
      if (const std::optional<double> clock = known_.sm_clock_hz(figures)) {
        clocks.push_back(*clock);
      }
    }
    if (clocks.empty()) {
      return std::nullopt;
    }
    ClockConditions conditions;
    conditions.readings = clocks.size();
    conditions.sm_clock_hz = median(clocks);
    conditions.min_sm_clock_hz = std::ranges::min(clocks);
    conditions.max_sm_clock_hz = std::ranges::max(clocks);
    const auto memory = median_counter(counters, "dram__cycles_elapsed.avg.per_second");
    if (memory && *memory > 0.0) {
      conditions.memory_clock_hz = memory;
    }
    return conditions;
  }

  void add_entry(const Group& group) {
    Counters counters = counters_of(group);
    std::vector<double> samples_s;
    for (const Figures& figures : group.launches) {
      if (const std::optional<double> time = known_.time_s(figures)) {
        samples_s.push_back(*time);
      }
    }
    if (samples_s.empty()) {
      SkippedMeasurement skipped;
      skipped.foreign = group.kernel;
      skipped.reason = "the export holds no time of it; profile with gpu__time_duration.sum";
      skipped.counters = std::move(counters);
      imported_.recording.skipped.push_back(std::move(skipped));
      return;
    }
    Measurement entry;
    entry.foreign = group.kernel;
    entry.median_s = median(samples_s).value();
    entry.samples_s = std::move(samples_s);
    const auto occupancy = median_counter(counters, "sm__maximum_warps_per_active_cycle_pct");
    constexpr double percent = 0.01;
    if (occupancy && percent * *occupancy > 0.0) {
      entry.occupancy = percent * *occupancy;
    }
    entry.clocks = clocks_of(group, counters);
    entry.counters = std::move(counters);
    imported_.recording.entries.push_back(std::move(entry));
  }

  [[nodiscard]] std::optional<double> attribute(std::string_view name) const {
    const auto found = device_figures_.find(fmt::format("{}{}", attribute_prefix, name));
    return found == device_figures_.end() ? std::nullopt : std::optional(found->second.value);
  }

  [[nodiscard]] std::optional<std::int64_t> whole_attribute(std::string_view name) const {
    constexpr double most = 9007199254740992.0;  // 2^53
    const std::optional<double> value = attribute(name);
    return value && *value >= 1.0 && *value <= most && *value == std::floor(*value)
               ? std::optional(static_cast<std::int64_t>(*value))
               : std::nullopt;
  }

  /// CUDA tells clocks in kHz, which the export may state as a unit or leave out.
  [[nodiscard]] std::optional<double> clock_attribute(std::string_view name) const {
    constexpr double hertz_per_khz = 1e3;
    const auto found = device_figures_.find(fmt::format("{}{}", attribute_prefix, name));
    if (found == device_figures_.end() || found->second.value <= 0.0) {
      return std::nullopt;
    }
    return found->second.value * (found->second.is_hertz ? 1.0 : hertz_per_khz);
  }

  [[nodiscard]] DeviceAttributes attributes() const {
    DeviceAttributes device;
    const NcuLaunch& launch = table_.launches.front();
    const auto name = device_texts_.find(fmt::format("{}display_name", attribute_prefix));
    if (name != device_texts_.end()) {
      device.name = plain_text(name->second, longest_text);
    } else if (!is_number(launch.device)) {
      device.name = plain_text(launch.device, longest_text);
    }
    if (!launch.compute_capability.empty()) {
      device.compute_capability = plain_text(launch.compute_capability, longest_text);
      std::ranges::replace(*device.compute_capability, ',', '.');
    }
    device.sm_count = whole_attribute("multiprocessor_count");
    device.clock_rate_hz = clock_attribute("clock_rate");
    device.memory_clock_hz = clock_attribute("memory_clock_rate");
    device.memory_bus_bits = whole_attribute("global_memory_bus_width");
    device.memory_bytes = whole_attribute("total_memory");
    device.l2_bytes = whole_attribute("l2_cache_size");
    device.shared_bytes_per_block = whole_attribute("max_shared_memory_per_block_optin");
    device.shared_bytes_per_sm = whole_attribute("max_shared_memory_per_multiprocessor");
    device.threads_per_sm = whole_attribute("max_threads_per_multiprocessor");
    return device;
  }

  void warn() {
    if (scaled_) {
      imported_.warnings.emplace_back(
          "the figures were rounded when ncu scaled their units; export with --print-units base to "
          "keep all digits");
    }
    if (!unknown_units_.empty()) {
      const auto& [metric, unit] = *unknown_units_.begin();
      imported_.warnings.push_back(
          fmt::format("{} metrics are left out: their units are not known, such as '{}' of {}",
                      unknown_units_.size(), printable(unit), metric));
    }
    if (!table_.unknown_labels.empty()) {
      imported_.warnings.push_back(fmt::format(
          "{} figures are left out: page details does not tell their metrics, such as '{}'; "
          "export with --page raw",
          table_.unknown_labels.size(), printable(table_.unknown_labels.front())));
    }
  }

  const ImportOptions& options_;
  NcuTable table_;
  KnownMetrics known_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::map<std::string, Figure, std::less<>> device_figures_;
  std::map<std::string, std::string, std::less<>> device_texts_;
  std::map<std::string, std::string> unknown_units_;
  bool scaled_ = false;
  Imported imported_;
};

}  // namespace

Imported import_ncu(std::string_view text, const ImportOptions& options) {
  return NcuImport(read_ncu_table(text, options.file), options).import();
}

}  // namespace perfmodel::profiling
