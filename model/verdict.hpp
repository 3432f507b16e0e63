#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

struct Device;
struct KernelAnalysis;

/// What a kernel spends its time on, as far as source ledgers and a measured time can tell.
enum class VerdictClass : std::uint8_t {
  bandwidth_bound,       ///< DRAM delivers the bytes of the ledger about as fast as it can
  instruction_bound,     ///< load instructions at their calibrated prices account for the time
  uncoalesced,           ///< most memory requests exist only because lanes are far apart
  model_not_applicable,  ///< no ledger, or neither roof nor prices account for the time
};

std::string_view to_string(VerdictClass verdict_class);

/// How a figure came about; told apart wherever figures are shown.
enum class FigureKind : std::uint8_t { counted, measured, calibrated, predicted };

std::string_view to_string(FigureKind kind);

/// One line of the argument behind a verdict.
struct Evidence {
  FigureKind kind;
  std::string topic;    ///< "DRAM roof"
  std::string finding;  ///< one sentence with its figures
};

struct Verdict {
  VerdictClass verdict_class{};
  std::string reason;  ///< one sentence
  std::vector<Evidence> evidence;
};

// The thresholds of the verdict, stated here once.

/// Shares of the DRAM roof that count as "at the roof": from what the best copy kernels reach of
/// the theoretical bandwidth, to what an imprecise clock or figure can add.
inline constexpr double bandwidth_bound_min_attainment = 0.85;
inline constexpr double bandwidth_bound_max_attainment = 1.05;
/// A prediction within this relative error accounts for the time.
inline constexpr double explained_max_error = 0.25;
/// At this many times the requests of coalesced loads, the requests are the story.
inline constexpr double uncoalesced_min_request_ratio = 2.0;

/// Judges a kernel whose other figures are complete; uses the first model that predicts it.
Verdict judge(const KernelAnalysis& kernel, const Device& device);

}  // namespace perfmodel
