#include "reports/comparison_report.hpp"

#include <fmt/format.h>

#include <map>

#include "model/text.hpp"
#include "reports/cells.hpp"
#include "reports/tone.hpp"

namespace perfmodel::reports {
namespace {

using Json = nlohmann::ordered_json;

/// Text from recordings as a report may show it: whole, but harmless.
std::string safe(std::string_view text) { return printable(text, longest_function_name); }

Cell safe_cell(std::string_view text) { return text_cell(safe(text)); }

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Begin and end of a long label: shape and parameters stand at the end.
std::string shortened(const std::string& label) {
  constexpr std::size_t longest = 36;
  constexpr std::size_t begin_bytes = 20;
  std::string text = safe(label);
  if (text.size() <= longest) {
    return text;
  }
  std::size_t begin = begin_bytes;
  while (begin > 0 && continues_character(text[begin])) {
    --begin;
  }
  std::size_t end = text.size() - (longest - begin_bytes - 3);
  while (end < text.size() && continues_character(text[end])) {
    ++end;
  }
  return text.substr(0, begin) + "..." + text.substr(end);
}

Cell label_cell(const std::string& label) { return {shortened(label), safe(label)}; }

Cell change_cell(const std::optional<double>& ratio) {
  return ratio ? Cell{percent_cell(*ratio - 1.0, true).text, full_precision(*ratio)} : no_cell();
}

Cell optional_percent(const std::optional<double>& fraction) {
  return fraction ? percent_cell(*fraction) : no_cell();
}

Cell optional_figure(const std::optional<double>& value, int digits, double scale = 1.0) {
  return value ? significant_cell(*value, digits, scale) : no_cell();
}

double time_ratio(const KernelComparison& kernel) {
  return kernel.ratio ? kernel.ratio->value : kernel.b.time_s / kernel.a.time_s;
}

std::string percent_text(double fraction) { return fmt::format("{:.3g} %", 100.0 * fraction); }

Table time_table(const RecordingComparison& comparison) {
  Table table;
  table.title = "Times, B against A";
  table.columns = {{"kernel", "kernel", Align::left},
                   {"verdict", "verdict", Align::left},
                   {"change", "ratio"},
                   {"from", "ratio_low"},
                   {"to", "ratio_high"},
                   {"A ms", "time_a_s"},
                   {"B ms", "time_b_s"},
                   {"", "is_regression", Align::left}};
  for (const KernelComparison& kernel : comparison.kernels) {
    const auto end = [&](double RatioInterval::* which) {
      return kernel.ratio ? change_cell((*kernel.ratio).*which) : no_cell();
    };
    table.rows.push_back(
        {label_cell(kernel.label), verdict_cell(to_string(kernel.change), tone_of(kernel.change)),
         change_cell(time_ratio(kernel)), end(&RatioInterval::low), end(&RatioInterval::high),
         significant_cell(kernel.a.time_s, 4, 1e3), significant_cell(kernel.b.time_s, 4, 1e3),
         Cell{kernel.is_regression ? "fails" : "", kernel.is_regression ? "true" : "false"}});
  }
  return table;
}

Table roofline_table(const RecordingComparison& comparison) {
  Table table;
  table.title = "Under the roofs";
  table.columns = {{"kernel", "kernel", Align::left}, {"FLOP/byte", "arithmetic_intensity"},
                   {"A GFLOP/s", "flop_per_s_a"},     {"B GFLOP/s", "flop_per_s_b"},
                   {"A roof", "share_of_roof_a"},     {"B roof", "share_of_roof_b"},
                   {"A peak", "share_of_peak_a"},     {"B peak", "share_of_peak_b"}};
  for (const KernelComparison& kernel : comparison.kernels) {
    if (!kernel.a.flop_per_s) {
      continue;
    }
    table.rows.push_back(
        {label_cell(kernel.label), optional_figure(kernel.arithmetic_intensity, 4),
         optional_figure(kernel.a.flop_per_s, 5, 1e-9),
         optional_figure(kernel.b.flop_per_s, 5, 1e-9), optional_percent(kernel.a.share_of_roof),
         optional_percent(kernel.b.share_of_roof), optional_percent(kernel.a.share_of_peak),
         optional_percent(kernel.b.share_of_peak)});
  }
  return table;
}

/// Two columns: the kernel, and what is to be said of it.
Table remark_table(std::string title, std::string column) {
  Table table;
  table.title = std::move(title);
  table.columns = {{"kernel", "kernel", Align::left}, {column, column, Align::left}};
  return table;
}

Table ledger_table(const RecordingComparison& comparison) {
  Table table;
  table.title = "What changed in the ledger";
  table.columns = {{"kernel", "kernel", Align::left},
                   {"figure", "figure", Align::left},
                   {"A", "a"},
                   {"B", "b"},
                   {"change", "ratio"}};
  for (const KernelComparison& kernel : comparison.kernels) {
    for (const LedgerChange& change : kernel.ledger_changes) {
      table.rows.push_back({label_cell(kernel.label), safe_cell(change.name),
                            significant_cell(change.a, 6), significant_cell(change.b, 6),
                            change.a != 0.0 ? change_cell(change.b / change.a) : no_cell()});
    }
  }
  return table;
}

Table condition_table(const RecordingComparison& comparison) {
  Table table;
  table.title = "Conditions that differ";
  table.columns = {{"condition", "condition", Align::left},
                   {"A", "a", Align::left},
                   {"B", "b", Align::left},
                   {"what it means", "consequence", Align::left}};
  constexpr std::size_t longest = 16;
  for (const ConditionDifference& condition : comparison.conditions) {
    table.rows.push_back({text_cell(condition.what),
                          {printable(condition.a, longest), safe(condition.a)},
                          {printable(condition.b, longest), safe(condition.b)},
                          text_cell(condition.consequence)});
  }
  return table;
}

void append(Document& document, Table table) {
  if (!table.rows.empty()) {
    document.parts.emplace_back(std::move(table));
  }
}

/// "Ledgers. 7 kernels: source ledger, launch figures. 1 kernel: none."
std::string ledger_bases(const RecordingComparison& comparison) {
  std::map<std::string, std::size_t> counts;
  for (const KernelComparison& kernel : comparison.kernels) {
    ++counts[kernel.ledger_basis];
  }
  std::string text = "Ledgers compared.";
  for (const auto& [basis, count] : counts) {
    text += fmt::format(" {} kernel{}: {}.", count, count == 1 ? "" : "s", basis);
  }
  return text;
}

std::string margin_text(const RecordingComparison& comparison) {
  return fmt::format(
      "SAME: certainly within {}. From and to are a 99 % interval that includes the {} by which "
      "two "
      "runs of the same code differ, the clock and the event timer.",
      percent_text(comparison.margins.same), percent_text(comparison.margins.between_runs));
}

Document make_document(const RecordingComparison& comparison) {
  Document document;
  document.title = fmt::format("{} ({}) against {} ({})", safe(comparison.name_b),
                               comparison.device_b, safe(comparison.name_a), comparison.device_a);
  document.parts.emplace_back(Paragraph{comparison_summary(comparison) + "."});
  document.parts.emplace_back(Paragraph{margin_text(comparison)});
  if (comparison.fail_slower) {
    document.parts.emplace_back(
        Paragraph{fmt::format("Certainly slower by more than {}: {}.",
                              percent_text(*comparison.fail_slower), comparison.regressions())});
  }
  append(document, time_table(comparison));
  Table unsure = remark_table("Unsure, and why", "reason");
  Table notes = remark_table("Remarks", "remark");
  for (const KernelComparison& kernel : comparison.kernels) {
    if (!kernel.reason.empty()) {
      unsure.rows.push_back({label_cell(kernel.label), safe_cell(kernel.reason)});
    }
    for (const std::string& note : kernel.notes) {
      notes.rows.push_back({label_cell(kernel.label), safe_cell(note)});
    }
  }
  append(document, std::move(unsure));
  Table roofline = roofline_table(comparison);
  if (!roofline.rows.empty()) {
    document.parts.emplace_back(std::move(roofline));
    document.parts.emplace_back(
        Paragraph{"\nRoof: share of FLOP/byte times the DRAM bandwidth; above 100 % caches served "
                  "some bytes. Peak: share of the device's FMA peak at the recording's clock."});
  }
  append(document, ledger_table(comparison));
  if (!comparison.kernels.empty()) {
    document.parts.emplace_back(Paragraph{"\n" + ledger_bases(comparison)});
  }
  append(document, std::move(notes));
  append(document, condition_table(comparison));
  Table uncompared = remark_table("Not compared", "reason");
  for (const UncomparedKernel& kernel : comparison.uncompared) {
    uncompared.rows.push_back({label_cell(kernel.label), safe_cell(kernel.reason)});
  }
  append(document, std::move(uncompared));
  return document;
}

std::string ledger_text(const KernelComparison& kernel) {
  std::vector<std::string> parts;
  for (const LedgerChange& change : kernel.ledger_changes) {
    parts.push_back(fmt::format("{}: {:.6g} to {:.6g}", change.name, change.a, change.b));
  }
  return join(parts, "; ");
}

/// The verdict that stands where there is nothing to compare.
std::string_view verdict_of(const UncomparedKernel& kernel) {
  return kernel.wrong_in_a || kernel.wrong_in_b ? "WRONG RESULTS" : "NOT COMPARED";
}

Table flat_table(const RecordingComparison& comparison) {
  Table table = time_table(comparison);
  const std::vector<Column> more = {
      {"", "samples_a"},       {"", "samples_b"},       {"", "arithmetic_intensity"},
      {"", "flop_per_s_a"},    {"", "flop_per_s_b"},    {"", "share_of_roof_a"},
      {"", "share_of_roof_b"}, {"", "share_of_peak_a"}, {"", "share_of_peak_b"},
      {"", "sm_clock_a_hz"},   {"", "sm_clock_b_hz"},   {"", "reason"},
      {"", "ledger_changes"},  {"", "remarks"}};
  table.columns.insert(table.columns.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < comparison.kernels.size(); ++i) {
    const KernelComparison& kernel = comparison.kernels[i];
    std::vector<Cell>& row = table.rows[i];
    row.push_back(text_cell(std::to_string(kernel.a.samples)));
    row.push_back(text_cell(std::to_string(kernel.b.samples)));
    for (const std::optional<double>& figure :
         {kernel.arithmetic_intensity, kernel.a.flop_per_s, kernel.b.flop_per_s,
          kernel.a.share_of_roof, kernel.b.share_of_roof, kernel.a.share_of_peak,
          kernel.b.share_of_peak, kernel.a.sm_clock_hz, kernel.b.sm_clock_hz}) {
      row.push_back(optional_figure(figure, 6));
    }
    row.push_back(safe_cell(kernel.reason));
    row.push_back(safe_cell(ledger_text(kernel)));
    row.push_back(safe_cell(join(kernel.notes, "; ")));
  }
  const std::size_t reason_column = table.columns.size() - 3;
  for (const UncomparedKernel& kernel : comparison.uncompared) {
    std::vector<Cell> row(table.columns.size());
    row[0] = label_cell(kernel.label);
    row[1] = text_cell(verdict_of(kernel));
    row[reason_column] = safe_cell(kernel.reason);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json side_json(const ComparedTime& side) {
  return {{"time_s", side.time_s},
          {"samples", side.samples},
          {"sm_clock_hz", optional_json(side.sm_clock_hz)},
          {"flop_per_s", optional_json(side.flop_per_s)},
          {"share_of_roof", optional_json(side.share_of_roof)},
          {"share_of_peak", optional_json(side.share_of_peak)}};
}

Json kernel_json(const KernelComparison& kernel) {
  Json changes = Json::array();
  for (const LedgerChange& change : kernel.ledger_changes) {
    changes.push_back({{"figure", change.name}, {"a", change.a}, {"b", change.b}});
  }
  Json ratio = nullptr;
  if (kernel.ratio) {
    ratio = {
        {"value", kernel.ratio->value}, {"low", kernel.ratio->low}, {"high", kernel.ratio->high}};
  }
  return {{"kernel", kernel.label},
          {"verdict", to_string(kernel.change)},
          {"reason", kernel.reason.empty() ? Json(nullptr) : Json(kernel.reason)},
          {"ratio", std::move(ratio)},
          {"is_regression", kernel.is_regression},
          {"a", side_json(kernel.a)},
          {"b", side_json(kernel.b)},
          {"arithmetic_intensity", optional_json(kernel.arithmetic_intensity)},
          {"ledger_changes", std::move(changes)},
          {"ledger_basis", kernel.ledger_basis},
          {"remarks", kernel.notes}};
}

Json make_json(const RecordingComparison& comparison) {
  Json conditions = Json::array();
  for (const ConditionDifference& condition : comparison.conditions) {
    conditions.push_back({{"condition", condition.what},
                          {"a", condition.a},
                          {"b", condition.b},
                          {"consequence", condition.consequence}});
  }
  Json kernels = Json::array();
  for (const KernelComparison& kernel : comparison.kernels) {
    kernels.push_back(kernel_json(kernel));
  }
  Json uncompared = Json::array();
  for (const UncomparedKernel& kernel : comparison.uncompared) {
    uncompared.push_back(
        {{"kernel", kernel.label}, {"verdict", verdict_of(kernel)}, {"reason", kernel.reason}});
  }
  return {{"schema", "perfmodel.comparison/1"},
          {"a", {{"recording", comparison.name_a}, {"device", comparison.device_a}}},
          {"b", {{"recording", comparison.name_b}, {"device", comparison.device_b}}},
          {"same_margin", comparison.margins.same},
          {"between_runs", comparison.margins.between_runs},
          {"fail_slower", optional_json(comparison.fail_slower)},
          {"counts",
           {{"same", comparison.count(Change::same)},
            {"faster", comparison.count(Change::faster)},
            {"slower", comparison.count(Change::slower)},
            {"unsure", comparison.count(Change::unsure)},
            {"regressions", comparison.regressions()},
            {"wrong_results_in_b", comparison.wrong_in_b()}}},
          {"conditions", std::move(conditions)},
          {"kernels", std::move(kernels)},
          {"uncompared", std::move(uncompared)},
          {"warnings", comparison.warnings}};
}

}  // namespace

std::string comparison_summary(const RecordingComparison& comparison) {
  std::string text =
      fmt::format("{} kernel{}: {} SLOWER, {} FASTER, {} SAME, {} UNSURE",
                  comparison.kernels.size(), comparison.kernels.size() == 1 ? "" : "s",
                  comparison.count(Change::slower), comparison.count(Change::faster),
                  comparison.count(Change::same), comparison.count(Change::unsure));
  if (!comparison.uncompared.empty()) {
    text += fmt::format("; {} not compared", comparison.uncompared.size());
  }
  return text;
}

std::string change_text(const KernelComparison& kernel) {
  std::string change = percent_cell(time_ratio(kernel) - 1.0, true).text;
  if (!kernel.ratio) {
    return change;
  }
  return fmt::format("{} ({} to {})", change, percent_cell(kernel.ratio->low - 1.0, true).text,
                     percent_cell(kernel.ratio->high - 1.0, true).text);
}

std::string times_text(const KernelComparison& kernel) {
  return fmt::format("{:.4g} ms against {:.4g} ms", kernel.b.time_s * 1e3, kernel.a.time_s * 1e3);
}

Report comparison_report(const RecordingComparison& comparison) {
  return {make_document(comparison), flat_table(comparison), make_json(comparison)};
}

}  // namespace perfmodel::reports
