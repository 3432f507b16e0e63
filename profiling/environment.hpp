#pragma once

#include <chrono>
#include <string>

#include "model/measurement.hpp"
#include "profiling/answer.hpp"
#include "profiling/device_query.hpp"
#include "profiling/nvml.hpp"

namespace perfmodel::profiling {

/// "2026-11-29T21:00:00Z".
std::string iso8601_utc(std::chrono::system_clock::time_point time);

/// What measures, now: the driver as NVML gives it (else the newest CUDA it supports, "CUDA 13.0"),
/// the CUDA runtime, this perfmodel and the date.
Environment current_environment(const LiveDevices& live, const Answer<Nvml>& nvml,
                                std::chrono::system_clock::time_point now);

}  // namespace perfmodel::profiling
