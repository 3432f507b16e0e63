#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "model/analysis.hpp"

namespace perfmodel::reports {

/// Schema perfmodel.analysis/1, described in docs/json.md. SI units; shares are fractions, except
/// `gflop_per_s` and `roof_gflop_per_s`, whose unit stands in the name.
nlohmann::ordered_json analysis_json(const Analysis& analysis);

/// One element of its `kernels`.
nlohmann::ordered_json kernel_json(const KernelAnalysis& kernel);

/// One element of its `models`.
nlohmann::ordered_json model_json(const ModelAnalysis& model);

/// A source ledger with its exact fractions.
nlohmann::ordered_json ledger_json(const SourceLedger& ledger);

/// {"m": 4096, ...}.
nlohmann::ordered_json shape_json(const Shape& shape);

/// "above_roof", or an empty text.
std::string_view attainment_flag_name(AttainmentFlag flag);

}  // namespace perfmodel::reports
