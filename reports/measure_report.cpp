#include "reports/measure_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/statistics.hpp"
#include "reports/analysis_json.hpp"
#include "reports/cells.hpp"
#include "reports/tone.hpp"

namespace perfmodel::reports {
namespace {

double gflop_per_s(const MeasuredRow& row) { return row.flop / row.measurement.median_s / 1e9; }

Cell check_cell(const Measurement& measurement) {
  if (!measurement.verification) {
    return no_cell();
  }
  const VerificationStatus status = measurement.verification->status;
  return verdict_cell(to_string(status), tone_of(status));
}

Cell optional_count(const std::optional<std::int64_t>& count) {
  return count ? text_cell(std::to_string(*count)) : no_cell();
}

Cell optional_percent(const std::optional<double>& share) {
  return share ? percent_cell(*share) : no_cell();
}

Cell clock_cell(const Measurement& measurement) {
  return measurement.clocks && measurement.clocks->sm_clock_hz
             ? fixed_cell(*measurement.clocks->sm_clock_hz, 0, 1e-6)
             : no_cell();
}

std::string marks(const Measurement& measurement) {
  std::string out;
  if (measurement.noisy.value_or(false)) {
    out += "noisy";
  }
  if (measurement.clocks && measurement.clocks->throttled.value_or(false)) {
    out += out.empty() ? "throttled" : ", throttled";
  }
  return out;
}

/// The kernel's own time beside the samples, where any entry has it.
void add_kernel_times(std::span<const MeasuredRow> rows, Table& table) {
  const bool any = std::ranges::any_of(
      rows, [](const MeasuredRow& row) { return !row.measurement.kernel_durations_s.empty(); });
  if (!any) {
    return;
  }
  table.columns.insert(table.columns.end() - 1,
                       {{"kernel ms", "kernel_duration_s"}, {"events +us", "event_excess_s"}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Measurement& one = rows[i].measurement;
    const std::optional<double> kernel_s = median(one.kernel_durations_s);
    std::vector<Cell>& row = table.rows[i];
    row.insert(row.end() - 1,
               {kernel_s ? fixed_cell(*kernel_s, 4, 1e3) : no_cell(),
                kernel_s ? fixed_cell(one.median_s - *kernel_s, 1, 1e6) : no_cell()});
  }
}

/// A table of values for each entry that has counters, and each reason for having none once.
void add_counters(std::span<const MeasuredRow> rows, Report& report) {
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Measurement& one = rows[i].measurement;
    if (!one.counters) {
      continue;
    }
    nlohmann::ordered_json& json = report.json["rows"][i];
    if (!one.counters->refused.empty()) {
      json["counters_refused"] = one.counters->refused;
      if (std::ranges::find(refusals, one.counters->refused) == refusals.end()) {
        refusals.push_back(one.counters->refused);
      }
      continue;
    }
    Table table;
    table.title =
        fmt::format("Counters of {} at {} ({})", one.kernel,
                    one.note.empty() ? one.shape.to_string() : one.note, one.counters->source);
    table.columns = {{"metric", "metric", Align::left}, {"value", "value"}};
    for (const auto& [metric, value] : one.counters->values) {
      table.rows.push_back(
          {text_cell(metric), Cell{fmt::format("{:.10g}", value), full_precision(value)}});
      json["counters"][metric] = value;
    }
    report.document.parts.emplace_back(std::move(table));
  }
  for (const std::string& refusal : refusals) {
    report.document.parts.emplace_back(Paragraph{"No hardware counters: " + refusal});
  }
}

Document document_of(const Recording& recording, std::string_view title) {
  Document document;
  const std::string device =
      recording.device_attributes ? recording.device_attributes->name : recording.device;
  document.title = fmt::format("{} on {}", title, device);
  std::string settings;
  if (recording.settings) {
    settings = fmt::format("; L2 {} before each sample", to_string(recording.settings->cache_mode));
  }
  document.parts.emplace_back(Paragraph{fmt::format(
      "SM clock {:.4g} GHz ({}){}.", recording.clock_hz / 1e9, recording.clock_basis, settings)});
  return document;
}

/// One object per row with the table's keys.
nlohmann::ordered_json rows_json(const Table& table) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      nlohmann::ordered_json& value = object[table.columns[i].key];
      if (row[i].raw.empty()) {
        value = nullptr;
      } else if (table.columns[i].align == Align::right) {
        value = nlohmann::ordered_json::parse(row[i].raw);
      } else {
        value = row[i].raw;
      }
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

Report report_of(const Recording& recording, std::string_view title, std::string_view schema,
                 Table table) {
  Report report;
  report.document = document_of(recording, title);
  report.document.parts.emplace_back(table);
  report.json = {{"schema", schema},
                 {"device", recording.device},
                 {"clock_hz", recording.clock_hz},
                 {"complete", recording.complete},
                 {"rows", rows_json(table)}};
  report.data = std::move(table);
  return report;
}

}  // namespace

Report measure_report(const Recording& recording, std::span<const MeasuredRow> rows,
                      std::span<const std::string> empty) {
  Table table;
  table.columns = {{"kernel", "kernel", Align::left},
                   {"shape", "shape", Align::left},
                   {"median ms", "median_s"},
                   {"min ms", "min_s"},
                   {"quartiles", "interquartile_spread"},
                   {"samples", "samples"},
                   {"GFLOP/s", "flop_per_s"},
                   {"GB/s", "required_bytes_per_s"},
                   {"MHz", "sm_clock_hz"},
                   {"check", "verification", Align::left},
                   {"", "marks", Align::left}};
  for (const MeasuredRow& row : rows) {
    const Measurement& one = row.measurement;
    const std::optional<double> spread = relative_spread(one.samples_s);
    table.rows.push_back(
        {text_cell(one.kernel), text_cell(one.note.empty() ? one.shape.to_string() : one.note),
         fixed_cell(one.median_s, 4, 1e3), fixed_cell(minimum(one.samples_s).value_or(0.0), 4, 1e3),
         optional_percent(spread), text_cell(std::to_string(one.samples_s.size())),
         fixed_cell(row.flop / one.median_s, 1, 1e-9),
         fixed_cell(row.required_bytes / one.median_s, 1, 1e-9), clock_cell(one), check_cell(one),
         text_cell(marks(one))});
  }
  add_kernel_times(rows, table);
  Report report = report_of(recording, "Measured", "perfmodel.measurements/1", std::move(table));
  add_counters(rows, report);
  Document& document = report.document;
  report.json["skipped"] = nlohmann::ordered_json::array();
  for (const SkippedMeasurement& skipped : recording.skipped) {
    document.parts.emplace_back(Paragraph{fmt::format("Skipped: {} at {}: {}.", skipped.kernel,
                                                      skipped.shape.to_string(), skipped.reason)});
    report.json["skipped"].push_back({{"kernel", skipped.kernel},
                                      {"shape", shape_json(skipped.shape)},
                                      {"reason", skipped.reason}});
  }
  for (const std::string& one : empty) {
    document.parts.emplace_back(
        Paragraph{fmt::format("Empty: {} has no outputs, nothing to compute.", one)});
  }
  return report;
}

Report sweep_report(const Recording& recording, std::span<const MeasuredRow> rows) {
  std::vector<const MeasuredRow*> ranked;
  for (const MeasuredRow& row : rows) {
    ranked.push_back(&row);
  }
  std::ranges::stable_sort(ranked, [](const auto* a, const auto* b) {
    return a->measurement.median_s < b->measurement.median_s;
  });
  Table table;
  table.columns = {{"rank", "rank"},
                   {"block", "block_threads"},
                   {"TK", "tk"},
                   {"coarsen", "coarsen"},
                   {"tile", "tile", Align::left},
                   {"shared B", "shared_bytes"},
                   {"blocks/SM", "blocks_per_sm"},
                   {"occupancy", "occupancy"},
                   {"ms", "median_s"},
                   {"GFLOP/s", "flop_per_s"},
                   {"of best", "share_of_best"},
                   {"check", "verification", Align::left}};
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const Measurement& one = ranked[i]->measurement;
    const std::int64_t block = one.shape.extent("block");
    const std::int64_t coarsen = one.shape.extent("coarsen");
    constexpr std::int64_t columns = 32;
    table.rows.push_back(
        {text_cell(std::to_string(i + 1)), text_cell(std::to_string(block)),
         text_cell(std::to_string(one.shape.extent("tk"))), text_cell(std::to_string(coarsen)),
         text_cell(fmt::format("{}x{}", block / columns * coarsen, columns)),
         optional_count(one.shared_bytes_per_block), optional_count(one.blocks_per_sm),
         optional_percent(one.occupancy), fixed_cell(one.median_s, 3, 1e3),
         fixed_cell(ranked[i]->flop / one.median_s, 1, 1e-9),
         percent_cell(ranked.front()->measurement.median_s / one.median_s), check_cell(one)});
  }
  Report report = report_of(recording, "Design space", "perfmodel.sweep/1", std::move(table));
  if (!ranked.empty()) {
    const double ratio = ranked.back()->measurement.median_s / ranked.front()->measurement.median_s;
    report.document.parts.emplace_back(
        Paragraph{fmt::format("The best is {:.2f} times as fast as the worst.", ratio)});
    report.json["best_over_worst"] = ratio;
  }
  for (const SkippedMeasurement& skipped : recording.skipped) {
    report.document.parts.emplace_back(
        Paragraph{fmt::format("Skipped: {}: {}.", skipped.shape.key(), skipped.reason)});
  }
  return report;
}

Report study_report(const Recording& recording, std::span<const MeasuredRow> rows) {
  Table table;
  table.columns = {{"kernel", "kernel", Align::left},
                   {"size", "size"},
                   {"ms", "ms"},
                   {"GFLOP/s", "gflops"},
                   {"GB", "bytes_gb"},
                   {"FLOP/byte", "ai"},
                   {"GB/s", "bw_gbs"},
                   {"occupancy", "occup_theory"},
                   {"check", "check", Align::left}};
  for (const MeasuredRow& row : rows) {
    const Measurement& one = row.measurement;
    const auto size = static_cast<double>(one.shape.extent("n"));
    // Analytic bytes: both operands once per FMA for the naive kernel, once per tile of 16 else.
    constexpr double tile = 16.0;
    const double bytes_per_fma = 4.0 * (one.kernel == "naive" ? 2.0 : 2.0 / tile);
    const double bytes = size * size * size * bytes_per_fma;
    const double milliseconds = one.median_s * 1e3;
    const auto plain = [](double value, int digits) {
      return Cell{fmt::format("{:.{}g}", value, digits), full_precision(value)};
    };
    table.rows.push_back({text_cell(one.kernel), text_cell(fmt::format("{}", size)),
                          plain(milliseconds, 5), plain(gflop_per_s(row), 6), plain(bytes / 1e9, 5),
                          plain(row.flop / bytes, 4), plain(bytes / one.median_s / 1e9, 6),
                          one.occupancy ? fixed_cell(*one.occupancy, 2) : no_cell(),
                          check_cell(one)});
  }
  return report_of(recording, "Scaling study", "perfmodel.study/1", std::move(table));
}

}  // namespace perfmodel::reports
