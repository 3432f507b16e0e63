#include "profiling/measure_constants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/statistics.hpp"

namespace perfmodel::profiling {
namespace {

using kernels::Microbenchmark;

HardwareConstant constant_of(const Microbenchmark& benchmark, const Device& device,
                             std::span<const MicrobenchSample> samples) {
  HardwareConstant one;
  one.name = benchmark.name;
  one.unit = benchmark.unit;
  std::vector<double> clocks;
  for (const MicrobenchSample& sample : samples) {
    one.samples.push_back(sample.value);
    if (sample.sm_clock_hz) {
      clocks.push_back(*sample.sm_clock_hz);
    }
  }
  one.value = median(one.samples).value();
  const Quartiles spread = quartiles(one.samples).value();
  one.uncertainty = (spread.upper - spread.lower) / 2;
  one.limit = benchmark.limit(device);
  one.datasheet = benchmark.datasheet(device);
  one.sm_clock_hz = median(clocks);
  return one;
}

void set_clocks(HardwareConstants& constants) {
  std::vector<double> clocks;
  for (const HardwareConstant& one : constants.constants) {
    if (one.sm_clock_hz) {
      clocks.push_back(*one.sm_clock_hz);
    }
  }
  constants.sm_clock_hz = median(clocks);
  if (!clocks.empty()) {
    constants.max_sm_clock_hz = *std::ranges::max_element(clocks);
  }
}

bool is_slow(const HardwareConstant& one, const HardwareConstants& all) {
  return one.sm_clock_hz && *one.sm_clock_hz < (1 - clock_tolerance) * *all.max_sm_clock_hz;
}

}  // namespace

HardwareConstants measure_constants(MicrobenchRunner& runner,
                                    std::span<const Microbenchmark* const> benchmarks,
                                    const Device& device, HardwareConstants planned,
                                    const ConstantsProgress& progress) {
  HardwareConstants constants = std::move(planned);
  std::vector<const Microbenchmark*> measured;
  std::size_t done = 0;
  for (const Microbenchmark* benchmark : benchmarks) {
    if (progress) {
      progress(done, benchmarks.size(), benchmark->name);
    }
    ++done;
    if (kernels::compute_capability(device) < benchmark->min_compute_capability) {
      constants.skipped.push_back(
          {benchmark->name, fmt::format("{} has no such instruction", device.architecture)});
      continue;
    }
    const MicrobenchOutcome outcome = runner.run(*benchmark);
    if (!outcome.skip_reason.empty()) {
      constants.skipped.push_back({benchmark->name, outcome.skip_reason});
      continue;
    }
    constants.constants.push_back(constant_of(*benchmark, device, outcome.samples));
    measured.push_back(benchmark);
  }
  set_clocks(constants);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    HardwareConstant& one = constants.constants[i];
    if (!is_slow(one, constants)) {
      continue;
    }
    if (progress) {
      progress(done, benchmarks.size(), measured[i]->name + " again");
    }
    const MicrobenchOutcome again = runner.run(*measured[i]);
    if (again.skip_reason.empty()) {
      one = constant_of(*measured[i], device, again.samples);
    }
    one.throttled = is_slow(one, constants);
  }
  set_clocks(constants);
  return constants;
}

}  // namespace perfmodel::profiling
