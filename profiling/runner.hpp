#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kernels/kernel.hpp"
#include "kernels/problem.hpp"
#include "model/measurement.hpp"
#include "profiling/answer.hpp"
#include "profiling/counters/observed_launch.hpp"
#include "profiling/device_query.hpp"
#include "profiling/nvml.hpp"

namespace perfmodel::profiling {

/// What became of one kernel at one problem.
struct RunOutcome {
  enum class Status : std::uint8_t {
    measured,  ///< verified, and timed unless only a check was asked for
    skipped,   ///< it cannot run here or at this shape; `reason` says why
    empty,     ///< the result has no elements: a success without a time
    wrong,     ///< it computed something else than its reference; it has no time
  };
  Status status{};
  std::string reason;       ///< of `skipped` and `wrong`
  Measurement measurement;  ///< of `measured`; without samples if only checked
  double noise{};           ///< relative standard error of the mean
  std::optional<Verification> verification;
};

struct RunOptions {
  MeasureSettings settings;
  bool check_only = false;  ///< verify, but take no time
};

/// Runs kernels on one device: verifies each before and after it is timed.
///
/// The verification ladder: the whole result against a CPU reference in double precision where
/// that takes at most `full_check_fmas`; above, against another GPU kernel that passed such a check
/// at a small odd shape on this device, and by random projections that cover every output. Outputs
/// are poisoned with NaN before every run that is checked.
class Runner {
 public:
  static constexpr std::int64_t full_check_fmas = std::int64_t{1} << 30;

  virtual ~Runner() = default;
  /// What the device grants a launch, for plans.
  [[nodiscard]] virtual kernels::DeviceLimits limits() const = 0;
  /// Uploads a problem's inputs once for all kernels that run it in a row. Throws Error
  /// (unavailable) when CUDA refuses, also for memory.
  virtual RunOutcome run(const kernels::Kernel& kernel,
                         const std::shared_ptr<kernels::Problem>& problem,
                         const RunOptions& options) = 0;
  /// Hands the launch that `run` would time to an observer, for counters. Nothing is verified or
  /// timed. The plan must not be skipped, nor without anything to do. Throws what the observer
  /// does.
  virtual void observe(const kernels::Kernel& kernel,
                       const std::shared_ptr<kernels::Problem>& problem, CacheMode cache_mode,
                       const std::function<void(const ObservedLaunch&)>& observer) = 0;
};

/// A runner on a device of `query_devices`; clocks are sampled where NVML answers. Throws Error
/// (unavailable) in a build without CUDA and when CUDA refuses.
std::unique_ptr<Runner> open_runner(const LiveDevice& device, const Answer<Nvml>& nvml);

}  // namespace perfmodel::profiling
