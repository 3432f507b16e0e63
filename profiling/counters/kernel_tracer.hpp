#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "profiling/counters/observed_launch.hpp"

namespace perfmodel::profiling {

struct CuptiApi;

/// Durations of kernels as the device notes them (CUPTI activity records): without the overhead
/// that a pair of events contains. Needs no permission for counters. One tracer at a time in a
/// process, and none while counts by instruction are taken. Throws CounterRefused.
class KernelTracer {
 public:
  explicit KernelTracer(std::shared_ptr<const CuptiApi> api);
  KernelTracer(const KernelTracer&) = delete;
  KernelTracer& operator=(const KernelTracer&) = delete;
  ~KernelTracer();

  /// Seconds from the begin of the first kernel of a launch to the end of its last one, for `count`
  /// launches.
  std::vector<double> durations_s(const ObservedLaunch& launch, std::size_t count);

 private:
  std::shared_ptr<const CuptiApi> api_;
};

}  // namespace perfmodel::profiling
