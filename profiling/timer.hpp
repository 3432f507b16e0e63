#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "model/measurement.hpp"
#include "profiling/cuda_resources.hpp"
#include "profiling/launch_plan.hpp"
#include "profiling/stopping_rule.hpp"

namespace perfmodel::profiling {

struct TimerOptions {
  CacheMode cache_mode = CacheMode::cold;
  /// At least, and 0.1 s of them; fewer once they took a tenth of the time limit.
  std::size_t warmup_launches = 3;
  StoppingLimits limits;
};

/// The options that a recording's settings stand for.
TimerOptions timer_options(const MeasureSettings& settings);

/// What was measured of one kernel.
struct Timing {
  std::vector<double> samples_s;  ///< seconds per launch, the event overhead contained
  LaunchPlan plan;
  StopReason stop_reason{};
  double noise{};  ///< relative standard error of the mean when sampling stopped
  bool noisy{};    ///< `noise` is above the limit
};

/// Times launches with CUDA events on the device that was current when it was made.
class Timer {
 public:
  /// Queues one launch on the stream. A launch that fails is found right after it.
  using Launch = std::function<void(cudaStream_t)>;

  /// Takes a scratch buffer of twice the L2 for cold measurements and measures the event overhead.
  /// Throws Error.
  Timer();

  /// Warm-up, then samples until the stopping rule is content. In a cold measurement the scratch
  /// buffer is overwritten before each sample, outside the timed span; what it leaves in the L2 is
  /// modified and written back while the kernel runs, as after any kernel that wrote its results.
  /// Throws Error where CUDA reports one.
  Timing time(const Launch& launch, const TimerOptions& options);

  /// Reads the scratch buffer, so that L2 holds nothing of any other kernel and nothing modified;
  /// waits. For counters of a cold launch: what overwriting leaves would be written back and
  /// counted.
  void clean_caches();

  /// Between two events with nothing in between: the median of many pairs. It is stated beside the
  /// samples and not subtracted, for it is not the same with a kernel in between.
  [[nodiscard]] double event_overhead_s() const { return event_overhead_s_; }
  [[nodiscard]] std::size_t l2_bytes() const { return scratch_.bytes() / 2; }
  [[nodiscard]] const Stream& stream() const { return stream_; }

 private:
  /// Seconds per launch of one timed span.
  double sample(const Launch& launch, const LaunchPlan& plan, CacheMode cache_mode);
  void launch_checked(const Launch& launch);
  [[nodiscard]] double measure_event_overhead();

  Stream stream_;
  Event begin_;
  Event end_;
  DeviceBuffer scratch_;
  double event_overhead_s_ = 0.0;
};

/// Writes what was timed into an entry: samples, their median, and how they came about.
void fill_entry(Measurement& entry, const Timing& timing, const Timer& timer,
                const TimerOptions& options);

}  // namespace perfmodel::profiling
