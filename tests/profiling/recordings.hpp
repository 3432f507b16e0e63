#pragma once

#include "model/measurement.hpp"

namespace perfmodel::profiling {

/// A measured recording in which every figure is set.
inline Recording full_recording() {
  Recording recording;
  recording.name = "run";
  recording.device = "h200";
  recording.clock_basis = "measured";
  recording.clock_hz = 1.98e9;
  recording.source_kind = SourceKind::measured;
  recording.source = "perfmodel measure, \"quoted\"";
  recording.device_attributes =
      DeviceAttributes{"NVIDIA H200", "0000:1b:00.0", "GPU-1",  "9.0",  132,    1.98e9, 3.201e9,
                       6016,          150754820096,   62914560, 232448, 233472, 2048};
  recording.environment =
      Environment{"580.95.05", "13.0", "0.1.0", "0123abc", "2026-11-29T21:00:00Z"};
  recording.settings = MeasureSettings{CacheMode::warm, 5, 11, 1234, 0.0125, 0.25, 2.5};
  recording.complete = false;

  Measurement entry;
  entry.kernel = "K3";
  entry.shape = Shape({{"m", 4096}, {"n", 4096}, {"k", 4096}});
  // Values whose shortest text needs all 17 digits, and the extremes of double.
  entry.samples_s = {0.1 + 0.2, 1.0 / 3.0, 2.2250738585072014e-308, 4.9e-324, 1e22, 5.0};
  entry.median_s = (0.1 + 0.2 + 1.0 / 3.0) / 2.0;
  entry.note = "first";
  entry.launches_per_sample = 7;
  entry.cache_mode = CacheMode::warm;
  entry.event_overhead_s = 2.7e-6;
  entry.noisy = true;
  entry.clocks = ClockConditions{
      42, 1.95e9, 1.9e9, 1.98e9, 3.201e9, 412.5, -3.0, true, {"power cap", "sync boost"}};
  entry.verification =
      Verification{VerificationStatus::passed, "cpu double", 16777216, 1.5e-5, 0.25};
  entry.kernel_durations_s = {1.5e-3, 1.25e-3};
  entry.counters = Counters{"cupti-range",
                            "",
                            {{"smsp__inst_executed.sum", 9007199254740993.0},
                             {"dram__bytes.sum.per_second", 0.1 + 0.2},
                             {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 0.0}}};
  recording.entries.push_back(entry);
  entry.kernel = "K4";
  entry.counters = Counters{"cupti-range", "the driver refuses: \"permission\"", {}};
  recording.entries.push_back(entry);

  SkippedMeasurement skipped;
  skipped.kernel = "K6";
  skipped.shape = Shape({{"m", 4097}, {"n", 4097}, {"k", 4097}});
  skipped.reason = "N and K must be multiples of 4";
  recording.skipped.push_back(skipped);
  skipped.kernel = "K5";
  skipped.reason = "wrong result";
  skipped.verification = Verification{VerificationStatus::failed, "cpu double", 9, 3.0, {}};
  recording.skipped.push_back(skipped);
  return recording;
}

}  // namespace perfmodel::profiling
