#include "model/cost_model.hpp"

#include <fmt/format.h>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {

std::vector<std::string> CostModel::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns) {
    names.push_back(column.name);
  }
  return names;
}

std::span<const CostModel> cost_models() {
  static const std::vector<CostModel> models = {load_count_model(), request_model()};
  return models;
}

const CostModel& find_cost_model(std::string_view name) {
  std::vector<std::string> names;
  for (const CostModel& model : cost_models()) {
    if (model.name == name) {
      return model;
    }
    names.push_back(model.name);
  }
  fail(fmt::format("there is no model '{}'{}; there are {}", printable(name),
                   did_you_mean(name, names), join(names)));
}

CostModel load_count_model() {
  return {"load-count",
          "cycles per warp-FMA as prices of distinct shared, broadcast shared and global loads",
          {{"dist", [](const SourceLedger& ledger) { return ledger.dist; }},
           {"bcast", [](const SourceLedger& ledger) { return ledger.bcast; }},
           {"ldg", [](const SourceLedger& ledger) { return ledger.ldg; }}},
          // One kernel of global loads alone, one that adds both shared kinds, one that
          // separates the two.
          {"K2", "K3", "K4"}};
}

CostModel request_model() {
  CostModel model = load_count_model();
  model.name = "request";
  model.summary = "load-count and a price for each memory request that coalescing would have saved";
  model.columns.push_back({"uncoalesced", [](const SourceLedger& ledger) {
                             return ledger.uncoalesced_requests_per_fma();
                           }});
  // K1 is K2 with an uncoalesced operand.
  model.default_references.insert(model.default_references.begin(), "K1");
  return model;
}

}  // namespace perfmodel
