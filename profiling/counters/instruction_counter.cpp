#include "profiling/counters/instruction_counter.hpp"

#include <algorithm>
#include <utility>

#include "profiling/counters/range_profiler.hpp"

namespace perfmodel::profiling {

InstructionCounter::InstructionCounter(std::shared_ptr<const CuptiApi> api, CUcontext context,
                                       const std::string& chip, std::uint32_t device_ordinal,
                                       std::span<const std::string> metrics)
    : api_(std::move(api)), context_(context), device_ordinal_(device_ordinal) {
  initialize_profiler(*api_);
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
  if (configs.empty()) {
    throw CounterRefused(refusal_without_code(
        RefusalKind::unknown_metric, "None of the metrics asked for exists on " + chip + "."));
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
  api_->sass_disable.quietly(&disable);
  CUpti_SassMetricsUnsetConfig_Params unset{};
  unset.structSize = CUpti_SassMetricsUnsetConfig_Params_STRUCT_SIZE;
  unset.deviceIndex = device_ordinal_;
  api_->sass_unset_config.quietly(&unset);
}

std::vector<InstructionSample> InstructionCounter::count(const ObservedLaunch& launch) {
  launch.launch();
  CUpti_SassMetricsGetDataProperties_Params size{};
  size.structSize = CUpti_SassMetricsGetDataProperties_Params_STRUCT_SIZE;
  size.ctx = context_;
  api_->sass_get_data_properties(&size);
  // A record is one metric of one instruction, with a value for each instance.
  const std::size_t instances = std::max<std::size_t>(size.numOfInstances, 1);
  std::vector<CUpti_SassMetrics_InstanceValue> values(size.numOfPatchedInstructionRecords *
                                                      instances);
  std::vector<CUpti_SassMetrics_Data> records(size.numOfPatchedInstructionRecords);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].structSize = sizeof(CUpti_SassMetrics_Data);
    records[i].pInstanceValues = values.data() + i * instances;
  }
  CUpti_SassMetricsFlushData_Params flush{};
  flush.structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
  flush.ctx = context_;
  flush.numOfPatchedInstructionRecords = records.size();
  flush.numOfInstances = size.numOfInstances;
  flush.pMetricsData = records.data();
  api_->sass_flush_data(&flush);

  std::map<std::pair<std::string, std::uint32_t>, InstructionSample> samples;
  for (const CUpti_SassMetrics_Data& record : records) {
    const std::string function = record.functionName == nullptr ? "" : record.functionName;
    InstructionSample& sample = samples[{function, record.pcOffset}];
    sample.function = function;
    sample.address = record.pcOffset;
    for (const CUpti_SassMetrics_InstanceValue& value :
         std::span(record.pInstanceValues, instances)) {
      if (const auto name = names_.find(value.metricId); name != names_.end()) {
        sample.values[name->second] += static_cast<double>(value.value);
      }
    }
  }
  std::vector<InstructionSample> sorted;
  for (auto& [where, sample] : samples) {
    sorted.push_back(std::move(sample));
  }
  return sorted;
}

}  // namespace perfmodel::profiling
