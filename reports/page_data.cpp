#include "reports/page_data.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace perfmodel::reports {
namespace {

using Json = nlohmann::ordered_json;

/// Few digits; more would only make the page larger.
Json page_number(double value, int digits = 6) {
  if (!std::isfinite(value)) {
    return nullptr;
  }
  const std::string text = fmt::format("{:.{}g}", value, digits);
  return std::strtod(text.c_str(), nullptr);
}

Json page_number(const std::optional<double>& value) {
  return value ? page_number(*value) : Json(nullptr);
}

template <typename Items, typename Function>
Json page_list(const Items& items, Function function) {
  Json json = Json::array();
  for (const auto& item : items) {
    json.push_back(function(item));
  }
  return json;
}

Json page_share(const LimitShare& one) {
  return {{"resource", one.resource}, {"share", page_number(one.share)}};
}

Json page_evidence(const Evidence& line) {
  return {{"kind", to_string(line.kind)}, {"topic", line.topic}, {"finding", line.finding}};
}

Json page_ceiling(const CeilingSet& set) {
  return {{"name", set.name},
          {"measured", set.is_measured},
          {"memory", page_list(set.memory,
                               [](const MemoryRoof& roof) {
                                 return Json{{"level", to_string(roof.level)},
                                             {"bytes_per_s", page_number(roof.bytes_per_s)},
                                             {"source", roof.source}};
                               })},
          {"compute", page_list(set.compute,
                                [](const ComputeRoof& roof) {
                                  return Json{{"type", roof.data_type},
                                              {"flop_per_s", page_number(roof.flop_per_s)},
                                              {"source", roof.source}};
                                })},
          {"instructions_per_s", page_number(set.instructions_per_s)},
          {"issue_source", set.issue_source}};
}

Json page_point(const RooflinePoint& point) {
  return {{"type", point.data_type},
          {"level", to_string(point.level)},
          {"intensity", page_number(point.intensity)},
          {"per_s", page_number(point.per_s)},
          {"roofs", page_list(point.roofs, [](const RoofShare& roof) {
             return Json{{"per_s", page_number(roof.roof_per_s)},
                         {"share", page_number(roof.share)},
                         {"limiter", roof.limiter}};
           })}};
}

Json page_prediction(const TimePrediction& prediction) {
  return {{"model", prediction.model},
          {"seconds", page_number(prediction.seconds)},
          {"low_s", page_number(prediction.low_s)},
          {"high_s", page_number(prediction.high_s)}};
}

Json page_audit(const LaunchAudit& audit) {
  const LaunchVerdict& verdict = audit.verdict;
  return {{"device", audit.device},
          {"class", to_string(verdict.limit_class)},
          {"limiting", page_share(verdict.limiting)},
          {"runner_up", page_share(verdict.runner_up)},
          {"reason", verdict.reason},
          {"advice", verdict.advice},
          {"evidence", page_list(verdict.evidence, page_evidence)},
          {"predictions", page_list(audit.predictions, page_prediction)},
          {"error", page_number(audit.prediction_error())},
          {"inside", audit.measured_s ? Json(audit.is_inside()) : Json(nullptr)},
          {"bounds", page_list(audit.bounds,
                               [](const ResourceBound& bound) {
                                 return Json{{"resource", bound.resource},
                                             {"seconds", page_number(bound.seconds)}};
                               })},
          {"occupancy", page_number(audit.occupancy)},
          {"resident_blocks", audit.resident_blocks},
          {"blocks", audit.blocks},
          {"threads_per_block", audit.threads_per_block},
          {"warp_instructions", page_number(audit.warp_instructions)},
          {"lsu_wavefronts", page_number(audit.lsu_wavefronts)},
          {"l1_bytes", page_number(audit.traffic.l1_bytes())},
          {"l2_bytes", page_number(audit.traffic.l2_bytes())},
          {"dram_bytes", page_number(audit.traffic.dram_bytes())},
          {"compulsory_bytes", page_number(audit.traffic.compulsory_bytes())}};
}

/// Changes of an audit and what they would bring; the audit itself is the state before.
Json page_what_if(const WhatIf& what_if) {
  const LaunchVerdict& verdict = what_if.after.verdict;
  return {{"changes", what_if.changes},
          {"notes", what_if.notes},
          {"device", what_if.after.device},
          {"prediction", page_prediction(what_if.after.predictions.front())},
          {"saved",
           {{"share", page_number(what_if.saved_share())},
            {"low", page_number(1 - what_if.ratio_high)},
            {"high", page_number(1 - what_if.ratio_low)}}},
          {"expected_s", page_number(what_if.expected_s)},
          {"class", to_string(verdict.limit_class)},
          {"limiting", page_share(verdict.limiting)},
          {"runner_up", page_share(verdict.runner_up)},
          {"reason", verdict.reason},
          {"advice", verdict.advice},
          {"counts", page_list(what_if.counts, [](const CountChange& one) {
             return Json{{"count", one.count},
                         {"unit", one.unit},
                         {"before", page_number(one.before)},
                         {"after", page_number(one.after)}};
           })}};
}

Json page_analysed(const KernelAnalysis& kernel) {
  return {{"summary", kernel.summary},
          {"family", kernel.family},
          {"library", kernel.library},
          {"flop_per_s", page_number(kernel.flop_per_s)},
          {"share_of_peak", page_number(kernel.share_of_peak)},
          {"share_of_library", page_number(kernel.share_of_library)},
          {"class", to_string(kernel.verdict.verdict_class)},
          {"reason", kernel.verdict.reason},
          {"evidence", page_list(kernel.verdict.evidence, page_evidence)},
          {"predictions", page_list(kernel.predictions, [](const Prediction& prediction) {
             return Json{{"model", prediction.model},
                         {"error", page_number(prediction.error)},
                         {"role", to_string(prediction.role)}};
           })}};
}

/// A list instead of an object, since a page holds tens of thousands: address, text, executions,
/// wavefronts, ideal wavefronts, sectors, share, then pairs of a stall's number and its share.
Json page_line(const HotLine& line) {
  constexpr int few_digits = 3;
  Json stalls = Json::array();
  for (const LineStall& stall : line.stalls) {
    stalls.push_back(static_cast<std::size_t>(stall.reason));
    stalls.push_back(page_number(stall.share, few_digits));
  }
  return {line.address,
          line.text,
          page_number(line.executions),
          page_number(line.wavefronts),
          page_number(line.ideal_wavefronts),
          page_number(line.sectors),
          page_number(line.share, few_digits),
          std::move(stalls)};
}

Json page_figures(const KernelFigures& kernel) {
  Json json = {{"name", kernel.name},
               {"shape", kernel.shape},
               {"code", kernel.code},
               {"role", to_string(kernel.role)},
               {"measured_s", page_number(kernel.measured_s())},
               {"points", page_list(kernel.points, page_point)},
               {"uncounted_products", kernel.uncounted_products},
               {"instructions", page_list(kernel.instructions, page_point)},
               {"time_split", page_list(kernel.time_split, page_share)},
               {"why_not_audited", kernel.why_not_audited}};
  json["analysed"] = kernel.analysed ? page_analysed(*kernel.analysed) : Json(nullptr);
  json["audit"] = kernel.audit ? page_audit(*kernel.audit) : Json(nullptr);
  json["what_if"] = kernel.what_if ? page_what_if(*kernel.what_if) : Json(nullptr);
  json["hot_loop"] = nullptr;
  if (kernel.hot_loop) {
    const HotLoop& hot = *kernel.hot_loop;
    json["hot_loop"] = {{"is_loop", hot.is_loop},
                        {"trip_count", page_number(hot.trip_count)},
                        {"share", page_number(hot.share)},
                        {"left_out", hot.left_out},
                        {"lines", page_list(hot.lines, page_line)}};
  }
  return json;
}

Json page_stall_names() {
  Json names = Json::array();
  for (std::size_t i = 0; i < stall_count; ++i) {
    names.push_back(stall_name(static_cast<Stall>(i)));
  }
  return names;
}

Json page_step(const LadderStep& step) {
  return {{"family", step.family},
          {"shape", step.shape},
          {"from", step.from},
          {"to", step.to},
          {"summary", step.summary},
          {"before_s", page_number(step.before_s)},
          {"after_s", page_number(step.after_s)},
          {"speedup", page_number(step.speedup())},
          {"predicted_speedup", page_number(step.predicted_speedup())},
          {"changes", page_list(step.changes, [](const LadderChange& change) {
             return Json{{"entry", change.entry},
                         {"kind", to_string(change.kind)},
                         {"before", page_number(change.before)},
                         {"after", page_number(change.after)},
                         {"ratio", page_number(change.after / change.before)}};
           })}};
}

}  // namespace

Json page_data(const PerformanceReport& report) {
  return {{"schema", "perfmodel.page/1"},
          {"title", report.title},
          {"device", report.device.title},
          {"architecture", report.device.architecture},
          {"sm_count", report.device.sm_count.value},
          {"clock", {{"hz", page_number(report.clock.hz)}, {"basis", report.clock.basis}}},
          {"recording", report.recording},
          {"ceilings", page_list(report.ceilings, page_ceiling)},
          {"first_ceiling", report.first_ceiling},
          {"stall_names", page_stall_names()},
          {"kernels", page_list(report.kernels, page_figures)},
          {"ladder", page_list(report.ladder, page_step)},
          {"provenance", page_list(report.provenance,
                                   [](const Provenance& line) {
                                     return Json{{"topic", line.topic},
                                                 {"figure", line.figure},
                                                 {"origin", line.origin},
                                                 {"source", line.source}};
                                   })},
          {"warnings", report.warnings}};
}

std::string script_safe(const Json& json) {
  std::string safe;
  // ASCII only: U+2028 and U+2029 are escaped with the rest.
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace perfmodel::reports
