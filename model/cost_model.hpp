#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/source_ledger.hpp"

namespace perfmodel {

/// A linear cost model: cycles per warp-FMA = sum of price x count over its columns.
struct CostModel {
  struct Column {
    std::string name;                        ///< "dist"
    Rational (*count)(const SourceLedger&);  ///< per FMA
  };

  std::string name;
  std::string summary;
  std::vector<Column> columns;
  std::vector<std::string> default_references;  ///< kernels that price it unless told otherwise

  [[nodiscard]] std::vector<std::string> column_names() const;
};

/// Every model, in the order in which reports show them. A new one is a function and a line here.
std::span<const CostModel> cost_models();

/// Throws Error with the nearest name.
const CostModel& find_cost_model(std::string_view name);

/// Three prices for three kinds of load: distinct shared, broadcast shared, global.
CostModel load_count_model();

/// `load-count` and a fourth price for every memory request that coalescing would have saved.
CostModel request_model();

}  // namespace perfmodel
