#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "kernels/cuda_check.hpp"
#include "kernels/microbench/code.hpp"
#include "kernels/microbench/stamps.hpp"
#include "model/error.hpp"
#include "model/statistics.hpp"
#include "profiling/cuda_resources.hpp"
#include "profiling/microbench_runner.hpp"

namespace perfmodel::profiling {
namespace {

using kernels::check_cuda;
using kernels::MicrobenchLaunch;
using kernels::Microbenchmark;
using kernels::MicrobenchMethod;
using kernels::MicrobenchReading;
using kernels::WarpStamp;

constexpr int samples_wanted = 15;
constexpr int warmup_runs = 2;
/// Long against the resolution of the clocks and the time of a launch.
constexpr double sample_s = 3e-3;
/// A wall clock that ticks every microsecond then tells the clock rate within 0.1 %.
constexpr double clock_span_ns = 1e6;

/// What the stamps of all warps say: the SM in the middle by cycles.
struct SmTimes {
  double cycles = 0;
  double warps = 1;
  std::optional<double> clock_hz;
};

SmTimes read_sm_times(std::span<const WarpStamp> stamps) {
  struct Span {
    WarpStamp bounds{};
    double warps = 0;
  };
  std::map<std::uint64_t, Span> by_sm;
  for (const WarpStamp& stamp : stamps) {
    Span& span = by_sm[stamp.sm];
    if (span.warps == 0) {
      span.bounds = stamp;
    }
    span.bounds.begin_clock = std::min(span.bounds.begin_clock, stamp.begin_clock);
    span.bounds.end_clock = std::max(span.bounds.end_clock, stamp.end_clock);
    span.bounds.begin_ns = std::min(span.bounds.begin_ns, stamp.begin_ns);
    span.bounds.end_ns = std::max(span.bounds.end_ns, stamp.end_ns);
    ++span.warps;
  }
  std::vector<SmTimes> sms;
  for (const auto& [sm, span] : by_sm) {
    SmTimes& one = sms.emplace_back();
    one.cycles = static_cast<double>(span.bounds.end_clock - span.bounds.begin_clock);
    one.warps = span.warps;
    const auto ns = static_cast<double>(span.bounds.end_ns - span.bounds.begin_ns);
    if (ns >= clock_span_ns) {
      one.clock_hz = one.cycles / ns * 1e9;
    }
  }
  std::ranges::sort(sms, {}, [](const SmTimes& one) { return one.cycles / one.warps; });
  return sms.at(sms.size() / 2);
}

class CudaMicrobenchRunner final : public MicrobenchRunner {
 public:
  CudaMicrobenchRunner(int ordinal, Device model) : ordinal_(ordinal), model_(std::move(model)) {
    check_cuda(cudaSetDevice(ordinal_), "cudaSetDevice");
    const Microbenchmark& load = *kernels::matching_microbenchmarks("fma.rate").front();
    // Long enough for an idle device to reach its clock.
    constexpr std::chrono::milliseconds warmup(300);
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < warmup) {
      run(load);
    }
  }

  MicrobenchOutcome run(const Microbenchmark& benchmark) override {
    check_cuda(cudaSetDevice(ordinal_), "cudaSetDevice");
    MicrobenchOutcome best;
    double best_value = 0;
    for (const MicrobenchLaunch& launch : benchmark.launches(model_)) {
      MicrobenchOutcome outcome = run(benchmark, launch);
      if (outcome.samples.empty()) {
        if (best.samples.empty()) {
          best = std::move(outcome);
        }
        continue;
      }
      std::vector<double> values;
      for (const MicrobenchSample& sample : outcome.samples) {
        values.push_back(sample.value);
      }
      const double value = median(values).value();
      const bool better =
          kernels::more_is_better(benchmark.method) ? value > best_value : value < best_value;
      if (best.samples.empty() || better) {
        best = std::move(outcome);
        best_value = value;
      }
    }
    return best;
  }

 private:
  /// Launches between two events, and the seconds of all of them.
  struct Run {
    std::uint32_t repeats = 1;
    int launches = 1;
  };

  MicrobenchOutcome run(const Microbenchmark& benchmark, const MicrobenchLaunch& launch) {
    MicrobenchOutcome outcome;
    outcome.skip_reason = prepare(launch);
    if (!outcome.skip_reason.empty()) {
      return outcome;
    }
    const void* const code = kernels::microbench_code(benchmark.function);
    const Run how = plan(code, benchmark, launch);
    for (int i = 0; i < warmup_runs; ++i) {
      time(code, launch, how);
    }
    for (int i = 0; i < samples_wanted; ++i) {
      const double seconds = time(code, launch, how) / how.launches;
      const MicrobenchReading reading = read(launch, how.repeats, seconds);
      MicrobenchSample& sample = outcome.samples.emplace_back();
      if (reading.clock_hz > 0) {
        sample.sm_clock_hz = reading.clock_hz;
      }
      try {
        sample.value = kernels::microbench_value(benchmark, reading);
      } catch (const Error& error) {
        outcome.samples.clear();
        outcome.skip_reason = error.what();
        break;
      }
    }
    return outcome;
  }

  /// Memory for the launch, with the contents that it needs; or why that is not to be had.
  std::string prepare(const MicrobenchLaunch& launch) {
    const std::size_t stamp_bytes = launch.stamp_count() * sizeof(WarpStamp);
    if (data_.bytes() < launch.data_bytes) {
      data_ = DeviceBuffer();
      std::size_t free_bytes = 0;
      std::size_t total_bytes = 0;
      check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
      if (launch.data_bytes + stamp_bytes > free_bytes) {
        return fmt::format("{} bytes of device memory are needed, {} are free", launch.data_bytes,
                           free_bytes);
      }
      data_ = DeviceBuffer(launch.data_bytes);
    }
    if (stamps_.bytes() < stamp_bytes) {
      stamps_ = DeviceBuffer(stamp_bytes);
    }
    stamps_.fill(0, stream_.get());
    chased_ = 0;
    if (launch.ring) {
      MicrobenchLaunch make;
      make.grid = static_cast<std::uint32_t>(model_.sm_count.value);
      make.block = 256;
      make.repeats = launch.ring->node_bytes;
      make.extent = launch.ring->nodes;
      make.stride = launch.ring->step;
      queue(kernels::microbench_code("make_ring"), make, make.repeats);
      if (launch.ring->goes_on) {
        // What was just written must not be found in the L2.
        DeviceBuffer other(2 * static_cast<std::size_t>(model_.l2_bytes ? model_.l2_bytes->value
                                                                        : std::int64_t{4} << 20));
        other.fill(0, stream_.get());
        stream_.synchronize();
      }
    } else {
      check_cuda(cudaMemsetAsync(data_.data(), 0, launch.data_bytes, stream_.get()),
                 "cudaMemsetAsync");
    }
    stream_.synchronize();
    return "";
  }

  void queue(const void* code, const MicrobenchLaunch& launch, std::uint32_t repeats) {
    const void* data = data_.data();
    const void* stamps = stamps_.data();
    std::uint32_t extent = launch.extent;
    std::uint32_t stride = launch.stride;
    if (launch.ring && launch.ring->goes_on) {
      // The place in the ring is the number of the node times the step.
      extent = static_cast<std::uint32_t>(chased_ * launch.ring->step) & (launch.ring->nodes - 1);
      chased_ += std::uint64_t{repeats + 1} * kernels::chase_unroll;
    }
    std::array<void*, 5> arguments = {static_cast<void*>(&data), static_cast<void*>(&stamps),
                                      &repeats, &extent, &stride};
    check_cuda(cudaLaunchKernel(code, dim3(launch.grid), dim3(launch.block), arguments.data(), 0,
                                stream_.get()),
               "cudaLaunchKernel");
  }

  /// Seconds of all launches together. Something is queued before, so that an idle device does not
  /// wait for the host between the events.
  double time(const void* code, const MicrobenchLaunch& launch, const Run& how) {
    runway_.fill(0, stream_.get());
    begin_.record(stream_);
    for (int i = 0; i < how.launches; ++i) {
      queue(code, launch, how.repeats);
    }
    end_.record(stream_);
    end_.synchronize();
    return end_.seconds_since(begin_);
  }

  /// As many repeats or launches as take long enough.
  Run plan(const void* code, const Microbenchmark& benchmark, const MicrobenchLaunch& launch) {
    Run how;
    how.repeats = std::max(launch.repeats, 1U);
    if (benchmark.method == MicrobenchMethod::seconds_per_pair ||
        launch.stamps == kernels::StampKind::phases) {
      return how;
    }
    if (benchmark.method == MicrobenchMethod::seconds_per_launch) {
      constexpr int row = 200;
      how.launches = row;
      return how;
    }
    time(code, launch, how);
    if (launch.repeats > 0) {
      const double single_s = time(code, launch, how);
      constexpr double most = 100;
      how.launches = static_cast<int>(std::clamp(sample_s / single_s, 1.0, most));
      return how;
    }
    constexpr std::uint32_t most_repeats = 1U << 24U;
    double seconds = time(code, launch, how);
    while (seconds < sample_s && how.repeats < most_repeats) {
      // Never more than tenfold at once: the first runs are mostly overhead.
      const double factor = std::clamp(1.2 * sample_s / seconds, 1.5, 10.0);
      how.repeats = static_cast<std::uint32_t>(how.repeats * factor) + 1;
      seconds = time(code, launch, how);
    }
    return how;
  }

  MicrobenchReading read(const MicrobenchLaunch& launch, std::uint32_t repeats, double seconds) {
    std::vector<WarpStamp> stamps(launch.stamp_count());
    stamps_.download(std::span(stamps));
    MicrobenchReading reading;
    reading.repeats = repeats;
    reading.seconds = seconds;
    reading.warps = static_cast<double>(launch.warps());
    reading.participants = launch.participants;
    if (launch.stamps == kernels::StampKind::phases) {
      for (std::size_t i = 0; i < stamps.size(); i += launch.participants) {
        double slowest = 0;
        for (const WarpStamp& stamp : std::span(stamps).subspan(i, launch.participants)) {
          slowest = std::max(slowest, static_cast<double>(stamp.end_clock - stamp.begin_clock));
        }
        reading.phase_cycles.push_back(slowest);
      }
    }
    if (launch.stamps != kernels::StampKind::warps) {
      return reading;
    }
    const SmTimes times = read_sm_times(stamps);
    reading.sm_cycles = times.cycles;
    reading.sm_warps = times.warps;
    reading.clock_hz = times.clock_hz.value_or(0.0);
    return reading;
  }

  int ordinal_;
  Device model_;
  Stream stream_;
  Event begin_;
  Event end_;
  DeviceBuffer data_;
  DeviceBuffer stamps_;
  DeviceBuffer runway_{std::size_t{32} << 20};
  std::uint64_t chased_ = 0;
};

}  // namespace

std::unique_ptr<MicrobenchRunner> open_microbench_runner(const LiveDevice& device,
                                                         const Device& model) {
  return std::make_unique<CudaMicrobenchRunner>(device.ordinal, model);
}

}  // namespace perfmodel::profiling
