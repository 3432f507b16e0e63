#include "reports/analysis_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.hpp"
#include "reports/analysis_json.hpp"
#include "reports/calibration_report.hpp"
#include "reports/cells.hpp"
#include "reports/foreign_kernels.hpp"
#include "reports/text_roofline.hpp"
#include "reports/tone.hpp"

namespace perfmodel::reports {
namespace {

bool one_shape(const Analysis& analysis) {
  return std::ranges::all_of(analysis.kernels, [&](const KernelAnalysis& kernel) {
    return kernel.shape == analysis.kernels.front().shape;
  });
}

/// Rows are named by kernel, and by shape where that is needed to tell them apart.
class Labels {
 public:
  explicit Labels(const Analysis& analysis) : with_shape_(!one_shape(analysis)) {}
  Cell operator()(const KernelAnalysis& kernel) const {
    return text_cell(with_shape_ ? kernel.name + " " + kernel.shape.to_string() : kernel.name);
  }

 private:
  bool with_shape_;
};

Table ranking_table(const Analysis& analysis, const Labels& label) {
  std::vector<const KernelAnalysis*> ranked;
  for (const KernelAnalysis& kernel : analysis.kernels) {
    ranked.push_back(&kernel);
  }
  std::ranges::stable_sort(ranked, [](const auto* a, const auto* b) {
    return std::tuple(a->family, a->shape.key(), a->rank) <
           std::tuple(b->family, b->shape.key(), b->rank);
  });
  Table table{fmt::format("Ranking ({})", to_string(analysis.source_kind)), {}, {}};
  table.columns = {{"kernel", "", Align::left}, {"rank", ""},   {"ms", ""}, {"GFLOP/s", ""},
                   {"of library", ""},          {"of peak", ""}};
  // The other clock bases, for comparison with figures quoted under them.
  std::vector<std::size_t> other_bases;
  for (std::size_t i = 0; i < analysis.device.clocks.size(); ++i) {
    if (analysis.device.clocks[i].clock_hz.value != analysis.clock.hz) {
      other_bases.push_back(i);
      table.columns.push_back(
          {fmt::format("at {:.4g} GHz", analysis.device.clocks[i].clock_hz.value / 1e9), ""});
    }
  }
  for (const KernelAnalysis* kernel : ranked) {
    auto& row = table.rows.emplace_back();
    row = {label(*kernel),
           text_cell(std::to_string(kernel->rank)),
           fixed_cell(kernel->median_s, 3, 1e3),
           fixed_cell(kernel->flop_per_s, 1, 1e-9),
           kernel->share_of_library ? percent_cell(*kernel->share_of_library) : no_cell(),
           percent_cell(kernel->share_of_peak)};
    for (const std::size_t i : other_bases) {
      row.push_back(percent_cell(kernel->peak_shares[i].share));
    }
  }
  return table;
}

Table ledger_table(const Analysis& analysis, const Labels& label) {
  Table table{"Ledgers per FMA (counted in the source)", {}, {}};
  table.columns = {{"kernel", "", Align::left},
                   {"dist", ""},
                   {"bcast", ""},
                   {"ldg", ""},
                   {"load/FMA", ""},
                   {"req/FMA", ""},
                   {"bytes/out", ""},
                   {"FLOP/byte", ""}};
  for (const KernelAnalysis& kernel : analysis.kernels) {
    if (!kernel.ledger) {
      continue;
    }
    const SourceLedger& ledger = *kernel.ledger;
    table.rows.push_back({label(kernel), count_cell(ledger.dist), count_cell(ledger.bcast),
                          count_cell(ledger.ldg), count_cell(ledger.loads_per_fma()),
                          count_cell(ledger.requests_per_fma), count_cell(ledger.bytes_per_output),
                          fixed_cell(to_double(ledger.arithmetic_intensity), 3)});
  }
  return table;
}

Table roofline_table(const Analysis& analysis, const Labels& label) {
  Table table{"DRAM roofline", {}, {}};
  table.columns = {{"kernel", "", Align::left},
                   {"FLOP/byte", ""},
                   {"roof GFLOP/s", ""},
                   {"measured", ""},
                   {"attained", ""},
                   {"", "", Align::left}};
  for (const KernelAnalysis& kernel : analysis.kernels) {
    if (!kernel.roofline) {
      continue;
    }
    const Roofline& roof = *kernel.roofline;
    table.rows.push_back(
        {label(kernel), fixed_cell(roof.arithmetic_intensity, 3),
         fixed_cell(roof.roof_flop_per_s, 0, 1e-9), fixed_cell(kernel.flop_per_s, 1, 1e-9),
         percent_cell(roof.attainment),
         text_cell(roof.flag == AttainmentFlag::above_roof ? "> 100 %: cached" : "")});
  }
  return table;
}

Table prediction_table(const Analysis& analysis, const ModelAnalysis& model, const Labels& label) {
  Table table{fmt::format("Cycles per warp-FMA, model {}", model.name), {}, {}};
  table.columns = {{"kernel", "", Align::left}, {"measured", ""},  {"per load", ""},
                   {"per request", ""},         {"predicted", ""}, {"error", ""},
                   {"role", "", Align::left}};
  for (const KernelAnalysis& kernel : analysis.kernels) {
    for (const Prediction& prediction : kernel.predictions) {
      if (prediction.model != model.name) {
        continue;
      }
      table.rows.push_back(
          {label(kernel), fixed_cell(kernel.cycles_per_warp_fma, 3),
           kernel.cycles_per_load ? fixed_cell(*kernel.cycles_per_load, 2) : no_cell(),
           kernel.cycles_per_request ? fixed_cell(*kernel.cycles_per_request, 2) : no_cell(),
           fixed_cell(prediction.cycles_per_warp_fma, 3), percent_cell(prediction.error, true),
           text_cell(to_string(prediction.role))});
    }
  }
  return table;
}

Table error_table(const Analysis& analysis) {
  Table table{"Absolute errors of held-out kernels", {}, {}};
  table.columns = {
      {"model", "", Align::left}, {"kernels", ""}, {"mean", ""}, {"median", ""}, {"max", ""}};
  for (const ModelAnalysis& model : analysis.models) {
    if (model.held_out) {
      table.rows.push_back({text_cell(model.name), text_cell(std::to_string(model.held_out->count)),
                            percent_cell(model.held_out->mean),
                            percent_cell(model.held_out->median),
                            percent_cell(model.held_out->max)});
    }
  }
  return table;
}

Table verdict_table(const Analysis& analysis, const Labels& label) {
  Table table{"Verdicts", {}, {}};
  table.columns = {
      {"kernel", "", Align::left}, {"class", "", Align::left}, {"reason", "", Align::left}};
  for (const KernelAnalysis& kernel : analysis.kernels) {
    table.rows.push_back({label(kernel),
                          verdict_cell(to_string(kernel.verdict.verdict_class),
                                       tone_of(kernel.verdict.verdict_class)),
                          text_cell(kernel.verdict.reason)});
  }
  return table;
}

std::string other_shapes_note(const Analysis& analysis) {
  std::vector<std::string> shapes;
  for (const Shape& shape : analysis.other_shapes) {
    shapes.push_back(shape.to_string());
  }
  return fmt::format("Also measured: {}; see --shape SHAPE or --shape all.", join(shapes));
}

Document analysis_document(const Analysis& analysis) {
  const Device& device = analysis.device;
  const Labels label(analysis);
  Document document;
  document.title = fmt::format("{} ({}){}", device.title, device.name,
                               one_shape(analysis) && !analysis.kernels.empty()
                                   ? ", " + analysis.kernels.front().shape.to_string()
                                   : std::string());
  document.parts.emplace_back(Paragraph{fmt::format(
      "{} SMs, clock {:.4g} GHz ({}), fp32 peak {:.5g} GFLOP/s, DRAM {:.4g} GB/s.",
      device.sm_count.value, analysis.clock.hz / 1e9, analysis.clock.basis,
      device.peak_flop_per_s(analysis.clock.hz) / 1e9, device.dram_bytes_per_s.value / 1e9)});
  document.parts.emplace_back(
      Paragraph{fmt::format("Recording {} ({}): {}.", analysis.recording,
                            to_string(analysis.source_kind), analysis.source)});
  append_foreign_kernels(document, analysis.foreign);
  if (analysis.kernels.empty()) {
    return document;
  }
  document.parts.emplace_back(ranking_table(analysis, label));
  document.parts.emplace_back(ledger_table(analysis, label));
  document.parts.emplace_back(roofline_table(analysis, label));
  if (std::optional<Drawing> drawing = text_roofline(analysis)) {
    document.parts.emplace_back(std::move(*drawing));
  }
  for (const ModelAnalysis& model : analysis.models) {
    if (model.costs) {
      document.parts.emplace_back(prediction_table(analysis, model, label));
    }
  }
  append_unit_costs(document, analysis.models);
  Table errors = error_table(analysis);
  if (!errors.rows.empty()) {
    document.parts.emplace_back(std::move(errors));
  }
  document.parts.emplace_back(verdict_table(analysis, label));
  if (!analysis.other_shapes.empty()) {
    document.parts.emplace_back(Heading{"Notes"});
    document.parts.emplace_back(Paragraph{other_shapes_note(analysis)});
  }
  return document;
}

Cell optional_cell(const std::optional<double>& value) {
  return value ? significant_cell(*value, 5) : no_cell();
}

/// Everything about every kernel in one flat table, for CSV.
Table analysis_table(const Analysis& analysis) {
  Table table;
  for (const char* key : {"kernel",
                          "family",
                          "shape",
                          "rank",
                          "median_s",
                          "flop_per_s",
                          "dist",
                          "bcast",
                          "ldg",
                          "loads_per_fma",
                          "requests_per_fma",
                          "bytes_per_output",
                          "arithmetic_intensity",
                          "roof_flop_per_s",
                          "attainment",
                          "attainment_flag",
                          "cycles_per_warp_fma",
                          "cycles_per_load",
                          "cycles_per_request",
                          "share_of_library",
                          "share_of_peak"}) {
    table.columns.push_back({key, key});
  }
  for (const ModelAnalysis& model : analysis.models) {
    for (const char* figure : {"cycles_per_warp_fma", "error", "role"}) {
      const std::string key = fmt::format("{}_{}", model.name, figure);
      table.columns.push_back({key, key});
    }
  }
  table.columns.push_back({"verdict", "verdict"});
  table.columns.push_back({"reason", "reason"});

  for (const KernelAnalysis& kernel : analysis.kernels) {
    auto& row = table.rows.emplace_back();
    row = {text_cell(kernel.name),
           text_cell(kernel.family),
           text_cell(kernel.shape.to_string()),
           text_cell(std::to_string(kernel.rank)),
           text_cell(full_precision(kernel.median_s)),
           text_cell(full_precision(kernel.flop_per_s))};
    if (kernel.ledger) {
      const SourceLedger& ledger = *kernel.ledger;
      const Roofline& roof = *kernel.roofline;
      for (const Rational& count :
           {ledger.dist, ledger.bcast, ledger.ldg, ledger.loads_per_fma(), ledger.requests_per_fma,
            ledger.bytes_per_output, ledger.arithmetic_intensity}) {
        row.push_back(count_cell(count));
      }
      row.push_back(text_cell(full_precision(roof.roof_flop_per_s)));
      row.push_back(percent_cell(roof.attainment));
      row.push_back(text_cell(attainment_flag_name(roof.flag)));
    } else {
      row.insert(row.end(), 10, no_cell());
    }
    row.push_back(text_cell(full_precision(kernel.cycles_per_warp_fma)));
    row.push_back(optional_cell(kernel.cycles_per_load));
    row.push_back(optional_cell(kernel.cycles_per_request));
    row.push_back(optional_cell(kernel.share_of_library));
    row.push_back(percent_cell(kernel.share_of_peak));
    for (const ModelAnalysis& model : analysis.models) {
      const auto prediction = std::ranges::find_if(
          kernel.predictions, [&](const Prediction& p) { return p.model == model.name; });
      if (prediction == kernel.predictions.end()) {
        row.insert(row.end(), 3, no_cell());
        continue;
      }
      row.push_back(text_cell(full_precision(prediction->cycles_per_warp_fma)));
      row.push_back(percent_cell(prediction->error, true));
      row.push_back(text_cell(to_string(prediction->role)));
    }
    row.push_back(text_cell(to_string(kernel.verdict.verdict_class)));
    row.push_back(text_cell(kernel.verdict.reason));
  }
  for (const Measurement& entry : analysis.foreign) {
    auto& row = table.rows.emplace_back(table.columns.size(), no_cell());
    row[0] = text_cell(entry.label());
    row[4] = text_cell(full_precision(entry.median_s));
    row.back() = text_cell(no_ledger);
  }
  return table;
}

}  // namespace

Report analysis_report(const Analysis& analysis) {
  return {analysis_document(analysis), analysis_table(analysis), analysis_json(analysis)};
}

}  // namespace perfmodel::reports
