#pragma once

#include <cstddef>
#include <memory>

#include "model/measurement.hpp"
#include "profiling/answer.hpp"
#include "profiling/counters/observed_launch.hpp"
#include "profiling/device_query.hpp"
#include "profiling/nvml.hpp"
#include "profiling/timer.hpp"

namespace perfmodel::profiling {

/// Times launches of any kernel on one device and samples its clocks meanwhile.
class LaunchMeter {
 public:
  /// Makes the device current; clocks are sampled where NVML answers. Throws Error (unavailable)
  /// when CUDA refuses.
  LaunchMeter(const LiveDevice& device, const Answer<Nvml>& nvml);

  /// Makes the device current again, for another one may have been since.
  void select_device() const;

  /// Times the launch and writes samples and clocks into the entry. Returns the relative standard
  /// error of the mean. Throws Error where CUDA reports one.
  double measure(const Timer::Launch& launch, const MeasureSettings& settings, Measurement& entry);

  /// Writes into the entry what a block of the function takes, and how many are resident. A
  /// function of a library is its cudaKernel_t. Throws Error.
  void note_occupancy(const void* function, std::size_t threads_per_block,
                      std::size_t dynamic_shared_bytes, Measurement& entry) const;

  /// The launch as counters and durations are taken of it: prepared with clean caches if `cold`,
  /// else by one more launch. This object must outlive it.
  ObservedLaunch observed(Timer::Launch launch, CacheMode cache_mode);

  /// Where launches outside of a measurement are queued.
  [[nodiscard]] const Stream& stream() const { return timer_->stream(); }

 private:
  int ordinal_;
  std::unique_ptr<Timer> timer_;
  std::unique_ptr<NvmlDevice> clock_source_;
};

}  // namespace perfmodel::profiling
