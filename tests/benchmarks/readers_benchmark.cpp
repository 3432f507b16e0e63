#include <benchmark/benchmark.h>

#include <fstream>
#include <sstream>

#include "model/analysis.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/kernel_reader.hpp"
#include "profiling/recording_file.hpp"

namespace {

namespace spec = perfmodel::spec;

/// The main job without the process around it.
void analyze_ladder(benchmark::State& state) {
  for (auto _ : state) {
    spec::Catalog catalog(PERFMODEL_SOURCE_SPECS);
    const auto recording =
        perfmodel::profiling::read_recording(catalog.recording_files("rtx4090").front());
    benchmark::DoNotOptimize(
        perfmodel::analyze(catalog.device("rtx4090"), recording,
                           [&](const std::string& name) -> const perfmodel::KernelSpec& {
                             return catalog.kernel(name);
                           },
                           {}));
  }
}
BENCHMARK(analyze_ladder)->Unit(benchmark::kMillisecond);

void read_1000_kernel_specifications(benchmark::State& state) {
  constexpr int count = 1000;
  const std::filesystem::path file =
      std::filesystem::path(PERFMODEL_SOURCE_SPECS) / "kernels" / "K6.yaml";
  for (auto _ : state) {
    for (int i = 0; i < count; ++i) {
      benchmark::DoNotOptimize(spec::read_kernel(file));
    }
  }
}
BENCHMARK(read_1000_kernel_specifications)->Unit(benchmark::kMillisecond);

/// Entries with ten raw samples each, as a measured recording has them.
std::string recording_text(int entries) {
  std::ostringstream out;
  out << R"({"schema": "perfmodel.recording/1", "device": "rtx4090",
 "clock": {"basis": "measured", "clock_hz": 2e9},
 "source": {"kind": "measured", "description": "benchmark"}, "entries": [)";
  for (int i = 0; i < entries; ++i) {
    out << (i == 0 ? "\n" : ",\n") << R"({"kernel": "K1", "shape": {"m": )" << i + 1
        << R"(, "n": 4096, "k": 4096}, "samples_s": [)";
    for (int sample = 0; sample < 10; ++sample) {
      out << (sample == 0 ? "" : ", ") << 1e-3 + 1e-9 * i + 1e-7 * sample;
    }
    out << "]}";
  }
  out << "]}\n";
  return out.str();
}

void read_recording_of_10000_entries(benchmark::State& state) {
  const std::string text = recording_text(10'000);
  for (auto _ : state) {
    benchmark::DoNotOptimize(perfmodel::profiling::parse_recording(text, "benchmark.json"));
  }
}
BENCHMARK(read_recording_of_10000_entries)->Unit(benchmark::kMillisecond);

}  // namespace
