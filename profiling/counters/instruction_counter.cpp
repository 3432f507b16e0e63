#include "profiling/counters/instruction_counter.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace perfmodel::profiling {

InstructionCounter::InstructionCounter(std::shared_ptr<const CuptiApi> api, CUcontext context,
                                       std::string chip, std::uint32_t device_ordinal,
                                       std::span<const std::string> metrics)
    : api_(std::move(api)), context_(context), device_ordinal_(device_ordinal) {
  std::vector<CUpti_SassMetrics_Config> configs;
  for (const std::string& metric : metrics) {
    CUpti_SassMetrics_GetProperties_Params properties{};
    properties.structSize = CUpti_SassMetrics_GetProperties_Params_STRUCT_SIZE;
    properties.pChipName = chip.c_str();
    properties.pMetricName = metric.c_str();
    if (api_->sass_get_properties.attempt(&properties) != CUPTI_SUCCESS) {
      not_known_.push_back(metric);
      continue;
    }
    names_[properties.metric.metricId] = metric;
    CUpti_SassMetrics_Config config{};
    config.metricId = properties.metric.metricId;
    config.outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU;
    configs.push_back(config);
  }
  CUpti_SassMetricsSetConfig_Params set{};
  set.structSize = CUpti_SassMetricsSetConfig_Params_STRUCT_SIZE;
  set.numOfMetricConfig = configs.size();
  set.pConfigs = configs.data();
  set.deviceIndex = device_ordinal_;
  api_->sass_set_config(&set);

  CUpti_SassMetricsEnable_Params enable{};
  enable.structSize = CUpti_SassMetricsEnable_Params_STRUCT_SIZE;
  enable.ctx = context_;
  enable.enableLazyPatching = 1;
  api_->sass_enable(&enable);
}

InstructionCounter::~InstructionCounter() {
  CUpti_SassMetricsDisable_Params disable{};
  disable.structSize = CUpti_SassMetricsDisable_Params_STRUCT_SIZE;
  disable.ctx = context_;
  static_cast<void>(api_->sass_disable.attempt(&disable));
  CUpti_SassMetricsUnsetConfig_Params unset{};
  unset.structSize = CUpti_SassMetricsUnsetConfig_Params_STRUCT_SIZE;
  unset.deviceIndex = device_ordinal_;
  static_cast<void>(api_->sass_unset_config.attempt(&unset));
}

std::vector<InstructionSample> InstructionCounter::count(const ObservedLaunch& launch) {
  launch.launch();
  CUpti_SassMetricsGetDataProperties_Params size{};
  size.structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE;
  size.ctx = context_;
  api_->sass_get_data_properties(&size);
  const std::size_t values_per_record =
      names_.size() * std::max<std::size_t>(size.numOfInstances, 1);
  std::vector<CUpti_SassMetrics_InstanceValue> values(size.numOfPatchedInstructionRecords *
                                                      values_per_record);
  std::vector<CUpti_SassMetrics_Data> records(size.numOfPatchedInstructionRecords);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].structSize = sizeof(CUpti_SassMetrics_Data);
    records[i].pInstanceValues = values.data() + i * values_per_record;
  }
  CUpti_SassMetricsFlushData_Params flush{};
  flush.structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
  flush.ctx = context_;
  flush.numOfPatchedInstructionRecords = records.size();
  flush.numOfInstances = size.numOfInstances;
  flush.pMetricsData = records.data();
  api_->sass_flush_data(&flush);

  std::vector<InstructionSample> samples;
  for (const CUpti_SassMetrics_Data& record : records) {
    InstructionSample& sample = samples.emplace_back();
    sample.function = record.functionName == nullptr ? "" : record.functionName;
    sample.address = record.pcOffset;
    for (const CUpti_SassMetrics_InstanceValue& value :
         std::span(record.pInstanceValues, values_per_record)) {
      if (const auto name = names_.find(value.metricId); name != names_.end()) {
        sample.values[name->second] += static_cast<double>(value.value);
      }
    }
  }
  std::ranges::sort(samples, {}, [](const InstructionSample& sample) {
    return std::tie(sample.function, sample.address);
  });
  return samples;
}

}  // namespace perfmodel::profiling
