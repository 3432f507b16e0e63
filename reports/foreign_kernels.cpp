#include "reports/foreign_kernels.hpp"

#include <fmt/format.h>

#include <array>

#include "model/sass/find_function.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

using Json = nlohmann::ordered_json;

/// The first of several names of one figure that was counted: tools and versions differ.
std::optional<double> counter(const Measurement& entry, std::span<const std::string_view> metrics) {
  if (!entry.counters) {
    return std::nullopt;
  }
  for (const std::string_view metric : metrics) {
    const auto found = entry.counters->values.find(metric);
    if (found != entry.counters->values.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 2> instructions = {"smsp__inst_executed.sum",
                                                          "sm__inst_executed.sum"};
constexpr std::array<std::string_view, 1> dram_read = {"dram__bytes_read.sum"};
constexpr std::array<std::string_view, 1> dram_write = {"dram__bytes_write.sum"};
constexpr std::array<std::string_view, 1> dram_bytes = {"dram__bytes.sum"};
constexpr std::array<std::string_view, 2> memory_rate = {"dram__bytes.sum.per_second",
                                                         "nv/cold/bw/global/bytes_per_second"};

/// What moved to and from DRAM a second: counted over measured, or as the tool tells it.
std::optional<double> bytes_per_s(const Measurement& entry) {
  if (const auto bytes = counter(entry, dram_bytes)) {
    return *bytes / entry.median_s;
  }
  const auto read = counter(entry, dram_read);
  const auto write = counter(entry, dram_write);
  if (read && write) {
    return (*read + *write) / entry.median_s;
  }
  return counter(entry, memory_rate);
}

std::string size_text(const std::optional<Extents>& extents) {
  return extents ? fmt::format("{}x{}x{}", (*extents)[0], (*extents)[1], (*extents)[2]) : "";
}

std::string parameters_text(const ForeignKernel& kernel) {
  std::string out;
  for (const auto& [name, value] : kernel.parameters) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  }
  return out;
}

std::string launch_text(const ForeignKernel& kernel) {
  if (!kernel.grid && !kernel.block) {
    return printable(parameters_text(kernel));
  }
  return fmt::format("{} of {}", size_text(kernel.grid), size_text(kernel.block));
}

/// Cut between two characters.
std::string shortened(const std::string& name) {
  constexpr std::size_t longest = 40;
  std::string text = printable(sass::short_name(name), longest_function_name);
  if (text.size() <= longest) {
    return text;
  }
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + "...";
}

Cell scaled_cell(const std::optional<double>& value, int decimals, double scale) {
  return value ? fixed_cell(*value, decimals, scale) : no_cell();
}

std::string sample_count(const Measurement& entry) {
  if (!entry.samples_s.empty()) {
    return std::to_string(entry.samples_s.size());
  }
  return entry.sample_count ? std::to_string(*entry.sample_count) : std::string();
}

}  // namespace

Table foreign_kernel_table(std::span<const Measurement> entries) {
  Table table;
  table.columns = {{"function", "function", Align::left},
                   {"launch", "launch", Align::left},
                   {"samples", "samples"},
                   {"ms", "time_s"},
                   {"", "time_is", Align::left},
                   {"min ms", "min_s"},
                   {"DRAM GB/s", "dram_bytes_per_s"},
                   {"Minst", "warp_instructions"},
                   {"MHz", "sm_clock_hz"},
                   {"counters", "counters"}};
  for (const Measurement& entry : entries) {
    const ForeignKernel& kernel = entry.foreign.value();
    const std::string launch = launch_text(kernel);
    const std::size_t counters = entry.counters ? entry.counters->values.size() : 0;
    table.rows.push_back(
        {{shortened(kernel.name), kernel.name},
         {launch, kernel.grid || kernel.block ? launch : parameters_text(kernel)},
         text_cell(sample_count(entry)),
         fixed_cell(entry.median_s, 4, 1e3),
         text_cell(entry.is_mean ? "mean" : "median"),
         scaled_cell(minimum(entry.samples_s), 4, 1e3),
         scaled_cell(bytes_per_s(entry), 1, 1e-9),
         scaled_cell(counter(entry, instructions), 3, 1e-6),
         scaled_cell(entry.clocks ? entry.clocks->sm_clock_hz : std::nullopt, 0, 1e-6),
         text_cell(std::to_string(counters))});
  }
  return table;
}

void append_foreign_kernels(Document& document, std::span<const Measurement> entries) {
  if (entries.empty()) {
    return;
  }
  Table table = foreign_kernel_table(entries);
  table.title = "Not in the catalogue";
  document.parts.emplace_back(std::move(table));
  document.parts.emplace_back(Paragraph{
      "\nWithout a ledger these are only listed. What they do can be counted from their machine "
      "code: give --cubin and --launch to perfmodel ledger."});
}

Json foreign_kernels_json(std::span<const Measurement> entries) {
  Json all = Json::array();
  for (const Measurement& entry : entries) {
    const ForeignKernel& kernel = entry.foreign.value();
    Json one = {{"function", kernel.name},
                {"grid", nullptr},
                {"block", nullptr},
                {"parameters", Json::object()},
                {"median_s", nullptr},
                {"mean_s", nullptr},
                {"samples_s", entry.samples_s},
                {"counters", Json::object()},
                {"missing", no_ledger}};
    if (kernel.grid) {
      one["grid"] = *kernel.grid;
    }
    if (kernel.block) {
      one["block"] = *kernel.block;
    }
    for (const auto& [name, value] : kernel.parameters) {
      one["parameters"][name] = value;
    }
    one[entry.is_mean ? "mean_s" : "median_s"] = entry.median_s;
    if (entry.counters) {
      for (const auto& [metric, value] : entry.counters->values) {
        one["counters"][metric] = value;
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace perfmodel::reports
