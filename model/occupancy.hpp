#pragma once

#include <cstdint>
#include <string_view>

#include "model/device.hpp"

namespace perfmodel {

/// 89 of "sm_89", 90 of "sm_90a"; 0 of what is no architecture.
int compute_capability(std::string_view architecture);

/// What one block of a kernel takes of an SM.
struct BlockResources {
  std::int64_t threads = 0;
  std::int64_t registers_per_thread = 0;
  std::int64_t shared_bytes = 0;  ///< static and dynamic
};

/// Blocks that an SM of the device holds at once: what threads, registers, shared memory (at its
/// largest carve-out) and the limit on blocks leave room for. 0 where not even one fits.
///
/// Limits and granularities by compute capability are those of the CUDA occupancy calculator
/// (cuda_occupancy.h of CUDA 13.0). Throws Error bad_input for an architecture it does not know.
std::int64_t resident_blocks_per_sm(const Device& device, const BlockResources& block);

}  // namespace perfmodel
