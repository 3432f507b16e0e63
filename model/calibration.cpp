#include "model/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"
#include "model/least_squares.hpp"

namespace perfmodel {

bool CostTable::has_reference(const std::string& kernel, const Shape& shape) const {
  return std::ranges::any_of(references, [&](const ReferencePoint& point) {
    return point.kernel == kernel && point.shape == shape;
  });
}

CostTable calibrate(const CostModel& model, std::span<const Observation> references,
                    CalibrationBasis basis) {
  LinearSystem system;
  system.columns = model.column_names();
  CostTable table;
  table.model = model.name;
  table.basis = std::move(basis);
  for (const Observation& reference : references) {
    if (table.has_reference(reference.kernel, reference.shape)) {
      fail(fmt::format("reference {} is given twice; each may stand once", reference.kernel));
    }
    system.rows.push_back(reference.kernel);
    system.observed.push_back(reference.cycles_per_warp_fma);
    std::vector<double>& terms = system.terms.emplace_back();
    for (const CostModel::Column& column : model.columns) {
      terms.push_back(to_double(column.count(reference.ledger)));
    }
    table.references.push_back(
        {reference.kernel, reference.shape, reference.cycles_per_warp_fma, 0.0, std::nullopt});
  }

  const Fit fit = solve_least_squares(system);
  table.condition_number = fit.condition_number;
  for (std::size_t i = 0; i < system.columns.size(); ++i) {
    table.costs.push_back(
        {system.columns[i], fit.solution[i],
         fit.std_errors.empty() ? std::nullopt : std::optional(fit.std_errors[i])});
  }
  for (std::size_t i = 0; i < table.references.size(); ++i) {
    table.references[i].residual = fit.residuals[i];
    table.references[i].leave_one_out_error = fit.leave_one_out_errors[i];
  }
  return table;
}

std::vector<CostShare> predict(const CostTable& table, const SourceLedger& ledger) {
  const CostModel& model = find_cost_model(table.model);
  std::vector<CostShare> shares;
  for (const CostModel::Column& column : model.columns) {
    const auto cost =
        std::ranges::find_if(table.costs, [&](const UnitCost& c) { return c.name == column.name; });
    if (cost == table.costs.end()) {
      fail(fmt::format("the cost table of model {} has no price for '{}'", table.model,
                       column.name));
    }
    const double count = to_double(column.count(ledger));
    shares.push_back({column.name, count, count * cost->cycles});
  }
  return shares;
}

}  // namespace perfmodel
