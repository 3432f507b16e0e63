// A CUPTI without a GPU behind it, for the paths that a real one takes only on other people's
// machines. FAKE_CUPTI_FAILS="cuptiRangeProfilerEnable=35" lets that call return this code.

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

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr std::size_t passes = 3;
std::size_t submitted = 0;

CUptiResult told(const char* function) {
  const char* const fails = std::getenv("FAKE_CUPTI_FAILS");
  if (fails == nullptr) {
    return CUPTI_SUCCESS;
  }
  const std::string_view text = fails;
  const std::size_t equals = text.find('=');
  return text.substr(0, equals) == function
             ? static_cast<CUptiResult>(std::atoi(fails + equals + 1))
             : CUPTI_SUCCESS;
}

/// For handles that nobody looks into.
template <typename T>
T* handle() {
  static int something = 0;
  return reinterpret_cast<T*>(&something);
}

}  // namespace

extern "C" {

CUptiResult cuptiProfilerHostGetSupportedChips(
    CUpti_Profiler_Host_GetSupportedChips_Params* params) {
  static const char* const chips[] = {"XX100", "XX102"};
  params->numChips = 2;
  params->ppChipNames = chips;
  return told(__func__);
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  if (std::strcmp(params->pChipName, "XX100") != 0) {
    return CUPTI_ERROR_INVALID_CHIP_NAME;
  }
  params->pHostObject = handle<CUpti_Profiler_Host_Object>();
  return told(__func__);
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params*) {
  return told(__func__);
}

CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params* params) {
  static const char* names[] = {"xx__two", "Triage.xx__hidden", "xx__one"};
  params->ppMetricNames = names;
  params->numMetrics = params->metricType == CUPTI_METRIC_TYPE_COUNTER ? 3 : 0;
  return told(__func__);
}

CUptiResult cuptiProfilerHostGetMetricProperties(
    CUpti_Profiler_Host_GetMetricProperties_Params* params) {
  params->pDescription = "a count";
  params->pHwUnit = "xx";
  params->pDimUnit =
      std::strstr(params->pMetricName, "xx__two") != nullptr ? "nanosecond" : nullptr;
  params->metricType = CUPTI_METRIC_TYPE_COUNTER;
  return told(__func__);
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    const std::string_view name = params->ppMetricNames[i];
    if (name != "xx__one.sum" && name != "xx__one.max" && name != "xx__two.sum") {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
  }
  return told(__func__);
}

CUptiResult cuptiProfilerHostGetConfigImageSize(
    CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  params->configImageSize = 16;
  return told(__func__);
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  std::memset(params->pConfigImage, 7, params->configImageSize);
  return told(__func__);
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  params->numOfPasses = passes;
  return told(__func__);
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(
    CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    const std::string_view name = params->ppMetricNames[i];
    params->pMetricValues[i] = name == "xx__one.sum" ? 1 : name == "xx__two.sum" ? 2 : 3;
  }
  return told(__func__);
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) { return told(__func__); }

/// FAKE_CUPTI_UNFIT names what the device is: vgpu, mig, cc.
CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
  const char* const unfit = std::getenv("FAKE_CUPTI_UNFIT");
  const std::string_view what = unfit == nullptr ? "" : unfit;
  const auto level = [&](const char* name) {
    return what == name ? CUPTI_PROFILER_CONFIGURATION_DISABLED
                        : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  };
  params->isSupported = what.empty() ? CUPTI_PROFILER_CONFIGURATION_SUPPORTED
                                     : CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  params->architecture = level("architecture");
  params->sli = level("sli");
  params->vGpu = level("vgpu");
  params->confidentialCompute = level("cc");
  params->cmp = level("cmp");
  params->wsl = level("wsl");
  return told(__func__);
}

CUptiResult cuptiProfilerGetCounterAvailability(
    CUpti_Profiler_GetCounterAvailability_Params* params) {
  params->counterAvailabilityImageSize = 8;
  return told(__func__);
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  params->pChipName = "XX100";
  return told(__func__);
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  params->pRangeProfilerObject = handle<CUpti_RangeProfiler_Object>();
  return told(__func__);
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  return told(__func__);
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(
    CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  params->counterDataSize = 64;
  return told(__func__);
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return told(__func__);
}

/// FAKE_CUPTI_RANGES: how many kernels a launch seems to consist of.
CUptiResult cuptiRangeProfilerGetCounterDataInfo(
    CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  const char* const ranges = std::getenv("FAKE_CUPTI_RANGES");
  params->numTotalRanges = ranges == nullptr ? 1 : static_cast<std::size_t>(std::atoi(ranges));
  return told(__func__);
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params*) {
  submitted = 0;
  return told(__func__);
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) { return told(__func__); }

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  params->isAllPassSubmitted = ++submitted == passes ? 1 : 0;
  return told(__func__);
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  return told(__func__);
}

}  // extern "C"
