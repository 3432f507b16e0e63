#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/resource_bounds.hpp"

namespace perfmodel {

/// What the throughput model knows of a launch: the two times that no schedule can beat.
struct ThroughputTerms {
  double bound_s = 0;    ///< of the busiest resource, see ResourceBound
  double latency_s = 0;  ///< of the blocks that an SM runs one behind the other, if nothing is busy
};

/// How much of the smaller term comes on top of the larger one: 0 where work and waiting overlap
/// perfectly, 1 where one begins when the other has ended.
struct ThroughputCoefficients {
  double exposed_share = 0;
  double std_error = 0;
  std::vector<std::string> references;  ///< "K2 at 4096x4096x4096"
  std::string device;                   ///< on which they were measured
};

/// A launch whose terms and time are known.
struct ThroughputObservation {
  std::string label;
  ThroughputTerms terms;
  double seconds = 0;  ///< without launching it
};

/// Least squares of the relative errors, constrained to 0 to 1: never faster than the hardware,
/// never slower than one behind the other. Throws Error bad_input for no observation.
ThroughputCoefficients calibrate_throughput(std::span<const ThroughputObservation> references,
                                            std::string device);

/// Seconds, without launching: never less than either term.
double predict_throughput(const ThroughputTerms& terms, const ThroughputCoefficients& coefficients);

}  // namespace perfmodel
