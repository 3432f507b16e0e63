#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis.hpp"
#include "model/device.hpp"
#include "model/hardware_constants.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/traffic.hpp"
#include "model/verdict.hpp"

namespace perfmodel {

/// Where bytes come from; each level has a roof of its own.
enum class MemoryLevel : std::uint8_t {
  l1,  ///< the data pipe of shared memory and L1
  l2,
  dram,
};
/// "L1/shared", "L2", "DRAM".
std::string_view to_string(MemoryLevel level);

struct MemoryRoof {
  MemoryLevel level{};
  double bytes_per_s{};
  std::string source;
};

struct ComputeRoof {
  std::string data_type;  ///< "fp32", "tensor bf16"
  double flop_per_s{};
  std::string source;
};

/// Ceilings that belong together: published ones at one clock, or those measured on the device.
struct CeilingSet {
  std::string name;  ///< "measured", "datasheet, 2.52 GHz (device-reported)"
  bool is_measured = false;
  double clock_hz{};
  std::vector<MemoryRoof> memory;    ///< from the nearest level to DRAM
  std::vector<ComputeRoof> compute;  ///< fp32 first
  double instructions_per_s{};       ///< that warps can issue
  std::string issue_source;
};

/// Published ceilings at each clock basis of the device, then those of `constants` where they were
/// measured on it. `constants` may be null.
std::vector<CeilingSet> ceiling_sets(const Device& device, const HardwareConstants* constants);

/// A transaction of the memory system: a sector.
inline constexpr double transaction_bytes = 32;

struct FlopCount {
  std::string data_type;  ///< "fp32", "fp64", "fp16", or "tensor bf16" on tensor cores
  double flop{};
};

struct LevelBytes {
  MemoryLevel level{};
  double bytes{};
  FigureKind kind{};  ///< counted in L1, predicted behind it
};

/// What a launch does, as far as rooflines ask.
struct LaunchWork {
  /// Multiply-adds that ran, two FLOP each, most first; types without any are left out.
  std::vector<FlopCount> flop;
  /// Opcodes of products of matrices that ran and are not in `flop`: of integers, sparse, or of a
  /// size that the opcode does not tell.
  std::vector<std::string> uncounted_products;
  std::vector<LevelBytes> levels;  ///< that move any bytes
  double warp_instructions{};
};

/// L1's bytes are passes of the data pipe, 128 bytes each, so that its roof is the pipe's.
LaunchWork launch_work(const sass::MachineTotals& totals, const Traffic& traffic);

/// A point against one set of ceilings.
struct RoofShare {
  double roof_per_s{};
  double share{};       ///< of the roof; above 1 is shown, never clamped
  std::string limiter;  ///< "DRAM" or "fp32", whichever roof is lower
};

/// A kernel on a roofline: of FLOP over bytes, or of warp instructions over transactions.
struct RooflinePoint {
  std::string data_type;  ///< of its FLOP and its roof; "instructions" on an instruction roofline
  MemoryLevel level{};
  double intensity{};
  double per_s{};                ///< FLOP or warp instructions
  std::vector<RoofShare> roofs;  ///< one for each set; a limiter "" where the set lacks a roof
};

/// One point for each data type and level, in the order of the types of `work`.
std::vector<RooflinePoint> roofline_points(const LaunchWork& work, double seconds,
                                           std::span<const CeilingSet> ceilings);

/// One point for each level.
std::vector<RooflinePoint> instruction_points(const LaunchWork& work, double seconds,
                                              std::span<const CeilingSet> ceilings);

/// The point of a kernel without machine code: bytes of its source ledger, as if all came from
/// DRAM. Empty where it has no source ledger.
std::vector<RooflinePoint> source_points(const KernelAnalysis& kernel,
                                         std::span<const CeilingSet> ceilings);

}  // namespace perfmodel
