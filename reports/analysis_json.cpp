#include "reports/analysis_json.hpp"

#include "reports/foreign_kernels.hpp"

namespace perfmodel::reports {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json prediction_json(const Prediction& prediction) {
  Json shares = Json::array();
  for (const CostShare& share : prediction.shares) {
    shares.push_back({{"name", share.name}, {"count", share.count}, {"cycles", share.cycles}});
  }
  return {{"model", prediction.model},
          {"cycles_per_warp_fma", prediction.cycles_per_warp_fma},
          {"error", prediction.error},
          {"role", to_string(prediction.role)},
          {"shares", shares}};
}

Json verdict_json(const Verdict& verdict) {
  Json evidence = Json::array();
  for (const Evidence& line : verdict.evidence) {
    evidence.push_back(
        {{"kind", to_string(line.kind)}, {"topic", line.topic}, {"finding", line.finding}});
  }
  return {{"class", to_string(verdict.verdict_class)},
          {"reason", verdict.reason},
          {"evidence", evidence}};
}

}  // namespace

std::string_view attainment_flag_name(AttainmentFlag flag) {
  return flag == AttainmentFlag::above_roof ? "above_roof" : "";
}

Json shape_json(const Shape& shape) {
  Json json = Json::object();
  for (const auto& [name, extent] : shape.extents()) {
    json[name] = extent;
  }
  return json;
}

Json ledger_json(const SourceLedger& ledger) {
  Json json = Json::object();
  Json exact = Json::object();
  const auto add = [&](const char* name, const Rational& count) {
    json[name] = to_double(count);
    exact[name] = to_fraction(count);
  };
  add("dist", ledger.dist);
  add("bcast", ledger.bcast);
  add("ldg", ledger.ldg);
  add("loads_per_fma", ledger.loads_per_fma());
  add("bytes_per_output", ledger.bytes_per_output);
  add("arithmetic_intensity", ledger.arithmetic_intensity);
  add("requests_per_fma", ledger.requests_per_fma);
  add("gather_requests_per_fma", ledger.gather_requests_per_fma);
  add("coalesced_requests_per_fma", ledger.coalesced_requests_per_fma);
  add("executed_fmas", ledger.executed_fmas);
  json["exact"] = std::move(exact);
  return json;
}

Json model_json(const ModelAnalysis& model) {
  Json json = {{"name", model.name}, {"references", Json::array()}, {"unit_costs", Json::array()}};
  json["calibrated"] = model.costs.has_value();
  if (!model.costs) {
    json["why_not_calibrated"] = model.why_not_calibrated;
    return json;
  }
  const CostTable& table = *model.costs;
  Json points = Json::array();
  for (const ReferencePoint& point : table.references) {
    json["references"].push_back(point.kernel);
    points.push_back({{"kernel", point.kernel},
                      {"shape", shape_json(point.shape)},
                      {"cycles_per_warp_fma", point.cycles_per_warp_fma},
                      {"residual_cycles", point.residual},
                      {"leave_one_out_error", or_null(point.leave_one_out_error)}});
  }
  for (const UnitCost& cost : table.costs) {
    json["unit_costs"].push_back(
        {{"name", cost.name}, {"cycles", cost.cycles}, {"std_error", or_null(cost.std_error)}});
  }
  const CalibrationBasis& basis = table.basis;
  json["reference_points"] = std::move(points);
  json["condition_number"] = table.condition_number;
  json["basis"] = {{"device", basis.device},
                   {"recording", basis.recording},
                   {"clock_basis", basis.clock_basis},
                   {"clock_hz", basis.clock_hz},
                   {"rounded_to_decimals",
                    basis.rounded_to_decimals ? Json(*basis.rounded_to_decimals) : Json(nullptr)}};
  json["held_out"] = nullptr;
  if (model.held_out) {
    json["held_out"] = {{"count", model.held_out->count},
                        {"mean_abs_error", model.held_out->mean},
                        {"median_abs_error", model.held_out->median},
                        {"max_abs_error", model.held_out->max}};
  }
  return json;
}

Json kernel_json(const KernelAnalysis& kernel) {
  Json json = {{"name", kernel.name},
               {"family", kernel.family},
               {"shape", shape_json(kernel.shape)},
               {"rank", kernel.rank},
               {"median_s", kernel.median_s},
               {"gflop_per_s", kernel.flop_per_s / 1e9},
               {"compulsory_s", kernel.compulsory_s},
               {"ledger", nullptr},
               {"arithmetic_intensity", nullptr},
               {"roof_gflop_per_s", nullptr},
               {"attainment", nullptr},
               {"attainment_flag", nullptr}};
  if (kernel.ledger) {
    const Roofline& roof = *kernel.roofline;
    json["ledger"] = ledger_json(*kernel.ledger);
    json["arithmetic_intensity"] = roof.arithmetic_intensity;
    json["roof_gflop_per_s"] = roof.roof_flop_per_s / 1e9;
    json["attainment"] = roof.attainment;
    if (roof.flag != AttainmentFlag::none) {
      json["attainment_flag"] = attainment_flag_name(roof.flag);
    }
  }
  json["cycles_per_warp_fma"] = kernel.cycles_per_warp_fma;
  json["cycles_per_load"] = or_null(kernel.cycles_per_load);
  json["cycles_per_request"] = or_null(kernel.cycles_per_request);
  json["share_of_cublas"] = or_null(kernel.share_of_library);
  json["share_of_peak"] = kernel.share_of_peak;
  json["share_of_peak_by_clock"] = Json::array();
  for (const PeakShare& share : kernel.peak_shares) {
    json["share_of_peak_by_clock"].push_back(
        {{"clock_basis", share.clock.basis}, {"clock_hz", share.clock.hz}, {"share", share.share}});
  }
  json["predictions"] = Json::array();
  for (const Prediction& prediction : kernel.predictions) {
    json["predictions"].push_back(prediction_json(prediction));
  }
  json["verdict"] = verdict_json(kernel.verdict);
  return json;
}

Json analysis_json(const Analysis& analysis) {
  Json json = {{"schema", "perfmodel.analysis/1"},
               {"device", analysis.device.name},
               {"device_title", analysis.device.title},
               {"clock_hz", analysis.clock.hz},
               {"clock_basis", analysis.clock.basis},
               {"peak_gflop_per_s", analysis.device.peak_flop_per_s(analysis.clock.hz) / 1e9},
               {"dram_bytes_per_s", analysis.device.dram_bytes_per_s.value},
               {"recording", analysis.recording},
               {"source", analysis.source},
               {"source_kind", to_string(analysis.source_kind)}};
  json["models"] = Json::array();
  for (const ModelAnalysis& model : analysis.models) {
    json["models"].push_back(model_json(model));
  }
  json["kernels"] = Json::array();
  for (const KernelAnalysis& kernel : analysis.kernels) {
    json["kernels"].push_back(kernel_json(kernel));
  }
  json["other_shapes"] = Json::array();
  for (const Shape& shape : analysis.other_shapes) {
    json["other_shapes"].push_back(shape_json(shape));
  }
  json["foreign_kernels"] = foreign_kernels_json(analysis.foreign);
  json["warnings"] = analysis.warnings;
  return json;
}

}  // namespace perfmodel::reports
