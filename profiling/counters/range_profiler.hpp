#pragma once

#include <map>
#include <memory>
#include <string>

#include "profiling/counters/cupti_api.hpp"
#include "profiling/counters/metric_host.hpp"
#include "profiling/counters/observed_launch.hpp"

namespace perfmodel::profiling {

/// Counters of launches by CUPTI's range profiler, in a context of this process. While one exists,
/// launches in that context are slower: times are taken without one. Throws CounterRefused.
class RangeProfiler {
 public:
  RangeProfiler(std::shared_ptr<const CuptiApi> api, CUcontext context);
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;
  ~RangeProfiler();

  /// Values of one launch, by full metric name; where it consists of several kernels, those metrics
  /// that are sums, added up. `host` made the configuration.
  std::map<std::string, double, std::less<>> collect(const MetricHost& host,
                                                     const MetricConfiguration& configuration,
                                                     const ObservedLaunch& launch, ReplayMode mode);

 private:
  std::shared_ptr<const CuptiApi> api_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

/// What most of CUPTI needs first; any number of times. Before it, some of CUPTI's functions do not
/// fail but crash. Throws CounterRefused.
void initialize_profiler(const CuptiApi& api);

/// What the counters of the context's device are restricted to; for MetricHost. Throws
/// CounterRefused, also where the device or its mode has none.
std::vector<std::uint8_t> counter_availability(const CuptiApi& api, CUcontext context,
                                               CUdevice device);

/// "GH100". Throws CounterRefused.
std::string chip_name(const CuptiApi& api, std::size_t device_ordinal);

}  // namespace perfmodel::profiling
