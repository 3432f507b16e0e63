#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "kernels/microbench/microbenchmark.hpp"
#include "model/hardware_constants.hpp"
#include "profiling/microbench_runner.hpp"

namespace perfmodel::profiling {

/// A constant counts as throttled when its clock was below the highest one by more than this.
inline constexpr double clock_tolerance = 0.02;

/// Told before every micro-benchmark how many are done, of how many, and which one comes.
using ConstantsProgress =
    std::function<void(std::size_t done, std::size_t total, const std::string& name)>;

/// Runs the micro-benchmarks and assembles their constants. `planned` holds what is the same for
/// all: device, attributes and environment. A constant that was measured at a low clock is measured
/// once more at the end, and flagged if that did not help. Throws Error as the runner does.
HardwareConstants measure_constants(MicrobenchRunner& runner,
                                    std::span<const kernels::Microbenchmark* const> benchmarks,
                                    const Device& device, HardwareConstants planned,
                                    const ConstantsProgress& progress);

}  // namespace perfmodel::profiling
