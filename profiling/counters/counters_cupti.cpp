#include <cuda_runtime_api.h>

#include <optional>
#include <utility>

#include "kernels/cuda_check.hpp"
#include "profiling/counters/counters.hpp"
#include "profiling/counters/instruction_counter.hpp"
#include "profiling/counters/kernel_tracer.hpp"
#include "profiling/counters/metric_host.hpp"
#include "profiling/counters/range_profiler.hpp"

namespace perfmodel::profiling {
namespace {

using kernels::check_cuda;

std::shared_ptr<const CuptiApi> cupti() {
  static const std::shared_ptr<const CuptiApi> api = open_cupti(cupti_places());
  return api;
}

/// The context in which the runtime works on a device. The driver's library is not linked: the
/// runtime has loaded it.
CUcontext context_of(int device_ordinal) {
  check_cuda(cudaSetDevice(device_ordinal), "cudaSetDevice");
  check_cuda(cudaFree(nullptr), "cudaFree");  // makes the context where there is none yet
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned since_cuda = 12000;
  check_cuda(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, since_cuda,
                                              cudaEnableDefault, &found),
             "cudaGetDriverEntryPointByVersion");
  CUcontext context = nullptr;
  if (function == nullptr ||
      reinterpret_cast<decltype(&cuCtxGetCurrent)>(function)(&context) != CUDA_SUCCESS) {
    throw CounterRefused(
        refusal_without_code(RefusalKind::failed, "The CUDA driver does not tell its context."));
  }
  return context;
}

class CuptiCollector final : public CounterCollector {
 public:
  CuptiCollector(int device_ordinal, std::span<const MetricChoice> metrics, ReplayMode replay)
      : device_ordinal_(device_ordinal),
        metrics_(metrics.begin(), metrics.end()),
        replay_(replay),
        api_(cupti()) {}

  std::map<std::string, double, std::less<>> collect(const ObservedLaunch& launch) override {
    if (!host_) {
      std::vector<std::uint8_t> availability =
          counter_availability(*api_, context_of(device_ordinal_), device_ordinal_);
      host_.emplace(api_, chip_name(*api_, static_cast<std::size_t>(device_ordinal_)),
                    std::move(availability));
      configuration_ = host_->configure(metrics_);
    }
    if (configuration_.metrics.empty()) {
      return {};
    }
    // Its own for each launch: while one exists, every launch is slower.
    RangeProfiler profiler(api_, context_of(device_ordinal_));
    return profiler.collect(*host_, configuration_, launch, replay_);
  }

  std::vector<double> kernel_durations_s(const ObservedLaunch& launch, std::size_t count) override {
    return KernelTracer(api_).durations_s(launch, count);
  }

  [[nodiscard]] std::vector<std::string> not_known() const override {
    return configuration_.not_known;
  }

 private:
  int device_ordinal_;
  std::vector<MetricChoice> metrics_;
  ReplayMode replay_;
  std::shared_ptr<const CuptiApi> api_;
  std::optional<MetricHost> host_;
  MetricConfiguration configuration_;
};

}  // namespace

std::vector<std::string> known_chips() { return MetricHost::chips(*cupti()); }

std::vector<MetricProperties> chip_metrics(const std::string& chip) {
  return MetricHost(cupti(), chip).metrics();
}

MetricConfiguration configure_metrics(const std::string& chip,
                                      std::span<const MetricChoice> metrics) {
  return MetricHost(cupti(), chip).configure(metrics);
}

std::unique_ptr<CounterCollector> open_collector(int device_ordinal,
                                                 std::span<const MetricChoice> metrics,
                                                 ReplayMode replay) {
  return std::make_unique<CuptiCollector>(device_ordinal, metrics, replay);
}

std::unique_ptr<InstructionCollector> open_instruction_collector(
    int device_ordinal, std::span<const std::string> metrics) {
  return std::make_unique<InstructionCounter>(
      cupti(), context_of(device_ordinal),
      chip_name(*cupti(), static_cast<std::size_t>(device_ordinal)),
      static_cast<std::uint32_t>(device_ordinal), metrics);
}

}  // namespace perfmodel::profiling
