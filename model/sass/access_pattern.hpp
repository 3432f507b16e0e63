#pragma once

#include <array>
#include <cstdint>

#include "model/sass/instruction.hpp"
#include "model/sass/machine_ledger.hpp"

namespace perfmodel::sass {

inline constexpr std::uint32_t sector_bytes = 32;
inline constexpr std::uint32_t sector_pair_bytes = 64;
inline constexpr std::uint32_t line_bytes = 128;

/// What one warp-wide access costs. Source of the wavefront rules: docs/machine-ledger.md.
struct AccessCost {
  std::uint32_t wavefronts = 0;
  /// Global memory: the same with every line by itself, the most that a miss may take.
  std::uint32_t line_wavefronts = 0;
  std::uint32_t ideal_wavefronts = 0;  ///< for the same distinct bytes, packed and aligned
  /// Shared memory: the same access if no two of its words had to wait for one bank.
  std::uint32_t conflict_free_wavefronts = 0;
  std::uint32_t sectors = 0;       ///< global memory only
  std::uint32_t lines = 0;         ///< global memory only
  std::uint32_t useful_bytes = 0;  ///< distinct bytes asked for
  AccessClass access = AccessClass::none;
  std::int32_t stride_bytes = 0;  ///< from lane to lane, where constant
  /// Distinct sectors, relative to the one of the first active lane; `sectors` of them.
  std::array<std::int32_t, 2 * warp_lanes> sector_offsets{};
};

/// What a shared-memory access takes of the data pipe.
struct SharedPasses {
  std::uint32_t wavefronts = 0;
  std::uint32_t conflict_free = 0;  ///< if no two words had to wait for one bank

  friend bool operator==(const SharedPasses&, const SharedPasses&) = default;
};

/// Addresses are given relative to the lowest active lane's, whose own lies `phase_bytes` behind a
/// multiple of 128. Every lane accesses `access_bytes` (1 to 16, a power of two), aligned; lanes
/// outside `mask` are ignored. `mask` is not empty.
AccessCost global_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t mask,
                         std::uint32_t access_bytes);

/// Wavefronts of a load from global memory of which some sector is not in L1 yet. It comes back in
/// parts, of which each has at most one line of every tag bank. `cost` is the one of the same
/// access, whose first active lane is at `first_address`.
std::uint32_t miss_wavefronts(const AccessCost& cost, const Row& offsets,
                              std::uint64_t first_address, std::uint32_t mask,
                              std::uint32_t access_bytes);

AccessCost shared_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t mask,
                         std::uint32_t access_bytes, bool store);

/// LDSM: `matrices` groups of eight row addresses of 16 bytes, held by lanes 0-7, 8-15, ...
AccessCost matrix_access(const Row& offsets, std::uint32_t phase_bytes, std::uint32_t matrices);

}  // namespace perfmodel::sass
