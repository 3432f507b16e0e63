#include "reports/ledger_report.hpp"

#include <fmt/format.h>

#include "reports/analysis_json.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {

Report ledger_report(const KernelSpec& kernel, const Shape& shape, const SourceLedger& ledger) {
  Report report;
  Table& table = report.data;
  table.title = "Counted in the source, per useful FMA";
  table.columns = {{"ledger", "ledger", Align::left},
                   {"count", "count"},
                   {"exact", "exact"},
                   {"meaning", "meaning", Align::left}};
  const auto add = [&](std::string_view name, const Rational& count, std::string_view meaning) {
    const std::string exact = to_fraction(count);
    constexpr std::size_t longest_shown = 16;
    table.rows.push_back({text_cell(name), count_cell(count),
                          Cell{exact.size() <= longest_shown ? exact : "", exact},
                          text_cell(meaning)});
  };
  add("dist", ledger.dist, "distinct shared reads per FMA");
  add("bcast", ledger.bcast, "broadcast shared reads per FMA");
  add("ldg", ledger.ldg, "global loads per FMA");
  add("loads_per_fma", ledger.loads_per_fma(), "all loads per FMA");
  add("requests_per_fma", ledger.requests_per_fma, "128-byte lines a warp asks for per FMA");
  add("coalesced_requests_per_fma", ledger.coalesced_requests_per_fma,
      "the same if neighbouring lanes read neighbouring elements");
  add("bytes_per_output", ledger.bytes_per_output, "global bytes loaded and stored per output");
  add("arithmetic_intensity", ledger.arithmetic_intensity, "FLOP per byte");
  add("executed_per_useful_fma", ledger.executed_fmas / ledger.work.fmas,
      "above 1 where tiles overhang the edges");

  report.document.title = fmt::format("{} at {}", kernel.name, shape.key());
  report.document.parts.emplace_back(Paragraph{fmt::format("{}.", kernel.summary)});
  report.document.parts.emplace_back(Paragraph{
      fmt::format("{} outputs, {} FMAs, {} compulsory bytes.", to_fraction(ledger.work.outputs),
                  to_fraction(ledger.work.fmas), to_fraction(ledger.work.required_bytes))});
  report.document.parts.emplace_back(table);

  report.json = {{"schema", "perfmodel.ledger/1"},
                 {"kernel", kernel.name},
                 {"family", kernel.family},
                 {"shape", shape_json(shape)},
                 {"outputs", to_double(ledger.work.outputs)},
                 {"fmas", to_double(ledger.work.fmas)},
                 {"required_bytes", to_double(ledger.work.required_bytes)},
                 {"ledger", ledger_json(ledger)}};
  return report;
}

}  // namespace perfmodel::reports
