#include "profiling/import/ncu_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "model/error.hpp"
#include "model/measurement.hpp"
#include "model/text.hpp"
#include "profiling/import/csv_reader.hpp"
#include "profiling/import/metric_unit.hpp"

namespace perfmodel::profiling {
namespace {

constexpr std::string_view remedy = "export with: ncu --csv --page raw --print-units base";

/// A name that page details shows instead of the metric's own.
struct Label {
  std::string_view shown;
  std::string_view metric;
  bool is_rate = false;  ///< only where the unit is one per second
};

// Names and metrics: the section files of Nsight Compute.
constexpr std::array<Label, 34> labels = {{
    {"Duration", "gpu__time_duration.sum"},
    {"Elapsed Cycles", "gpc__cycles_elapsed.max"},
    {"SM Frequency", "smsp__cycles_elapsed.avg.per_second"},
    {"DRAM Frequency", "dram__cycles_elapsed.avg.per_second"},
    {"SM Active Cycles", "sm__cycles_active.avg"},
    {"Memory Throughput", "dram__bytes.sum.per_second", true},
    {"Memory Throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"SM [%]", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
    {"L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L1/TEX Hit Rate", "l1tex__t_sector_hit_rate.pct"},
    {"L2 Hit Rate", "lts__t_sector_hit_rate.pct"},
    {"Mem Busy", "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Max Bandwidth", "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active"},
    {"Executed Ipc Elapsed", "sm__inst_executed.avg.per_cycle_elapsed"},
    {"Issued Ipc Active", "sm__inst_issued.avg.per_cycle_active"},
    {"Executed Instructions", "smsp__inst_executed.sum"},
    {"Issued Instructions", "smsp__inst_issued.sum"},
    {"Avg. Executed Instructions Per Scheduler", "smsp__inst_executed.avg"},
    {"Avg. Issued Instructions Per Scheduler", "smsp__inst_issued.avg"},
    {"Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"},
    {"Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active"},
    {"Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle"},
    {"Registers Per Thread", "launch__registers_per_thread"},
    {"Threads", "launch__thread_count"},
    {"Waves Per SM", "launch__waves_per_multiprocessor"},
    {"Grid Size", "launch__grid_size"},
    {"Block Size", "launch__block_size"},
    {"Static Shared Memory Per Block", "launch__shared_mem_per_block_static"},
    {"Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"},
}};

/// Metrics are named in small letters; the columns that tell launches apart and the names that page
/// details shows begin with a capital one.
bool is_metric(std::string_view name) {
  return is_metric_name(name) && name.front() >= 'a' && name.front() <= 'z';
}

/// The metric that page details shows as `label`; empty where it is not known.
std::string metric_of(const std::string& label, std::string_view unit) {
  if (is_metric(label)) {
    return label;
  }
  const std::optional<UnitScale> scale = parse_unit(unit);
  const bool is_rate = scale && scale->is_hertz;
  for (const Label& one : labels) {
    if (one.shown == label && (!one.is_rate || is_rate)) {
      return std::string(one.metric);
    }
  }
  return {};
}

/// Where the columns of the header stand.
class Header {
 public:
  explicit Header(CsvRecord record) : names_(std::move(record.fields)) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      positions_.emplace(names_[i], i);
    }
    is_long_ = positions_.contains("Metric Name") && positions_.contains("Metric Value");
  }

  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] bool is_long() const { return is_long_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  /// Of the column `name`, which must be there.
  [[nodiscard]] std::size_t position(std::string_view name) const {
    return positions_.find(name)->second;
  }
  /// The field of a record in the column `name`; empty where there is no such column.
  [[nodiscard]] const std::string& field(const CsvRecord& record, std::string_view name) const {
    static const std::string none;
    const auto found = positions_.find(name);
    return found == positions_.end() ? none : record.fields[found->second];
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> positions_;
  bool is_long_ = false;
};

/// The delimiter of a header line, or nothing where the line is none.
std::optional<char> header_delimiter(std::string_view line) {
  for (const char delimiter : {',', ';', '\t'}) {
    for (const std::string_view quote : {"\"", ""}) {
      const std::string id = fmt::format("{}ID{}{}", quote, quote, delimiter);
      const std::string kernel = fmt::format("{}{}Kernel Name{}", delimiter, quote, quote);
      if (line.starts_with(id) && line.find(kernel) != std::string_view::npos) {
        return delimiter;
      }
    }
  }
  return std::nullopt;
}

/// Whether a line begins with the ID of a launch: digits, perhaps in quotes, then a delimiter.
bool is_data_line(std::string_view line, char delimiter) {
  const bool is_quoted = line.starts_with('"');
  line.remove_prefix(is_quoted ? 1 : 0);
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  line.remove_prefix(digits);
  if (is_quoted && !line.starts_with('"')) {
    return false;
  }
  line.remove_prefix(is_quoted ? 1 : 0);
  return digits > 0 && line.starts_with(delimiter);
}

/// Whether a line is the row of units: its first field is empty.
bool is_units_line(std::string_view line, char delimiter) {
  return line.starts_with(delimiter) || line.starts_with(fmt::format("\"\"{}", delimiter));
}

/// Texts that occur many times, numbered from 0 in the order of their first use.
class Numbered {
 public:
  std::uint32_t index_of(const std::string& text) {
    const auto [at, is_new] = positions_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) {
      texts_.push_back(text);
    }
    return at->second;
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> positions_;
};

class TableReader {
 public:
  TableReader(std::string_view text, std::string_view file)
      : file_(file), reader_(text, file, ',') {}

  NcuTable read() {
    while (!reader_.at_end()) {
      const std::string_view line = reader_.line();
      if (const std::optional<char> delimiter = header_delimiter(line)) {
        read_header(*delimiter);
      } else if (header_ && is_data_line(line, delimiter_)) {
        read_row();
      } else {
        reader_.skip_line();
      }
    }
    table_.metrics = metrics_.take();
    table_.units = units_seen_.take();
    table_.unknown_labels.assign(unknown_labels_.begin(), unknown_labels_.end());
    return std::move(table_);
  }

 private:
  void read_header(char delimiter) {
    delimiter_ = delimiter;
    reader_.set_delimiter(delimiter);
    header_.emplace(reader_.record());
    units_.clear();
    by_launch_.clear();
    if (header_->is_long()) {
      return;
    }
    const std::size_t at = reader_.line_number();
    if (reader_.at_end() || !is_units_line(reader_.line(), delimiter)) {
      fail(fmt::format("{}:{}: the row of units that stands below the header is missing; {}", file_,
                       at, remedy));
    }
    CsvRecord units = reader_.record();
    require_whole(units);
    units_ = std::move(units.fields);
  }

  void require_whole(const CsvRecord& record) const {
    if (record.fields.size() != header_->size()) {
      fail(fmt::format(
          "{}:{}: this row has {} fields, but its header has {}: the file is {}", file_,
          record.line, record.fields.size(), header_->size(),
          reader_.at_end() ? "truncated; export it again" : "no export of ncu as it was written"));
    }
  }

  void read_row() {
    CsvRecord record = reader_.record();
    if (header_->is_long() && record.fields.size() < header_->size() &&
        record.fields.size() > header_->position("Metric Value")) {
      // ncu writes the columns of rules only into the rows of rules.
      record.fields.resize(header_->size());
    }
    require_whole(record);
    if (header_->is_long()) {
      add_metric(launch_of(record), record);
      return;
    }
    NcuLaunch& launch = new_launch(record);
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      if (is_metric(header_->names()[i])) {
        add_cell(launch, header_->names()[i], record.fields[i], units_[i], record.line);
      }
    }
  }

  NcuLaunch& new_launch(const CsvRecord& record) {
    NcuLaunch& launch = table_.launches.emplace_back();
    launch.id = header_->field(record, "ID");
    launch.kernel = header_->field(record, "Kernel Name");
    launch.grid = header_->field(record, "Grid Size");
    launch.block = header_->field(record, "Block Size");
    launch.device = header_->field(record, "Device");
    launch.compute_capability = header_->field(record, "CC");
    return launch;
  }

  NcuLaunch& launch_of(const CsvRecord& record) {
    const std::string key =
        header_->field(record, "ID") + " " + header_->field(record, "Process ID");
    const auto [at, is_new] = by_launch_.emplace(key, table_.launches.size());
    return is_new ? new_launch(record) : table_.launches[at->second];
  }

  void add_metric(NcuLaunch& launch, const CsvRecord& record) {
    const std::string& label = header_->field(record, "Metric Name");
    const std::string& unit = header_->field(record, "Metric Unit");
    if (label.empty()) {
      return;  // advice of a rule
    }
    const std::string metric = metric_of(label, unit);
    if (metric.empty()) {
      unknown_labels_.insert(label);
      return;
    }
    add_cell(launch, metric, header_->field(record, "Metric Value"), unit, record.line);
  }

  void add_cell(NcuLaunch& launch, const std::string& metric, std::string text,
                const std::string& unit, std::size_t line) {
    // Values of the single instances may follow: "33 (16; 17)".
    const std::size_t instances = text.ends_with(')') ? text.find(" (") : std::string::npos;
    if (instances != std::string::npos) {
      text.resize(instances);
    }
    static constexpr std::array<std::string_view, 7> nothing = {"",     "n/a", "N/A", "nan",
                                                                "-nan", "inf", "-inf"};
    if (std::ranges::find(nothing, text) == nothing.end()) {
      launch.cells.push_back(
          {metrics_.index_of(metric), units_seen_.index_of(unit), line, std::move(text)});
    }
  }

  std::string_view file_;
  CsvReader reader_;
  char delimiter_ = ',';
  std::optional<Header> header_;
  std::vector<std::string> units_;  ///< of the columns
  Numbered metrics_;
  Numbered units_seen_;
  std::unordered_map<std::string, std::size_t> by_launch_;
  std::set<std::string> unknown_labels_;
  NcuTable table_;
};

}  // namespace

bool has_ncu_header(std::string_view text) {
  CsvReader reader(text, "", ',');
  while (!reader.at_end()) {
    if (header_delimiter(reader.line())) {
      return true;
    }
    reader.skip_line();
  }
  return false;
}

NcuTable read_ncu_table(std::string_view text, std::string_view file) {
  NcuTable table = TableReader(text, file).read();
  if (table.launches.empty()) {
    fail(
        fmt::format("{}: the export holds no kernel launch: none was profiled, or the file is "
                    "truncated; {}",
                    file, remedy));
  }
  return table;
}

}  // namespace perfmodel::profiling
