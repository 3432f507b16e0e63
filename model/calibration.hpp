#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/cost_model.hpp"
#include "model/shape.hpp"
#include "model/source_ledger.hpp"

namespace perfmodel {

/// The calibrated price of one column of a cost model.
struct UnitCost {
  std::string name;
  double cycles{};                  ///< SM cycles per warp-wide load (or request)
  std::optional<double> std_error;  ///< nothing where the references determine it exactly
};

/// A measurement that a calibration was solved from.
struct ReferencePoint {
  std::string kernel;
  Shape shape;
  double cycles_per_warp_fma{};               ///< as it went into the solution
  double residual{};                          ///< predicted minus measured, cycles per warp-FMA
  std::optional<double> leave_one_out_error;  ///< relative
};

/// What a calibration was made on.
struct CalibrationBasis {
  std::string device;
  std::string recording;
  std::string clock_basis;
  double clock_hz{};
  /// Decimals to which cycles per warp-FMA were rounded before solving; nothing: not rounded.
  std::optional<int> rounded_to_decimals;

  bool operator==(const CalibrationBasis&) const = default;
};

/// Prices of one cost model on one device.
struct CostTable {
  std::string model;
  CalibrationBasis basis;
  std::vector<UnitCost> costs;
  std::vector<ReferencePoint> references;
  double condition_number{};

  [[nodiscard]] bool has_reference(const std::string& kernel, const Shape& shape) const;
};

/// A kernel whose ledger and time are both known.
struct Observation {
  std::string kernel;
  Shape shape;
  SourceLedger ledger;
  double cycles_per_warp_fma{};
};

/// Solves the prices of `model` from `references`. Throws Error for fewer references than prices,
/// one given twice, or references that do not determine the prices (see `solve_least_squares`).
CostTable calibrate(const CostModel& model, std::span<const Observation> references,
                    CalibrationBasis basis);

/// One column's part of a prediction.
struct CostShare {
  std::string name;
  double count{};   ///< per FMA
  double cycles{};  ///< count times price
};

/// The parts of the predicted cycles per warp-FMA; their sum is the prediction.
std::vector<CostShare> predict(const CostTable& table, const SourceLedger& ledger);

}  // namespace perfmodel
