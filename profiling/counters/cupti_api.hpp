#pragma once

// CUPTI's headers need cuda.h first.
#include <cuda.h>
// clang-format off
#include <cupti_result.h>
#include <cupti_activity.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
// clang-format on

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiling/container.hpp"
#include "profiling/counters/refusal.hpp"

namespace perfmodel::profiling {

/// A function of the opened CUPTI. Calling it throws CounterRefused where it returns an error, or
/// where the installed CUPTI lacks it.
template <typename Signature>
class CuptiFunction;

template <typename... Arguments>
class CuptiFunction<CUptiResult(Arguments...)> {
 public:
  CuptiFunction(const std::function<void*(const char*)>& resolve, const char* name)
      : name_(name), call_(reinterpret_cast<Call>(resolve(name))) {}

  void operator()(Arguments... arguments) const {
    const CUptiResult code = attempt(arguments...);
    if (code != CUPTI_SUCCESS) {
      throw CounterRefused(refusal_of_cupti(static_cast<int>(code), name_, runs_in_container()));
    }
  }

  /// The result code for callers that expect some failures.
  [[nodiscard]] CUptiResult attempt(Arguments... arguments) const {
    if (call_ == nullptr) {
      throw CounterRefused(
          refusal_without_code(RefusalKind::incompatible_library,
                               std::string("The installed CUPTI has no function ") + name_ + "."));
    }
    return call_(arguments...);
  }

  /// For destructors: a failure is nobody's concern any more.
  void quietly(Arguments... arguments) const noexcept {
    if (call_ != nullptr) {
      static_cast<void>(call_(arguments...));
    }
  }

 private:
  using Call = CUptiResult (*)(Arguments...);
  const char* name_;
  Call call_;
};

/// The part of CUPTI that is used here, opened at run time: perfmodel neither needs it to start nor
/// loads it unless counters are asked for. (CUPTI opens its own helper library with RTLD_DEEPBIND,
/// which address-sanitizer builds do not survive.)
///
/// Structs are those of the headers at build time; CUPTI tells versions apart by `structSize`.
struct CuptiApi {
  std::function<void*(const char*)> resolve;

  template <typename Signature>
  using Function = CuptiFunction<Signature>;

  // Host: what a chip can count. Works without a GPU and without a driver.
  Function<decltype(cuptiProfilerHostGetSupportedChips)> host_get_supported_chips{
      resolve, "cuptiProfilerHostGetSupportedChips"};
  Function<decltype(cuptiProfilerHostInitialize)> host_initialize{resolve,
                                                                  "cuptiProfilerHostInitialize"};
  Function<decltype(cuptiProfilerHostDeinitialize)> host_deinitialize{
      resolve, "cuptiProfilerHostDeinitialize"};
  Function<decltype(cuptiProfilerHostGetBaseMetrics)> host_get_base_metrics{
      resolve, "cuptiProfilerHostGetBaseMetrics"};
  Function<decltype(cuptiProfilerHostGetSubMetrics)> host_get_sub_metrics{
      resolve, "cuptiProfilerHostGetSubMetrics"};
  Function<decltype(cuptiProfilerHostGetMetricProperties)> host_get_metric_properties{
      resolve, "cuptiProfilerHostGetMetricProperties"};
  Function<decltype(cuptiProfilerHostConfigAddMetrics)> host_config_add_metrics{
      resolve, "cuptiProfilerHostConfigAddMetrics"};
  Function<decltype(cuptiProfilerHostGetConfigImageSize)> host_get_config_image_size{
      resolve, "cuptiProfilerHostGetConfigImageSize"};
  Function<decltype(cuptiProfilerHostGetConfigImage)> host_get_config_image{
      resolve, "cuptiProfilerHostGetConfigImage"};
  Function<decltype(cuptiProfilerHostGetNumOfPasses)> host_get_num_of_passes{
      resolve, "cuptiProfilerHostGetNumOfPasses"};
  Function<decltype(cuptiProfilerHostEvaluateToGpuValues)> host_evaluate{
      resolve, "cuptiProfilerHostEvaluateToGpuValues"};

  // Target: the device that counts.
  Function<decltype(cuptiProfilerInitialize)> profiler_initialize{resolve,
                                                                  "cuptiProfilerInitialize"};
  Function<decltype(cuptiProfilerDeviceSupported)> profiler_device_supported{
      resolve, "cuptiProfilerDeviceSupported"};
  Function<decltype(cuptiProfilerGetCounterAvailability)> profiler_get_counter_availability{
      resolve, "cuptiProfilerGetCounterAvailability"};
  Function<decltype(cuptiDeviceGetChipName)> device_get_chip_name{resolve,
                                                                  "cuptiDeviceGetChipName"};
  Function<decltype(cuptiRangeProfilerEnable)> range_enable{resolve, "cuptiRangeProfilerEnable"};
  Function<decltype(cuptiRangeProfilerDisable)> range_disable{resolve, "cuptiRangeProfilerDisable"};
  Function<decltype(cuptiRangeProfilerGetCounterDataSize)> range_get_counter_data_size{
      resolve, "cuptiRangeProfilerGetCounterDataSize"};
  Function<decltype(cuptiRangeProfilerCounterDataImageInitialize)> range_initialize_counter_data{
      resolve, "cuptiRangeProfilerCounterDataImageInitialize"};
  Function<decltype(cuptiRangeProfilerGetCounterDataInfo)> range_get_counter_data_info{
      resolve, "cuptiRangeProfilerGetCounterDataInfo"};
  Function<decltype(cuptiRangeProfilerSetConfig)> range_set_config{resolve,
                                                                   "cuptiRangeProfilerSetConfig"};
  Function<decltype(cuptiRangeProfilerStart)> range_start{resolve, "cuptiRangeProfilerStart"};
  Function<decltype(cuptiRangeProfilerStop)> range_stop{resolve, "cuptiRangeProfilerStop"};
  Function<decltype(cuptiRangeProfilerDecodeData)> range_decode_data{
      resolve, "cuptiRangeProfilerDecodeData"};

  // Activity: durations of kernels, for which no permission is needed.
  Function<decltype(cuptiActivityEnable)> activity_enable{resolve, "cuptiActivityEnable"};
  Function<decltype(cuptiActivityDisable)> activity_disable{resolve, "cuptiActivityDisable"};
  Function<decltype(cuptiActivityRegisterCallbacks)> activity_register_callbacks{
      resolve, "cuptiActivityRegisterCallbacks"};
  Function<decltype(cuptiActivityFlushAll)> activity_flush_all{resolve, "cuptiActivityFlushAll"};
  Function<decltype(cuptiActivityGetNextRecord)> activity_get_next_record{
      resolve, "cuptiActivityGetNextRecord"};

  // Counts by instruction.
  Function<decltype(cuptiSassMetricsGetProperties)> sass_get_properties{
      resolve, "cuptiSassMetricsGetProperties"};
  Function<decltype(cuptiSassMetricsSetConfig)> sass_set_config{resolve,
                                                                "cuptiSassMetricsSetConfig"};
  Function<decltype(cuptiSassMetricsUnsetConfig)> sass_unset_config{resolve,
                                                                    "cuptiSassMetricsUnsetConfig"};
  Function<decltype(cuptiSassMetricsEnable)> sass_enable{resolve, "cuptiSassMetricsEnable"};
  Function<decltype(cuptiSassMetricsDisable)> sass_disable{resolve, "cuptiSassMetricsDisable"};
  Function<decltype(cuptiSassMetricsGetDataProperties)> sass_get_data_properties{
      resolve, "cuptiSassMetricsGetDataProperties"};
  Function<decltype(cuptiSassMetricsFlushData)> sass_flush_data{resolve,
                                                                "cuptiSassMetricsFlushData"};
};

/// Opens the first CUPTI that can be opened; it stays open until the process ends, for the driver
/// keeps calling into it. `places` are files, or names that the loader looks for. Throws
/// CounterRefused with every place that was tried.
std::shared_ptr<const CuptiApi> open_cupti(const std::vector<std::filesystem::path>& places);

/// PERFMODEL_CUPTI alone where it is set; else what the loader finds, CUDA Toolkits, wheels.
std::vector<std::filesystem::path> cupti_places();

}  // namespace perfmodel::profiling
