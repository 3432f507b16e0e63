#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "model/launch_audit.hpp"
#include "model/launch_profile.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "model/sass/trace.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/coefficients_file.hpp"
#include "profiling/constants_file.hpp"

namespace {

using namespace perfmodel;

struct Case {
  const char* kernel;
  std::int64_t m, n, k;  ///< 0: a dimension that it does not have
};
/// The ladder, and a kernel whose blocks are short.
constexpr std::array cases = {Case{"K1", 4096, 4096, 4096}, Case{"K2", 4096, 4096, 4096},
                              Case{"K3", 4096, 4096, 4096}, Case{"K3c", 4096, 4096, 4096},
                              Case{"K4", 4096, 4096, 4096}, Case{"K5", 4096, 4096, 4096},
                              Case{"K6", 4096, 4096, 4096}, Case{"gemv-row", 131072, 4096, 0}};
constexpr std::int64_t last_case = std::ssize(cases) - 1;

Shape shape_of(const Case& one) {
  return one.k == 0 ? Shape({{"m", one.m}, {"n", one.n}})
                    : Shape({{"m", one.m}, {"n", one.n}, {"k", one.k}});
}

/// A kernel's launch on an H200, its ledger counted.
class Subject {
 public:
  /// Labels the benchmark, whose argument says which case.
  explicit Subject(benchmark::State& state)
      : Subject(cases.at(static_cast<std::size_t>(state.range(0)))) {
    state.SetLabel(std::string(kernel_.name) + " at " + problem_->shape().to_string());
  }
  explicit Subject(const Case& one)
      : kernel_(kernels::find_kernel(one.kernel)),
        problem_(kernels::make_problem(kernel_, shape_of(one))),
        launch_(kernels::machine_launches(kernel_, *problem_, kernels::Contents::indices).front()) {
    const std::filesystem::path specs = PERFMODEL_SOURCE_SPECS;
    sass::LoadOptions code;
    code.kernel = kernels::machine_function(kernel_, problem_->shape());
    modules_ = sass::load_modules(specs / "listings" / "sm_90.json.gz", code);
    device_ = spec::Catalog(specs).device("h200");
    constants_ = profiling::read_constants(specs / "constants" / "h200.json");
    coefficients_ = spec::read_coefficients(specs / "coefficients" / "h200.yaml");
    emulation_.find_defects = false;
    emulation_.threads = 1;
    profile_ = profile_launch(modules_.front(), sass::find_function(modules_.front(), *code.kernel),
                              launch_, device_, emulation_);
  }

  [[nodiscard]] LaunchAudit predict() const {
    AuditOptions options;
    options.emulation = emulation_;
    return audit_launch(profile_, device_, &constants_, coefficients_,
                        device_.clocks.front().clock_hz.value, options);
  }

  [[nodiscard]] const LaunchProfile& profile() const { return profile_; }
  [[nodiscard]] const sass::EmulationOptions& emulation() const { return emulation_; }

 private:
  const kernels::Kernel& kernel_;
  std::unique_ptr<kernels::Problem> problem_;
  sass::Launch launch_;
  std::vector<sass::Module> modules_;
  Device device_;
  HardwareConstants constants_;
  ThroughputCoefficients coefficients_;
  sass::EmulationOptions emulation_;
  LaunchProfile profile_;
};

/// From a counted ledger to the verdict: at most 0.2 s are wanted.
void predict_launch(benchmark::State& state) {
  const Subject subject(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(subject.predict());
  }
}

/// The timeline alone, from traces that are there; items are warp instructions, of which 3 million
/// a second are wanted.
void run_timeline(benchmark::State& state) {
  const Subject subject(state);
  const TimelineRun run = subject.predict().timeline;
  const sass::Launch& launch = *subject.profile().launch;
  sass::LaunchTracer tracer(*subject.profile().module, *subject.profile().function, launch,
                            subject.emulation());
  std::unordered_map<std::int64_t, std::shared_ptr<const sass::BlockTrace>> traces;
  const auto most_steps = static_cast<std::uint64_t>(
      run.options.step_budget / static_cast<double>(run.options.resident_blocks));
  const auto trace = [&](std::int64_t number) {
    auto& traced = traces[number];
    if (traced == nullptr) {
      const std::uint64_t block =
          std::min(static_cast<std::uint64_t>(number * run.costs.sm_count), launch.blocks() - 1);
      traced = std::make_shared<const sass::BlockTrace>(tracer.trace(block, most_steps));
    }
    return traced;
  };
  const auto simulate = [&] {
    return SmTimeline(tracer.code(), *subject.profile().function, tracer.patterns(), run.costs,
                      run.options)
        .run(trace);
  };
  simulate();
  double steps = 0;
  for (auto _ : state) {
    steps += simulate().steps;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
}

BENCHMARK(predict_launch)->DenseRange(0, last_case)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(run_timeline)->DenseRange(0, last_case)->Unit(benchmark::kMillisecond);

}  // namespace
