#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/validation.hpp"

namespace perfmodel {

/// A change whose gain was measured: as a launch before and another one after it.
struct WhatIfCase {
  std::string before;          ///< "K5 at 4096x4096x4096"
  std::string change;          ///< "vectorize-shared"
  Role role = Role::held_out;  ///< reference where either of the two is one
  std::string after;           ///< the launch that was measured with the change
  double measured_saved = 0;   ///< share of the time
  double predicted_saved = 0;  ///< by the change
  double low_saved = 0;
  double high_saved = 0;
  /// From the code of both launches, as far as that was predicted: what a perfect what-if gives.
  std::optional<double> both_saved;

  /// In shares of the time before.
  [[nodiscard]] double difference() const { return predicted_saved - measured_saved; }
  [[nodiscard]] bool is_inside() const {
    return measured_saved >= low_saved && measured_saved <= high_saved;
  }
};

/// How well predicted ratios of two times match the measured ones, of pairs whose measured times
/// lie so far apart.
struct RatioErrors {
  double from_ratio = 1;  ///< of the larger time over the smaller one
  double to_ratio = 1;    ///< infinite: no limit
  std::size_t pairs = 0;
  double median = 0;  ///< of the error as a natural logarithm, without its sign
  double p90 = 0;
};

struct WhatIfValidation {
  std::string device;
  std::vector<WhatIfCase> cases;
  std::vector<RatioErrors> ratios;
};

/// From held-out cases of the first model of each launch: pairs of one recording that share their
/// kernel or their shape, which is what changes of a launch do.
std::vector<RatioErrors> ratio_errors(std::span<const ValidationCase> cases);

}  // namespace perfmodel
