#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/analysis.hpp"
#include "model/timeline/stall_comparison.hpp"

namespace perfmodel {

/// A measured launch and what one model predicted for it.
struct ValidationCase {
  std::string group;  ///< recording: "ladder"
  std::string label;  ///< "K3 at 4096x4096x4096"
  std::string model;
  Role role = Role::held_out;
  double measured_s = 0;
  double predicted_s = 0;
  double low_s = 0;
  double high_s = 0;
  std::string verdict;                       ///< class and limiting resource
  std::optional<std::string> measured_unit;  ///< busiest by the counters, where there are some
  std::optional<bool> verdict_agrees;        ///< with that unit
  double prediction_s = 0;                   ///< what predicting took, once the ledger was there

  [[nodiscard]] double error() const { return predicted_s / measured_s - 1; }
  [[nodiscard]] bool is_inside() const { return measured_s >= low_s && measured_s <= high_s; }
};

/// Why warps mostly wait in one launch, by the timeline and by the hardware's counters.
struct StallCase {
  std::string group;  ///< recording
  std::string label;
  Role role = Role::held_out;
  TopStall top;
};

/// Errors of one model over the cases of one group and role.
struct ValidationGroup {
  std::string name;
  std::string model;
  Role role = Role::held_out;
  std::size_t count = 0;
  double mean_abs_error = 0;
  double median_abs_error = 0;
  double p90_abs_error = 0;
  double max_abs_error = 0;
  /// Rank correlation of predicted and measured times; nothing for fewer than three.
  std::optional<double> spearman;
  double inside_share = 0;  ///< of the cases whose interval holds the measured time
};

struct Validation {
  std::string device;
  double clock_hz = 0;
  std::vector<ValidationGroup> groups;  ///< also "all", over every recording
  std::vector<ValidationCase> cases;
  std::vector<StallCase> stalls;      ///< of launches with such counters
  std::vector<std::string> left_out;  ///< with the reason
};

/// Spearman's rank correlation, ties at their mean rank. Nothing for fewer than three pairs or
/// where one side is constant.
std::optional<double> rank_correlation(std::span<const double> left, std::span<const double> right);

/// Groups in the order of the cases, each model and role apart.
std::vector<ValidationGroup> summarize(std::span<const ValidationCase> cases);

}  // namespace perfmodel
