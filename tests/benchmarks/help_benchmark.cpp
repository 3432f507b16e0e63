#include <benchmark/benchmark.h>

#include "tests/support/program.hpp"

namespace {

/// Help, as a person waits for it: at most 20 ms are wanted. All commands set up the same options.
void command_help(benchmark::State& state) {
  for (auto _ : state) {
    if (perfmodel::testing::run_perfmodel({"ledger", "--help"}).exit_code != 0) {
      state.SkipWithError("perfmodel ledger --help failed");
      break;
    }
  }
}
BENCHMARK(command_help)->Unit(benchmark::kMillisecond)->UseRealTime();

/// What a shell waits for when a person presses the tab key.
void command_completion(benchmark::State& state) {
  for (auto _ : state) {
    if (perfmodel::testing::run_perfmodel({"complete", "audit", "--device", ""}).exit_code != 0) {
      state.SkipWithError("perfmodel complete failed");
      break;
    }
  }
}
BENCHMARK(command_completion)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
