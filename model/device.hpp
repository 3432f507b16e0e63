#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// Where a device figure comes from.
enum class Origin : std::uint8_t {
  datasheet,  ///< published by the vendor or in a public device database
  measured,   ///< read from, or measured on, a live device
  derived,    ///< computed from other figures; the source says how
};

std::string_view to_string(Origin origin);

/// A device figure with its provenance.
template <typename T>
struct Sourced {
  T value{};
  Origin origin = Origin::datasheet;
  std::string source;
};

/// One clock that figures can be based on; a device has at least one.
struct ClockBasis {
  std::string name;  ///< "device-reported", "measured"
  Sourced<double> clock_hz;
};

/// A GPU as the models see it. Read from `specs/devices/*.yaml`.
struct Device {
  std::string name;          ///< "rtx4090"
  std::string title;         ///< "NVIDIA GeForce RTX 4090"
  std::string architecture;  ///< "sm_89"
  /// The vendor's name of the die, by which CUPTI knows its metrics: "AD102". May be empty.
  std::string chip;
  Sourced<std::int64_t> sm_count;
  Sourced<std::int64_t> fma_per_clk_per_sm;  ///< fp32 multiply-adds, dense, per SM and clock
  Sourced<double> dram_bytes_per_s;          ///< theoretical peak
  std::optional<Sourced<std::int64_t>> l2_bytes;
  Sourced<std::int64_t> threads_per_sm;       ///< resident limit
  Sourced<std::int64_t> shared_bytes_per_sm;  ///< largest shared-memory carve-out
  std::vector<ClockBasis> clocks;             ///< the first one is the default

  /// The basis called `name`, or the only one whose name starts with it. Throws Error otherwise.
  [[nodiscard]] const ClockBasis& clock(std::string_view basis_name) const;

  /// FMA = 2 FLOP.
  [[nodiscard]] double peak_flop_per_s(double clock_hz) const;
  /// Physical floor of `cycles_per_warp_fma` (0.25 on a 128-FMA/clk SM).
  [[nodiscard]] double min_cycles_per_warp_fma() const;
};

/// Lanes of a warp, on every CUDA device so far.
inline constexpr int warp_lanes = 32;

}  // namespace perfmodel
