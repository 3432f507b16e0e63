#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "model/analysis.hpp"
#include "model/sass/disassembler.hpp"
#include "model/sass/load.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/kernel_reader.hpp"
#include "profiling/recording_file.hpp"

namespace {

namespace sass = perfmodel::sass;
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

/// The machine code of all kernels of the project for one architecture.
void read_stored_listing(benchmark::State& state) {
  const auto file = std::filesystem::path(PERFMODEL_SOURCE_SPECS) / "listings" / "sm_90.json.gz";
  for (auto _ : state) {
    benchmark::DoNotOptimize(sass::load_modules(file));
  }
}
BENCHMARK(read_stored_listing)->Unit(benchmark::kMillisecond);

/// As much as nvdisasm prints for a dozen large kernels.
void parse_disassembly_of_840_kilobytes(benchmark::State& state) {
  std::ostringstream out;
  out << R"([{"SM":{"version":{"major":9,"minor":0}},"Producer":"x"},[{"function-name":"f",)"
      << R"("start":0,"sass-instructions":[)";
  int count = 0;
  for (; out.tellp() < 840'000; ++count) {
    out << (count == 0 ? "" : ",") << R"({"predicate":"@!P0","opcode":"LDG.E.128.CONSTANT",)"
        << R"("operands":"R4,desc[UR8][R16.64+0x10]","source-file-id":0,"source-line":)" << count
        << "}";
  }
  out << "],\"length\":" << 16 * count
      << R"(}],{"directories":["/"],"files":[{"dir-idx":0,"file":"a.cu"}]}])";
  const std::string text = out.str();
  for (auto _ : state) {
    benchmark::DoNotOptimize(sass::parse_disassembly(text, "benchmark.json"));
  }
}
BENCHMARK(parse_disassembly_of_840_kilobytes)->Unit(benchmark::kMillisecond);

/// A fatbin of 1000 kernels, which scripts/benchmark.sh makes where there is an nvcc.
void list_1000_kernels_of_a_fatbin(benchmark::State& state) {
  const char* file = std::getenv("PERFMODEL_BENCHMARK_FATBIN");
  if (file == nullptr) {
    state.SkipWithError("no PERFMODEL_BENCHMARK_FATBIN");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(sass::list_kernels(file));
  }
}
BENCHMARK(list_1000_kernels_of_a_fatbin)->Unit(benchmark::kMillisecond);

}  // namespace
