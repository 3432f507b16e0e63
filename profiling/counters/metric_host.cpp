#include "profiling/counters/metric_host.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "profiling/counters/cupti_api.hpp"

namespace perfmodel::profiling {
namespace {

constexpr std::array metric_types = {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO,
                                     CUPTI_METRIC_TYPE_THROUGHPUT};

/// What a value in CUPTI's unit is times, in seconds; 1 for everything that is no time.
double seconds_per_unit(std::string_view dimension) {
  constexpr double nano = 1e-9;
  return dimension == "nanosecond" ? nano : 1.0;
}

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

/// CUPTI's object for one chip. Metrics add up in it, so that every configuration takes a new one.
class MetricHost::Object {
 public:
  explicit Object(const MetricHost& host) : api_(*host.api_) {
    CUpti_Profiler_Host_Initialize_Params params{};
    params.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = host.chip_.c_str();
    params.pCounterAvailabilityImage =
        host.availability_.empty() ? nullptr : host.availability_.data();
    api_.host_initialize(&params);
    object_ = params.pHostObject;
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  ~Object() {
    CUpti_Profiler_Host_Deinitialize_Params params{};
    params.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    api_.host_deinitialize.quietly(&params);
  }
  [[nodiscard]] CUpti_Profiler_Host_Object* get() const { return object_; }

  [[nodiscard]] CUptiResult add(std::span<const std::string> metrics) const {
    std::vector<const char*> names = c_strings(metrics);
    CUpti_Profiler_Host_ConfigAddMetrics_Params params{};
    params.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    params.ppMetricNames = names.data();
    params.numMetrics = names.size();
    return api_.host_config_add_metrics.attempt(&params);
  }

  /// Of a metric without roll-up that the chip has.
  [[nodiscard]] MetricProperties properties(const std::string& metric) const {
    CUpti_Profiler_Host_GetMetricProperties_Params params{};
    params.structSize = CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE;
    params.pHostObject = object_;
    params.pMetricName = metric.c_str();
    api_.host_get_metric_properties(&params);
    return {metric, text_or_empty(params.pDescription), text_or_empty(params.pHwUnit),
            text_or_empty(params.pDimUnit)};
  }

  static std::vector<const char*> c_strings(std::span<const std::string> texts) {
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const std::string& text : texts) {
      pointers.push_back(text.c_str());
    }
    return pointers;
  }

 private:
  const CuptiApi& api_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

std::vector<std::string> MetricHost::chips(const CuptiApi& api) {
  CUpti_Profiler_Host_GetSupportedChips_Params params{};
  params.structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE;
  api.host_get_supported_chips(&params);
  std::vector<std::string> names;
  for (const char* name : std::span(params.ppChipNames, params.numChips)) {
    names.emplace_back(name);
  }
  return names;
}

MetricHost::MetricHost(std::shared_ptr<const CuptiApi> api, std::string chip,
                       std::vector<std::uint8_t> availability)
    : api_(std::move(api)), chip_(std::move(chip)), availability_(std::move(availability)) {
  queries_ = std::make_shared<const Object>(*this);
}

std::vector<MetricProperties> MetricHost::metrics() const {
  std::vector<MetricProperties> found;
  for (const CUpti_MetricType type : metric_types) {
    CUpti_Profiler_Host_GetBaseMetrics_Params params{};
    params.structSize = CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE;
    params.pHostObject = queries_->get();
    params.metricType = type;
    api_->host_get_base_metrics(&params);
    for (const char* name : std::span(params.ppMetricNames, params.numMetrics)) {
      if (std::string_view(name).find('.') != std::string_view::npos) {
        continue;
      }
      found.push_back(queries_->properties(name));
    }
  }
  std::ranges::sort(found, {}, &MetricProperties::name);
  return found;
}

MetricConfiguration MetricHost::configure(std::span<const MetricChoice> metrics) const {
  MetricConfiguration configuration;
  for (const MetricChoice& metric : metrics) {
    configuration.metrics.push_back(metric.name);
  }
  auto object = std::make_unique<Object>(*this);
  if (object->add(configuration.metrics) != CUPTI_SUCCESS) {
    // CUPTI does not say which name it does not know, so each is tried on its own.
    const auto known = [&](const std::string& name) {
      return !name.empty() && Object(*this).add({&name, 1}) == CUPTI_SUCCESS;
    };
    configuration.metrics.clear();
    for (const MetricChoice& metric : metrics) {
      if (known(metric.name)) {
        configuration.metrics.push_back(metric.name);
      } else if (known(metric.alternative)) {
        configuration.metrics.push_back(metric.alternative);
      } else {
        configuration.not_known.push_back(metric.name);
      }
    }
    object = std::make_unique<Object>(*this);
    if (configuration.metrics.empty()) {
      return configuration;
    }
    if (const CUptiResult code = object->add(configuration.metrics); code != CUPTI_SUCCESS) {
      throw CounterRefused(refusal_of_cupti(
          static_cast<int>(code), "cuptiProfilerHostConfigAddMetrics", runs_in_container()));
    }
  }
  CUpti_Profiler_Host_GetConfigImageSize_Params size{};
  size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
  size.pHostObject = object->get();
  api_->host_get_config_image_size(&size);
  configuration.image.resize(size.configImageSize);

  CUpti_Profiler_Host_GetConfigImage_Params image{};
  image.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
  image.pHostObject = object->get();
  image.configImageSize = configuration.image.size();
  image.pConfigImage = configuration.image.data();
  api_->host_get_config_image(&image);

  CUpti_Profiler_Host_GetNumOfPasses_Params passes{};
  passes.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
  passes.configImageSize = configuration.image.size();
  passes.pConfigImage = configuration.image.data();
  api_->host_get_num_of_passes(&passes);
  configuration.passes = passes.numOfPasses;
  return configuration;
}

std::map<std::string, double, std::less<>> MetricHost::evaluate(
    const MetricConfiguration& configuration, std::span<const std::uint8_t> counter_data,
    std::size_t range) const {
  std::vector<const char*> names = Object::c_strings(configuration.metrics);
  std::vector<double> values(names.size());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params params{};
  params.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
  params.pHostObject = queries_->get();
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = range;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  api_->host_evaluate(&params);
  std::map<std::string, double, std::less<>> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& metric = configuration.metrics[i];
    // A time per second or a share of a peak is no time.
    const bool plain = metric.find('.') == metric.rfind('.');
    const std::string base = metric.substr(0, metric.find('.'));
    result[metric] =
        plain ? values[i] * seconds_per_unit(queries_->properties(base).dimension) : values[i];
  }
  return result;
}

}  // namespace perfmodel::profiling
