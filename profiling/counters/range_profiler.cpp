#include "profiling/counters/range_profiler.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace perfmodel::profiling {
namespace {

template <typename Params>
Params for_object(std::size_t struct_size, CUpti_RangeProfiler_Object* object) {
  Params params{};
  params.structSize = struct_size;
  params.pRangeProfilerObject = object;
  return params;
}

/// What makes a device unfit, in words; nothing where it is fit.
std::string unfit_reason(const CUpti_Profiler_DeviceSupported_Params& support) {
  struct Part {
    CUpti_Profiler_Support_Level level;
    std::string_view what;
  };
  const std::array parts = {
      Part{support.architecture, "its architecture"},
      Part{support.sli, "SLI"},
      Part{support.vGpu, "it is a virtual GPU"},
      Part{support.confidentialCompute, "confidential computing"},
      Part{support.cmp, "it is a mining processor"},
      Part{support.wsl, "WSL"},
  };
  for (const Part& part : parts) {
    if (part.level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
        part.level == CUPTI_PROFILER_CONFIGURATION_DISABLED) {
      return std::string(part.what);
    }
  }
  return "";
}

}  // namespace

void initialize_profiler(const CuptiApi& api) {
  CUpti_Profiler_Initialize_Params params{};
  params.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
  api.profiler_initialize(&params);
}

std::vector<std::uint8_t> counter_availability(const CuptiApi& api, CUcontext context,
                                               CUdevice device) {
  initialize_profiler(api);
  CUpti_Profiler_DeviceSupported_Params support{};
  support.structSize = CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE;
  support.cuDevice = device;
  support.api = CUPTI_PROFILER_RANGE_PROFILING;
  api.profiler_device_supported(&support);
  if (support.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
    const bool virtual_gpu = support.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED ||
                             support.vGpu == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    throw CounterRefused(refusal_without_code(
        virtual_gpu ? RefusalKind::virtual_device : RefusalKind::unsupported_device,
        "This GPU has no counters in its present mode (" + unfit_reason(support) + ")."));
  }

  CUpti_Profiler_GetCounterAvailability_Params params{};
  params.structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE;
  params.ctx = context;
  api.profiler_get_counter_availability(&params);
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  api.profiler_get_counter_availability(&params);
  return image;
}

std::string chip_name(const CuptiApi& api, std::size_t device_ordinal) {
  initialize_profiler(api);
  CUpti_Device_GetChipName_Params params{};
  params.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
  params.deviceIndex = device_ordinal;
  api.device_get_chip_name(&params);
  return params.pChipName;
}

RangeProfiler::RangeProfiler(std::shared_ptr<const CuptiApi> api, CUcontext context)
    : api_(std::move(api)) {
  CUpti_RangeProfiler_Enable_Params params{};
  params.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
  params.ctx = context;
  api_->range_enable(&params);
  object_ = params.pRangeProfilerObject;
}

RangeProfiler::~RangeProfiler() {
  auto params = for_object<CUpti_RangeProfiler_Disable_Params>(
      CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE, object_);
  api_->range_disable.quietly(&params);
}

std::map<std::string, double, std::less<>> RangeProfiler::collect(
    const MetricHost& host, const MetricConfiguration& configuration, const ObservedLaunch& launch,
    ReplayMode mode) {
  // Every kernel is a range of its own: a range around the whole launch would hold the time before
  // the first kernel and after the last one.
  constexpr std::size_t most_ranges = 64;
  std::vector<const char*> names;
  names.reserve(configuration.metrics.size());
  for (const std::string& metric : configuration.metrics) {
    names.push_back(metric.c_str());
  }
  auto size = for_object<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE, object_);
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = most_ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(most_ranges);
  api_->range_get_counter_data_size(&size);
  std::vector<std::uint8_t> counter_data(size.counterDataSize);

  auto initialize = for_object<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE, object_);
  initialize.counterDataSize = counter_data.size();
  initialize.pCounterData = counter_data.data();
  api_->range_initialize_counter_data(&initialize);

  auto config = for_object<CUpti_RangeProfiler_SetConfig_Params>(
      CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE, object_);
  config.configSize = configuration.image.size();
  config.pConfig = configuration.image.data();
  config.counterDataImageSize = counter_data.size();
  config.pCounterDataImage = counter_data.data();
  config.range = CUPTI_AutoRange;
  config.replayMode = mode == ReplayMode::user ? CUPTI_UserReplay : CUPTI_KernelReplay;
  config.maxRangesPerPass = most_ranges;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.passIndex = 0;
  config.targetNestingLevel = 1;
  api_->range_set_config(&config);

  bool all_passes = false;
  while (!all_passes) {
    launch.prepare();
    auto start = for_object<CUpti_RangeProfiler_Start_Params>(
        CUpti_RangeProfiler_Start_Params_STRUCT_SIZE, object_);
    api_->range_start(&start);
    launch.launch();
    auto stop = for_object<CUpti_RangeProfiler_Stop_Params>(
        CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE, object_);
    api_->range_stop(&stop);
    all_passes = stop.isAllPassSubmitted != 0;
  }
  auto decode = for_object<CUpti_RangeProfiler_DecodeData_Params>(
      CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE, object_);
  api_->range_decode_data(&decode);

  CUpti_RangeProfiler_GetCounterDataInfo_Params info{};
  info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
  info.pCounterDataImage = counter_data.data();
  info.counterDataImageSize = counter_data.size();
  api_->range_get_counter_data_info(&info);
  if (info.numTotalRanges == 0) {
    throw CounterRefused(
        refusal_without_code(RefusalKind::failed, "CUPTI saw no kernel in the launch."));
  }
  std::map<std::string, double, std::less<>> values = host.evaluate(configuration, counter_data, 0);
  if (info.numTotalRanges > 1) {
    // Only sums can be added up.
    std::erase_if(values, [](const auto& one) { return !one.first.ends_with(".sum"); });
  }
  for (std::size_t range = 1; range < info.numTotalRanges; ++range) {
    for (const auto& [metric, value] : host.evaluate(configuration, counter_data, range)) {
      if (const auto sum = values.find(metric); sum != values.end()) {
        sum->second += value;
      }
    }
  }
  return values;
}

}  // namespace perfmodel::profiling
