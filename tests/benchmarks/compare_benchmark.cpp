#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <random>
#include <string>

#include "model/recording_comparison.hpp"
#include "profiling/recording_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

constexpr int entry_count = 1000;
constexpr int sample_count = 30;

/// A recording of kernels of the catalogue, as `perfmodel measure` writes it.
std::string recording_text(unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> noise(1.0, 0.01);
  std::string out = R"({"schema": "perfmodel.recording/1", "device": "h200",
 "clock": {"basis": "measured", "clock_hz": 1.98e9},
 "source": {"kind": "measured", "description": "benchmark"},
 "device_attributes": {"name": "NVIDIA H200", "uuid": "GPU-1"}, "entries": [)";
  constexpr std::array kernels = {"K1", "K2", "K3", "K4", "K5"};
  for (int i = 0; i < entry_count; ++i) {
    out += fmt::format(R"({}{{"kernel": "{}", "shape": {{"m": {}, "n": 4096, "k": 4096}},)",
                       i == 0 ? "\n" : ",\n", kernels[static_cast<std::size_t>(i) % kernels.size()],
                       i + 1);
    out += R"("launches_per_sample": 1, "cache_mode": "cold", "event_overhead_s": 1.3e-06,
 "noisy": false, "clocks": {"readings": 54, "sm_clock_hz": 1.98e9, "throttled": false},
 "verification": {"status": "passed", "method": "cpu double"}, "samples_s": [)";
    for (int sample = 0; sample < sample_count; ++sample) {
      out += fmt::format("{}{}", sample == 0 ? "" : ", ", 1e-3 * noise(generator));
    }
    out += "]}";
  }
  return out + "]}\n";
}

/// The verdicts alone.
void compare_1000_kernels(benchmark::State& state) {
  const auto a = perfmodel::profiling::parse_recording(recording_text(1), "a.json");
  const auto b = perfmodel::profiling::parse_recording(recording_text(2), "b.json");
  const perfmodel::ComparisonSpecs specs = {
      [](const std::string&) { return nullptr; }, [](const std::string&) { return nullptr; }, {}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(perfmodel::compare_recordings(a, b, {}, specs));
  }
}
BENCHMARK(compare_1000_kernels)->Unit(benchmark::kMillisecond);

/// The whole command, as a person or a CI job waits for it: at most 200 ms are wanted.
void command_compare_of_1000_kernels(benchmark::State& state) {
  const perfmodel::testing::TemporaryFolder folder;
  const std::string a = folder.write("a.json", recording_text(1)).string();
  const std::string b = folder.write("b.json", recording_text(2)).string();
  for (auto _ : state) {
    if (perfmodel::testing::run_perfmodel({"compare", a, b}).exit_code != 0) {
      state.SkipWithError("perfmodel compare failed");
      break;
    }
  }
}
BENCHMARK(command_compare_of_1000_kernels)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
