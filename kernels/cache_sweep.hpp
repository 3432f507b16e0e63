#pragma once

namespace perfmodel::kernels {

/// The device function that reads a buffer through L2 and writes nothing, so that L2 is left full
/// of unmodified lines that no other kernel wants. Parameters: const uint4* data, size_t count,
/// unsigned* sink (never written in practice; it keeps the reads alive). Any grid and block.
const void* cache_sweep_code();

}  // namespace perfmodel::kernels
