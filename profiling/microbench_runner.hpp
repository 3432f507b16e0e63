#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/microbench/microbenchmark.hpp"
#include "profiling/device_query.hpp"

namespace perfmodel::profiling {

struct MicrobenchSample {
  double value{};
  std::optional<double> sm_clock_hz;  ///< cycles over time, of launches long enough to tell
};

struct MicrobenchOutcome {
  std::vector<MicrobenchSample> samples;  ///< of the best of the benchmark's launches
  std::string skip_reason;                ///< why there are none; empty if there are
};

/// Runs micro-benchmarks on one device.
class MicrobenchRunner {
 public:
  virtual ~MicrobenchRunner() = default;

  /// Throws Error when CUDA fails.
  virtual MicrobenchOutcome run(const kernels::Microbenchmark& benchmark) = 0;
};

/// Opens the device for micro-benchmarks and warms it up; `model` is what they know of it. Throws
/// Error (unavailable) in a build without CUDA.
std::unique_ptr<MicrobenchRunner> open_microbench_runner(const LiveDevice& device,
                                                         const Device& model);

}  // namespace perfmodel::profiling
