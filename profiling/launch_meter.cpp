#include "profiling/launch_meter.hpp"

#include <optional>
#include <utility>

#include "kernels/cuda_check.hpp"
#include "profiling/clock_sampler.hpp"

namespace perfmodel::profiling {

using kernels::check_cuda;

LaunchMeter::LaunchMeter(const LiveDevice& device, const Answer<Nvml>& nvml)
    : ordinal_(device.ordinal) {
  select_device();
  timer_ = std::make_unique<Timer>();
  if (nvml && device.attributes.pci_bus_id) {
    const Answer<NvmlDevice> clock = nvml->device_by_pci_bus_id(*device.attributes.pci_bus_id);
    if (clock) {
      clock_source_ = std::make_unique<NvmlDevice>(*clock);
    }
  }
}

void LaunchMeter::select_device() const { check_cuda(cudaSetDevice(ordinal_), "cudaSetDevice"); }

double LaunchMeter::measure(const Timer::Launch& launch, const MeasureSettings& settings,
                            Measurement& entry) {
  const TimerOptions options = timer_options(settings);
  std::optional<ClockSampler> sampler;
  if (clock_source_) {
    sampler.emplace(*clock_source_);
  }
  const Timing timing = timer_->time(launch, options);
  if (sampler) {
    entry.clocks = sampler->stop();
  }
  fill_entry(entry, timing, *timer_, options);
  return timing.noise;
}

void LaunchMeter::note_occupancy(const void* function, std::size_t threads_per_block,
                                 std::size_t dynamic_shared_bytes, Measurement& entry) const {
  const auto threads = static_cast<int>(threads_per_block);
  int blocks = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                           dynamic_shared_bytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  int threads_per_sm = 0;
  check_cuda(
      cudaDeviceGetAttribute(&threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, ordinal_),
      "cudaDeviceGetAttribute");
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
  entry.shared_bytes_per_block =
      static_cast<std::int64_t>(attributes.sharedSizeBytes + dynamic_shared_bytes);
  if (blocks > 0) {
    entry.blocks_per_sm = blocks;
    entry.occupancy = static_cast<double>(blocks) * threads / threads_per_sm;
  }
}

ObservedLaunch LaunchMeter::observed(Timer::Launch launch, CacheMode cache_mode) {
  ObservedLaunch observed;
  observed.launch = [this, launch = std::move(launch)] {
    launch(stream().get());
    stream().synchronize();
  };
  if (cache_mode == CacheMode::cold) {
    observed.prepare = [this] { timer_->clean_caches(); };
  } else {
    observed.prepare = observed.launch;
  }
  return observed;
}

}  // namespace perfmodel::profiling
