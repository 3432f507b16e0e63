#include "profiling/timer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "kernels/cache_sweep.hpp"
#include "kernels/cuda_check.hpp"
#include "model/statistics.hpp"

namespace perfmodel::profiling {
namespace {

using kernels::check_cuda;

std::size_t l2_bytes_of_current_device() {
  int device = 0;
  int bytes = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device),
             "cudaDeviceGetAttribute(L2 size)");
  return static_cast<std::size_t>(bytes);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TimerOptions timer_options(const MeasureSettings& settings) {
  TimerOptions options;
  options.cache_mode = settings.cache_mode;
  options.warmup_launches = static_cast<std::size_t>(settings.warmup_launches);
  options.limits = {static_cast<std::size_t>(settings.min_samples),
                    static_cast<std::size_t>(settings.max_samples), settings.max_noise,
                    settings.min_time_s, settings.time_limit_s};
  return options;
}

Timer::Timer() : scratch_(2 * l2_bytes_of_current_device()) {
  // It uses the other members. NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer)
  event_overhead_s_ = measure_event_overhead();
}

double Timer::measure_event_overhead() {
  constexpr int pairs = 64;
  std::vector<double> spans_s;
  for (int i = 0; i < pairs; ++i) {
    // Something to do first, so that both events are queued before the device reaches them; an
    // idle device would add the time in which the host queues the second one.
    scratch_.fill(i, stream_.get());
    begin_.record(stream_);
    end_.record(stream_);
    end_.synchronize();
    spans_s.push_back(end_.seconds_since(begin_));
  }
  return median(spans_s).value();
}

void Timer::launch_checked(const Launch& launch) {
  launch(stream_.get());
  check_cuda(cudaGetLastError(), "kernel launch");
}

void Timer::clean_caches() {
  constexpr unsigned blocks = 1024;
  constexpr unsigned threads = 256;
  constexpr std::size_t bytes_per_read = 16;
  const void* data = scratch_.data();
  std::size_t count = scratch_.bytes() / bytes_per_read;
  std::array<void*, 3> arguments = {static_cast<void*>(&data), static_cast<void*>(&count),
                                    static_cast<void*>(&data)};
  // L2 does not strictly forget the oldest line first: one sweep leaves some of the modified ones.
  constexpr int sweeps = 8;
  for (int i = 0; i < sweeps; ++i) {
    check_cuda(cudaLaunchKernel(kernels::cache_sweep_code(), dim3(blocks), dim3(threads),
                                arguments.data(), 0, stream_.get()),
               "cudaLaunchKernel");
  }
  stream_.synchronize();
}

double Timer::sample(const Launch& launch, const LaunchPlan& plan, CacheMode cache_mode) {
  if (cache_mode == CacheMode::cold) {
    scratch_.fill(0, stream_.get());
  }
  for (std::size_t i = 0; i < plan.runway_launches; ++i) {
    launch_checked(launch);
  }
  begin_.record(stream_);
  for (std::size_t i = 0; i < plan.launches_per_sample; ++i) {
    launch_checked(launch);
  }
  end_.record(stream_);
  end_.synchronize();
  return end_.seconds_since(begin_) / static_cast<double>(plan.launches_per_sample);
}

Timing Timer::time(const Launch& launch, const TimerOptions& options) {
  StoppingRule rule(options.limits);
  // Long enough for an idle device to reach its clock; but a kernel that runs for seconds is warm
  // after one launch, and the time limit is for its samples.
  constexpr double warmup_s = 0.1;
  const double longest_warmup_s = options.limits.time_limit_s / 10.0;
  const auto warmup_begin = std::chrono::steady_clock::now();
  double elapsed_s = 0.0;
  for (std::size_t i = 0;
       elapsed_s < longest_warmup_s && (i < options.warmup_launches || elapsed_s < warmup_s); ++i) {
    launch_checked(launch);
    stream_.synchronize();
    elapsed_s = seconds_since(warmup_begin);
  }

  Timing timing;
  // The shortest of a few single launches decides how many make one sample. The first launch of a
  // long kernel already shows that it is long.
  constexpr int tries = 3;
  const LaunchPlan single{1, 0};
  double single_s = sample(launch, single, options.cache_mode);
  for (int i = 1; i < tries && single_s < longest_runway_launch_s; ++i) {
    single_s = std::min(single_s, sample(launch, single, options.cache_mode));
  }
  timing.plan = plan_launches(single_s, options.cache_mode);

  const auto begin = std::chrono::steady_clock::now();
  while (!rule.stop_reason()) {
    const double sample_s = sample(launch, timing.plan, options.cache_mode);
    timing.samples_s.push_back(sample_s);
    rule.add(sample_s, seconds_since(begin));
  }
  timing.stop_reason = *rule.stop_reason();
  timing.noise = rule.noise().value_or(0.0);
  timing.noisy = rule.noisy();
  return timing;
}

void fill_entry(Measurement& entry, const Timing& timing, const Timer& timer,
                const TimerOptions& options) {
  entry.samples_s = timing.samples_s;
  entry.median_s = median(timing.samples_s).value();
  entry.launches_per_sample = static_cast<std::int64_t>(timing.plan.launches_per_sample);
  entry.cache_mode = options.cache_mode;
  entry.event_overhead_s = timer.event_overhead_s();
  entry.noisy = timing.noisy;
}

}  // namespace perfmodel::profiling
