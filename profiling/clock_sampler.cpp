#include "profiling/clock_sampler.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <utility>

#include "model/statistics.hpp"

namespace perfmodel::profiling {
namespace {

/// Sleeps, but not through a request to stop.
bool wait_interruptibly(const std::stop_token& stop, std::chrono::milliseconds interval) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, interval, [] { return false; });
  return !stop.stop_requested();
}

bool is_idle(const ClockReading& reading) {
  return reading.throttle_bits && (*reading.throttle_bits & throttle::gpu_idle) != 0;
}

std::vector<double> known_values(std::span<const ClockReading> readings,
                                 std::optional<double> ClockReading::* figure) {
  std::vector<double> values;
  for (const ClockReading& reading : readings) {
    if (reading.*figure) {
      values.push_back(*(reading.*figure));
    }
  }
  return values;
}

std::optional<double> maximum_of(const std::vector<double>& values) {
  return values.empty() ? std::nullopt : std::optional(*std::ranges::max_element(values));
}

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) {
    return std::nullopt;
  }
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

ClockSampler::ClockSampler(ClockSource& source, std::chrono::milliseconds interval)
    : ClockSampler(source, interval, wait_interruptibly) {}

ClockSampler::ClockSampler(ClockSource& source, std::chrono::milliseconds interval, Wait wait)
    : thread_([this, &source, interval, wait = std::move(wait)](const std::stop_token& stop) {
        // Waiting comes first: at the start the kernel has not reached the device yet.
        while (wait(stop, interval)) {
          readings_.push_back(source.read());
        }
        // A kernel shorter than the interval gets at least this one.
        if (readings_.empty()) {
          readings_.push_back(source.read());
        }
      }) {}

ClockConditions ClockSampler::stop() {
  thread_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  return summarize_clocks(readings_);
}

ClockConditions summarize_clocks(std::span<const ClockReading> readings) {
  std::vector<ClockReading> busy;
  std::ranges::copy_if(readings, std::back_inserter(busy),
                       [](const ClockReading& reading) { return !is_idle(reading); });
  const std::span<const ClockReading> used = busy.empty() ? readings : std::span(busy);

  ClockConditions clocks;
  clocks.readings = used.size();
  const std::vector<double> sm_clocks = known_values(used, &ClockReading::sm_clock_hz);
  clocks.sm_clock_hz = median(sm_clocks);
  clocks.min_sm_clock_hz = minimum(sm_clocks);
  clocks.max_sm_clock_hz = maximum_of(sm_clocks);
  clocks.memory_clock_hz = median(known_values(used, &ClockReading::memory_clock_hz));
  clocks.power_w = mean_of(known_values(used, &ClockReading::power_w));
  clocks.temperature_c = maximum_of(known_values(used, &ClockReading::temperature_c));

  std::optional<std::uint64_t> bits;
  for (const ClockReading& reading : used) {
    if (reading.throttle_bits) {
      bits = bits.value_or(0) | *reading.throttle_bits;
    }
  }
  if (bits) {
    clocks.throttle_reasons = throttle_reasons(*bits);
    clocks.throttled = !clocks.throttle_reasons.empty();
  }
  return clocks;
}

}  // namespace perfmodel::profiling
