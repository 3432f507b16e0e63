#include "reports/launch_audit_report.hpp"

#include <fmt/format.h>

#include "reports/analysis_json.hpp"
#include "reports/cells.hpp"
#include "reports/tone.hpp"
#include "reports/what_if_report.hpp"

namespace perfmodel::reports {
namespace {

Table evidence_table(const std::string& title, const std::vector<Evidence>& evidence) {
  Table table;
  table.title = title;
  table.columns = {{"topic", "topic", Align::left},
                   {"figure", "kind", Align::left},
                   {"finding", "finding", Align::left}};
  for (const Evidence& line : evidence) {
    table.rows.push_back(
        {text_cell(line.topic), text_cell(to_string(line.kind)), text_cell(line.finding)});
  }
  return table;
}

Table bounds_table(const LaunchAudit& audit, double time_s) {
  Table table;
  table.title = "Least time of each resource";
  table.columns = {
      {"resource", "resource", Align::left}, {"us", "seconds"}, {"of the time", "share"}};
  for (const ResourceBound& bound : audit.bounds) {
    table.rows.push_back({text_cell(bound.resource), significant_cell(bound.seconds, 4, 1e6),
                          percent_cell(bound.seconds / time_s)});
  }
  table.rows.push_back({text_cell("latency"), significant_cell(audit.terms.latency_s, 4, 1e6),
                        percent_cell(audit.terms.latency_s / time_s)});
  table.rows.push_back({text_cell("launching"), significant_cell(audit.launch_s, 4, 1e6),
                        percent_cell(audit.launch_s / time_s)});
  return table;
}

Table traffic_table(const Traffic& traffic) {
  Table table;
  table.title = "Traffic (L1 counted, L2 and DRAM predicted)";
  table.columns = {{"level", "level", Align::left},
                   {"loaded MB", "loaded_bytes"},
                   {"stored MB", "stored_bytes"}};
  const auto row = [&](const char* level, double loaded, double stored) {
    table.rows.push_back(
        {text_cell(level), significant_cell(loaded, 4, 1e-6), significant_cell(stored, 4, 1e-6)});
  };
  row("L1", traffic.l1_load_bytes, traffic.l1_store_bytes);
  row("L2", traffic.l2_load_bytes, traffic.l2_store_bytes);
  row("DRAM", traffic.dram_load_bytes, traffic.dram_store_bytes);
  row("compulsory", traffic.compulsory_load_bytes, traffic.compulsory_store_bytes);
  return table;
}

nlohmann::ordered_json share_json(const LimitShare& one) {
  return {{"resource", one.resource}, {"share", one.share}};
}

nlohmann::ordered_json prediction_json(const TimePrediction& prediction) {
  return {{"model", prediction.model},
          {"seconds", prediction.seconds},
          {"low_s", prediction.low_s},
          {"high_s", prediction.high_s}};
}

nlohmann::ordered_json traffic_json(const Traffic& traffic) {
  return {{"l1_load_bytes", traffic.l1_load_bytes},
          {"l1_store_bytes", traffic.l1_store_bytes},
          {"l2_load_bytes", traffic.l2_load_bytes},
          {"l2_store_bytes", traffic.l2_store_bytes},
          {"dram_load_bytes", traffic.dram_load_bytes},
          {"dram_store_bytes", traffic.dram_store_bytes},
          {"compulsory_load_bytes", traffic.compulsory_load_bytes},
          {"compulsory_store_bytes", traffic.compulsory_store_bytes}};
}

nlohmann::ordered_json stalls_json(const SmTimelineResult& sm) {
  const std::array<double, stall_count> shares = stall_shares(sm);
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < stall_count; ++i) {
    json[stall_name(static_cast<Stall>(i))] = shares[i];
  }
  return json;
}

void add_audit_json(nlohmann::ordered_json& json, const LaunchAudit& audit) {
  const TimePrediction& prediction = audit.predictions.front();
  json["clock_hz"] = audit.clock_hz;
  json["model"] = prediction.model;
  nlohmann::ordered_json bounds = nlohmann::ordered_json::array();
  for (const ResourceBound& bound : audit.bounds) {
    bounds.push_back({{"resource", bound.resource}, {"seconds", bound.seconds}});
  }
  bounds.push_back({{"resource", "latency"}, {"seconds", audit.terms.latency_s}});
  bounds.push_back({{"resource", "launching"}, {"seconds", audit.launch_s}});
  json["prediction"] = {{"seconds", prediction.seconds},
                        {"low_s", prediction.low_s},
                        {"high_s", prediction.high_s},
                        {"bounds", std::move(bounds)}};
  json["predictions"] = nlohmann::ordered_json::array();
  for (const TimePrediction& one : audit.predictions) {
    json["predictions"].push_back(prediction_json(one));
  }
  if (audit.measured_s) {
    json["measured_s"] = *audit.measured_s;
  }
  const LaunchVerdict& verdict = audit.verdict;
  nlohmann::ordered_json evidence = nlohmann::ordered_json::array();
  for (const Evidence& line : verdict.evidence) {
    evidence.push_back(
        {{"kind", to_string(line.kind)}, {"topic", line.topic}, {"finding", line.finding}});
  }
  json["verdict"] = {{"class", to_string(verdict.limit_class)},
                     {"limiting_resource", verdict.limiting.resource},
                     {"share", verdict.limiting.share},
                     {"runner_up", verdict.runner_up.resource},
                     {"runner_up_share", verdict.runner_up.share},
                     {"reason", verdict.reason},
                     {"advice", verdict.advice},
                     {"evidence", std::move(evidence)}};
  json["traffic"] = traffic_json(audit.traffic);
  json["occupancy"] = audit.occupancy;
  json["resident_blocks_per_sm"] = audit.resident_blocks;
  json["stall_shares"] = stalls_json(audit.timeline.sm);
  json["share_simulated"] = audit.timeline.share_simulated;
  if (audit.measured_units) {
    nlohmann::ordered_json units = nlohmann::ordered_json::array();
    for (const LimitShare& unit : audit.measured_units->utilisation) {
      units.push_back(share_json(unit));
    }
    json["measured_utilisation"] = std::move(units);
  }
}

void add_audit(Document& document, const LaunchAudit& audit, const LaunchAuditView& view) {
  const LaunchVerdict& verdict = audit.verdict;
  const TimePrediction& prediction = audit.predictions.front();
  document.parts.emplace_back(Heading{fmt::format("Verdict: {}", to_string(verdict.limit_class)),
                                      tone_of(verdict.limit_class)});
  document.parts.emplace_back(
      Paragraph{fmt::format("{}. Limiting: {} ({:.3g} %); then: {} ({:.3g} %).", verdict.reason,
                            verdict.limiting.resource, 100 * verdict.limiting.share,
                            verdict.runner_up.resource, 100 * verdict.runner_up.share)});
  document.parts.emplace_back(Paragraph{fmt::format("First: {}.", verdict.advice)});
  document.parts.emplace_back(Paragraph{fmt::format(
      "Predicted by the {} model: {:.4g} us, {:.4g} to {:.4g} us in nine of ten cases, at {:.4g} "
      "GHz; machine code from {}.",
      prediction.model, prediction.seconds * 1e6, prediction.low_s * 1e6, prediction.high_s * 1e6,
      audit.clock_hz / 1e9, view.origin)});
  document.parts.emplace_back(evidence_table("Evidence", verdict.evidence));
  document.parts.emplace_back(bounds_table(audit, audit.measured_s.value_or(prediction.seconds)));
  document.parts.emplace_back(traffic_table(audit.traffic));
}

}  // namespace

Report launch_audit_report(const LaunchAudit* audit, const LaunchAuditView& view) {
  Report report;
  Document& document = report.document;
  document.title = view.title;
  report.json = {{"schema", "perfmodel.audit/2"}, {"kernel", view.kernel}};
  if (!view.shape.empty()) {
    report.json["shape"] = view.shape;
  }
  std::vector<Evidence> all;
  std::vector<std::string> warnings;
  if (audit != nullptr) {
    report.json["device"] = audit->device;
    add_audit_json(report.json, *audit);
    add_audit(document, *audit, view);
    if (view.stalls != nullptr) {
      add_stalls(document, *audit, *view.stalls);
      add_stalls_json(report.json, *audit, *view.stalls);
    }
    if (view.what_if != nullptr) {
      add_what_if(document, *audit, *view.what_if);
      report.json["what_if"] = what_if_json(*view.what_if);
    }
    all = audit->verdict.evidence;
    warnings = audit->warnings;
  }
  if (view.analysed != nullptr) {
    const KernelAnalysis& kernel = *view.analysed;
    const Analysis& analysis = *view.analysis;
    report.json["device"] = analysis.device.name;
    document.parts.emplace_back(
        Heading{fmt::format("By the source ledger: {}", to_string(kernel.verdict.verdict_class)),
                tone_of(kernel.verdict.verdict_class)});
    document.parts.emplace_back(Paragraph{fmt::format("{}.", kernel.summary)});
    document.parts.emplace_back(Paragraph{fmt::format(
        "{:.4g} ms, {:.5g} GFLOP/s, {:.3g} % of the fp32 peak at {:.4g} GHz ({}); recording {} "
        "({}).",
        kernel.median_s * 1e3, kernel.flop_per_s / 1e9, 100.0 * kernel.share_of_peak,
        analysis.clock.hz / 1e9, analysis.clock.basis, analysis.recording,
        to_string(analysis.source_kind))});
    document.parts.emplace_back(Paragraph{kernel.verdict.reason + "."});
    document.parts.emplace_back(
        evidence_table("Evidence of the source ledger", kernel.verdict.evidence));
    all.insert(all.end(), kernel.verdict.evidence.begin(), kernel.verdict.evidence.end());
    report.json["source_analysis"] = {{"clock_hz", analysis.clock.hz},
                                      {"clock_basis", analysis.clock.basis},
                                      {"recording", analysis.recording},
                                      {"source", analysis.source},
                                      {"kernel", kernel_json(kernel)}};
    warnings.insert(warnings.end(), analysis.warnings.begin(), analysis.warnings.end());
  }
  report.json["warnings"] = warnings;
  report.data = view.stalls != nullptr ? stall_instruction_table(*view.stalls)
                                       : evidence_table("Evidence", all);
  return report;
}

}  // namespace perfmodel::reports
