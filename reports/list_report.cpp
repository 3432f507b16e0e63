#include "reports/list_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/sass/find_function.hpp"
#include "model/text.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

/// The table is the whole report; its JSON is one object per row.
Report from_table(Table table, std::string_view what) {
  Report report;
  report.document.title = fmt::format("{}: {}", what, table.rows.size());
  report.json = {{"schema", "perfmodel.list/1"}, {what, nlohmann::ordered_json::array()}};
  for (const auto& row : table.rows) {
    nlohmann::ordered_json item = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_figure = table.columns[i].align == Align::right && !row[i].raw.empty();
      item[table.columns[i].key] = is_figure ? nlohmann::ordered_json::parse(row[i].raw)
                                             : nlohmann::ordered_json(row[i].raw);
    }
    report.json[std::string(what)].push_back(std::move(item));
  }
  report.document.parts.emplace_back(table);
  report.data = std::move(table);
  return report;
}

Cell integer_cell(std::int64_t value) { return text_cell(std::to_string(value)); }

}  // namespace

Report device_list(std::span<const Device> devices) {
  Table table;
  table.columns = {{"name", "name", Align::left},
                   {"arch", "architecture", Align::left},
                   {"SMs", "sm_count"},
                   {"GHz", "clock_hz"},
                   {"FMA/clk/SM", "fma_per_clk_per_sm"},
                   {"GFLOP/s", "peak_flop_per_s"},
                   {"GB/s", "dram_bytes_per_s"},
                   {"L2 MiB", "l2_bytes"},
                   {"clock bases", "clock_bases", Align::left}};
  constexpr double per_mib = 1.0 / (1 << 20);
  for (const Device& device : devices) {
    const double clock_hz = device.clocks.front().clock_hz.value;
    std::vector<std::string> bases;
    for (const ClockBasis& basis : device.clocks) {
      bases.push_back(basis.name);
    }
    table.rows.push_back({text_cell(device.name), text_cell(device.architecture),
                          integer_cell(device.sm_count.value), fixed_cell(clock_hz, 3, 1e-9),
                          integer_cell(device.fma_per_clk_per_sm.value),
                          fixed_cell(device.peak_flop_per_s(clock_hz), 0, 1e-9),
                          fixed_cell(device.dram_bytes_per_s.value, 0, 1e-9),
                          device.l2_bytes
                              ? fixed_cell(static_cast<double>(device.l2_bytes->value), 0, per_mib)
                              : no_cell(),
                          text_cell(join(bases, " "))});
  }
  return from_table(std::move(table), "devices");
}

Report kernel_list(std::span<const KernelSpec> kernels) {
  Table table;
  table.columns = {{"name", "name", Align::left},
                   {"family", "family", Align::left},
                   {"shape", "dimensions", Align::left},
                   {"summary", "summary", Align::left}};
  for (const KernelSpec& kernel : kernels) {
    table.rows.push_back({text_cell(kernel.name), text_cell(kernel.family),
                          text_cell(join(kernel.dimensions, " x ")), text_cell(kernel.summary)});
  }
  return from_table(std::move(table), "kernels");
}

Report recording_list(std::span<const Recording> recordings) {
  Table table;
  table.columns = {{"device", "device", Align::left},
                   {"name", "name", Align::left},
                   {"kind", "kind", Align::left},
                   {"entries", "entries"},
                   {"source", "source", Align::left}};
  for (const Recording& recording : recordings) {
    table.rows.push_back({text_cell(recording.device), text_cell(recording.name),
                          text_cell(to_string(recording.source_kind)),
                          integer_cell(static_cast<std::int64_t>(recording.entries.size())),
                          text_cell(recording.source)});
  }
  return from_table(std::move(table), "recordings");
}

Report model_list(std::span<const CostModel> models) {
  Table table;
  table.columns = {{"name", "name", Align::left},
                   {"prices", "prices", Align::left},
                   {"default references", "default_references", Align::left},
                   {"summary", "summary", Align::left}};
  for (const CostModel& model : models) {
    table.rows.push_back({text_cell(model.name), text_cell(join(model.column_names(), " ")),
                          text_cell(join(model.default_references, " ")),
                          text_cell(model.summary)});
  }
  return from_table(std::move(table), "models");
}

Report function_list(std::span<const sass::KernelSummary> functions) {
  Table table;
  table.columns = {
      {"name", "name", Align::left},        {"arch", "arch", Align::left},
      {"registers", "registers"},           {"shared B", "static_shared_bytes"},
      {"local B", "local_bytes"},           {"parameter bytes", "parameter_bytes", Align::left},
      {"function", "function", Align::left}};
  constexpr std::size_t longest_name = 400;
  const auto described_cell = [](bool described, std::uint32_t value) {
    return described ? integer_cell(value) : no_cell();
  };
  for (const sass::KernelSummary& function : functions) {
    std::vector<std::string> sizes;
    for (const sass::Parameter& parameter : function.parameters) {
      sizes.push_back(std::to_string(parameter.size_bytes));
    }
    table.rows.push_back(
        {text_cell(printable(sass::short_name(function.name), longest_name)),
         text_cell(function.arch), described_cell(function.described, function.registers),
         described_cell(function.described, function.static_shared_bytes),
         described_cell(function.described, function.local_bytes), text_cell(join(sizes, " ")),
         text_cell(printable(function.name, longest_name))});
  }
  return from_table(std::move(table), "functions");
}

Report metric_list(std::span<const MetricSet> sets, const ChipMetrics* chip) {
  Table table;
  table.columns = {{"set", "set", Align::left}, {"metric", "metric", Align::left}};
  if (chip != nullptr) {
    table.columns.push_back({"on chip", "available", Align::left});
    table.columns.push_back({"unit", "unit", Align::left});
  }
  table.columns.push_back({"what it counts", "meaning", Align::left});
  for (const MetricSet& set : sets) {
    for (const MetricChoice& metric : set.metrics) {
      std::string name = metric.name;
      bool available = false;
      std::string unit;
      if (chip != nullptr) {
        const auto has = [&](const std::string& wanted) {
          return std::ranges::find(chip->available, wanted) != chip->available.end();
        };
        if (!has(name) && has(metric.alternative)) {
          name = metric.alternative;
        }
        available = has(name);
        const auto found = std::ranges::find(chip->properties, name.substr(0, name.find('.')),
                                             &MetricProperties::name);
        unit = found == chip->properties.end() ? "" : found->dimension;
      }
      std::vector<Cell>& row = table.rows.emplace_back();
      row = {text_cell(set.name), text_cell(name)};
      if (chip != nullptr) {
        row.push_back(text_cell(available ? "yes" : "no"));
        row.push_back(text_cell(printable(unit)));
      }
      row.push_back(text_cell(metric.meaning));
    }
  }
  Report report = from_table(std::move(table), "metrics");
  if (chip != nullptr) {
    report.document.parts.emplace_back(Paragraph{fmt::format(
        "Chip {} has {} metrics in all (--all); all of the above together take {} passes.",
        printable(chip->chip), chip->properties.size(), chip->passes)});
    report.json["chip"] = chip->chip;
    report.json["passes"] = chip->passes;
  }
  return report;
}

Report chip_metric_list(const ChipMetrics& chip, std::string_view match) {
  constexpr std::size_t longest = 300;
  Table table;
  table.columns = {{"metric", "metric", Align::left},
                   {"unit", "unit", Align::left},
                   {"what it counts", "description", Align::left}};
  for (const MetricProperties& one : chip.properties) {
    if (one.name.find(match) == std::string::npos &&
        one.description.find(match) == std::string::npos) {
      continue;
    }
    table.rows.push_back({text_cell(printable(one.name, longest)),
                          text_cell(printable(one.dimension, longest)),
                          text_cell(printable(one.description, longest))});
  }
  Report report = from_table(std::move(table), "metrics");
  report.json["chip"] = chip.chip;
  return report;
}

}  // namespace perfmodel::reports
