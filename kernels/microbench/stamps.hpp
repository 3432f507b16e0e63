#pragma once

#include <cstdint>

namespace perfmodel::kernels {

/// When a warp, or a phase of one, began and ended, as the device writes it.
struct WarpStamp {
  std::uint64_t begin_clock;  ///< cycles of its SM's own counter
  std::uint64_t end_clock;
  std::uint64_t begin_ns;  ///< the device's wall clock
  std::uint64_t end_ns;
  std::uint64_t sm;
};

// What the device code and the catalogue both have to know.
inline constexpr int arithmetic_unroll = 512;  ///< instructions of one repeat, by warp
inline constexpr int tensor_unroll = 128;
inline constexpr int access_unroll = 64;  ///< loads, stores, atomics or barriers of one repeat
inline constexpr int l1_unroll = 32;
inline constexpr int chase_unroll = 64;
inline constexpr int single_loads = 64 * chase_unroll;  ///< timed one by one, a phase each
inline constexpr int branch_phases = 5;
inline constexpr int queue_phases = 40;     ///< phase i issues i + 1 loads
inline constexpr int stream_unroll = 4;     ///< 16-byte accesses of a thread under way together
inline constexpr int chunk_threads = 1024;  ///< of a block that goes through chunks of the L2
inline constexpr int chunk_bytes = 16 * chunk_threads;
inline constexpr int l1_reach_bytes = 40 * 1024;  ///< behind the start of the data

}  // namespace perfmodel::kernels
