#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/calibration.hpp"
#include "model/device.hpp"
#include "model/measurement.hpp"
#include "model/roofline.hpp"
#include "model/statistics.hpp"
#include "model/verdict.hpp"

namespace perfmodel {

/// Whether a kernel's time went into the prices that predict it.
enum class Role : std::uint8_t { reference, held_out };

std::string_view to_string(Role role);

struct Prediction {
  std::string model;
  std::vector<CostShare> shares;
  double cycles_per_warp_fma{};
  double error{};  ///< relative: predicted over measured, minus 1
  Role role{};
};

/// The clock that turns seconds into cycles.
struct Clock {
  std::string basis;  ///< name of a device's clock basis, of a recording's, or "given"
  double hz{};
};

struct PeakShare {
  Clock clock;
  double share{};  ///< of the fp32 peak at that clock
};

/// Everything known about one measured kernel at one shape. SI units; shares are fractions.
struct KernelAnalysis {
  std::string name;
  std::string family;
  std::string library;  ///< empty for kernels with source
  std::string summary;
  Shape shape;
  double median_s{};
  Work work;
  double flop_per_s{};
  double cycles_per_warp_fma{};            ///< rounded where the options ask for it
  std::size_t rank{};                      ///< 1 = fastest of its family at its shape
  std::optional<double> share_of_library;  ///< of the family's library kernel at this shape
  double share_of_peak{};                  ///< at the chosen clock
  std::vector<PeakShare> peak_shares;      ///< at each clock basis
  double compulsory_s{};                   ///< required bytes at full DRAM bandwidth
  std::optional<CacheMode> cache_mode;     ///< of the samples, where the recording tells it

  // With a source ledger only.
  std::optional<SourceLedger> ledger;
  std::optional<Roofline> roofline;
  std::optional<double> cycles_per_load;
  std::optional<double> cycles_per_request;
  std::vector<Prediction> predictions;

  Verdict verdict;
};

/// A cost model and what became of it.
struct ModelAnalysis {
  std::string name;
  std::optional<CostTable> costs;
  std::string why_not_calibrated;           ///< where `costs` is empty
  std::optional<AbsoluteSummary> held_out;  ///< of the relative errors; nothing: none held out
};

struct Analysis {
  Device device;
  Clock clock;
  std::string recording;
  std::string source;
  SourceKind source_kind{};
  std::optional<Environment> environment;  ///< of the recording
  std::vector<ModelAnalysis> models;
  std::vector<KernelAnalysis> kernels;
  std::vector<Shape> other_shapes;   ///< measured, but not asked for
  std::vector<Measurement> foreign;  ///< not in the catalogue: no ledger says what they do
  std::vector<std::string> warnings;
};

struct AnalysisOptions {
  /// Names of cost models. Empty: all of them, and one that the references cannot price is
  /// reported instead of refused.
  std::vector<std::string> models;
  std::vector<std::string> references;     ///< kernels; empty: each model's own
  std::optional<int> rounded_to_decimals;  ///< cycles per warp-FMA before solving
  std::string clock;                       ///< see `resolve_clock`; empty: the recording's
  /// A shape, "all", or empty for the shape of the calibration (all without one).
  std::string shape;
  /// Prices calibrated earlier; they replace `models` and `references`.
  std::vector<CostTable> costs;
};

/// Looks a kernel specification up; throws Error for an unknown name.
using KernelLookup = std::function<const KernelSpec&(const std::string& name)>;

/// "measured" or another clock basis of the device (a unique beginning is enough), or a frequency
/// such as 2.64GHz, 2640MHz or 2.64e9 (hertz). Throws Error.
Clock resolve_clock(const Device& device, std::string_view text);

/// Throws Error when the recording is of another device, or options and data do not fit.
Analysis analyze(const Device& device, const Recording& recording, const KernelLookup& kernels,
                 const AnalysisOptions& options);

}  // namespace perfmodel
