#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/shape.hpp"

namespace perfmodel {

/// What the L2 cache holds when a timed launch begins.
enum class CacheMode : std::uint8_t {
  cold,  ///< overwritten before every sample
  warm,  ///< whatever the launch before left there
};

std::string_view to_string(CacheMode mode);

/// The device's state while a kernel was being measured. A figure is empty where the driver did
/// not tell it.
struct ClockConditions {
  std::size_t readings = 0;
  std::optional<double> sm_clock_hz;  ///< median
  std::optional<double> min_sm_clock_hz;
  std::optional<double> max_sm_clock_hz;
  std::optional<double> memory_clock_hz;  ///< median
  std::optional<double> power_w;          ///< mean
  std::optional<double> temperature_c;    ///< highest
  /// Whether the clock was held down; empty where the driver did not say.
  std::optional<bool> throttled;
  std::vector<std::string> throttle_reasons;  ///< all that occurred, by name

  bool operator==(const ClockConditions&) const = default;
};

enum class VerificationStatus : std::uint8_t {
  passed,
  failed,
  skipped,  ///< not checked; the method says why
};

std::string_view to_string(VerificationStatus status);

/// How a kernel's result was compared with a reference, and how well it agreed.
struct Verification {
  VerificationStatus status = VerificationStatus::skipped;
  std::string method;                      ///< "cpu double", "gpu reference K2"; may be empty
  std::optional<std::int64_t> checked;     ///< outputs compared
  std::optional<double> max_abs_error;     ///< empty where not finite
  std::optional<double> max_scaled_error;  ///< over the allowed error; empty where not finite

  bool operator==(const Verification&) const = default;
};

/// What the device's performance monitors counted while one launch ran, or why they did not. Where
/// several launches were counted, each figure is the median over them.
struct Counters {
  std::string source;   ///< what read them: "cupti-range", "ncu"; a plain name
  std::string refused;  ///< why there are none; empty where `values` holds some
  /// By metric with its roll-up: "smsp__inst_executed.sum". In base units: seconds, bytes, hertz,
  /// counts; a percentage stays one, as its name says.
  std::map<std::string, double, std::less<>> values;

  bool operator==(const Counters&) const = default;
};

/// Whether text may name a metric.
///
/// A letter or digit, then up to 199 letters, digits, '_', '.', ':', '/', '+' or '-'.
bool is_metric_name(std::string_view text);

/// In x, y and z.
using Extents = std::array<std::int64_t, 3>;

/// A kernel that is none of the catalogue, as the tool that measured it told it apart.
struct ForeignKernel {
  std::string name;              ///< mangled or demangled, or of a benchmark; no control characters
  std::optional<Extents> grid;   ///< blocks
  std::optional<Extents> block;  ///< threads of a block
  std::vector<std::pair<std::string, std::string>> parameters;  ///< of a benchmark: its axes

  /// "saxpy(int) 4096x1x1 of 256x1x1", "copy Elements=1048576": its identity.
  [[nodiscard]] std::string label() const;

  bool operator==(const ForeignKernel&) const = default;
};

/// Longest name of a foreign kernel that a recording holds; template arguments make them long.
inline constexpr std::size_t longest_function_name = std::size_t{64} << 10;

/// How long one kernel took at one shape.
struct Measurement {
  std::string kernel;  ///< of the catalogue
  Shape shape;
  std::optional<ForeignKernel> foreign;  ///< instead of `kernel` and `shape`
  double median_s{};
  bool is_mean = false;           ///< `median_s` is the mean: no median was told
  std::vector<double> samples_s;  ///< raw, per launch; empty where only the median was published
  std::optional<std::int64_t> sample_count;  ///< where the samples themselves are not known
  std::optional<double> stdev_s;             ///< likewise
  std::string note;

  // Where perfmodel measured it.
  std::optional<std::int64_t> launches_per_sample;
  std::optional<CacheMode> cache_mode;
  std::optional<double> event_overhead_s;  ///< of an empty pair of events; contained in a sample
  std::optional<bool> noisy;               ///< the noise limit was not reached
  std::optional<std::int64_t> shared_bytes_per_block;  ///< static and dynamic
  std::optional<std::int64_t> blocks_per_sm;  ///< resident at once, by the occupancy calculator
  std::optional<double> occupancy;            ///< resident warps over the device's limit
  std::optional<ClockConditions> clocks;
  std::optional<Verification> verification;
  /// The kernel's own times by the device's record of them (CUPTI activity), in launches apart from
  /// the samples; empty where none were taken.
  std::vector<double> kernel_durations_s;
  std::optional<Counters> counters;

  /// "K3 at 4096x4096x4096", or the label of a foreign kernel: its identity in a recording.
  [[nodiscard]] std::string label() const;

  bool operator==(const Measurement&) const = default;
};

/// A kernel that was asked for and has no time.
struct SkippedMeasurement {
  std::string kernel;
  Shape shape;
  std::string reason;
  std::optional<Verification> verification;  ///< where the reason is a wrong result
  std::optional<ForeignKernel> foreign;      ///< instead of `kernel` and `shape`
  std::optional<Counters> counters;          ///< where they were read although no time was taken

  /// As of `Measurement`.
  [[nodiscard]] std::string label() const;

  bool operator==(const SkippedMeasurement&) const = default;
};

enum class SourceKind : std::uint8_t {
  measured,   ///< by perfmodel, raw samples kept
  published,  ///< figures taken from elsewhere
  imported,   ///< by another tool, whose results were converted
};

std::string_view to_string(SourceKind kind);

/// What a live device said about itself.
struct DeviceAttributes {
  std::string name;  ///< as the driver gives it: "NVIDIA H200"
  std::optional<std::string> pci_bus_id;
  std::optional<std::string> uuid;
  std::optional<std::string> compute_capability;  ///< "9.0"
  std::optional<std::int64_t> sm_count;
  std::optional<double> clock_rate_hz;  ///< highest SM clock
  std::optional<double> memory_clock_hz;
  std::optional<std::int64_t> memory_bus_bits;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> l2_bytes;
  std::optional<std::int64_t> shared_bytes_per_block;  ///< with opt-in
  std::optional<std::int64_t> shared_bytes_per_sm;
  std::optional<std::int64_t> threads_per_sm;

  bool operator==(const DeviceAttributes&) const = default;
};

/// What measured, when.
struct Environment {
  std::optional<std::string> driver;        ///< "580.95.05"
  std::optional<std::string> cuda_runtime;  ///< "13.0"
  std::optional<std::string> perfmodel_version;
  std::optional<std::string> git_commit;
  std::optional<std::string> date_utc;  ///< ISO 8601: "2026-11-29T21:00:00Z"

  bool operator==(const Environment&) const = default;
};

/// The options of a measuring run that its figures depend on.
struct MeasureSettings {
  CacheMode cache_mode = CacheMode::cold;
  std::int64_t warmup_launches = 3;
  std::int64_t min_samples = 10;
  std::int64_t max_samples = 500;
  double max_noise = 0.005;
  double min_time_s = 0.5;
  double time_limit_s = 3.0;

  bool operator==(const MeasureSettings&) const = default;
};

/// Measurements of one device under one clock. Read from `specs/recordings/<device>/*.json`.
struct Recording {
  std::string name;         ///< file name without its ending
  std::string device;       ///< name of a device specification; an imported one may have none
  std::string clock_basis;  ///< what the clock is: "device-reported", "measured"
  double clock_hz{};        ///< 0 in an imported recording whose tool did not tell it
  SourceKind source_kind{};
  std::string source;  ///< who measured, with what
  std::optional<DeviceAttributes> device_attributes;
  std::optional<Environment> environment;
  std::optional<MeasureSettings> settings;
  bool complete = true;  ///< false: the run was interrupted, some kernels are missing
  std::vector<Measurement> entries;
  std::vector<SkippedMeasurement> skipped;

  bool operator==(const Recording&) const = default;
};

}  // namespace perfmodel
