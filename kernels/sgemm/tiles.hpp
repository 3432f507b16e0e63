#pragma once

namespace perfmodel::kernels {

// Geometry that the device code and the plans share. A stage is one step of `ladder_tile` in k.

inline constexpr int ladder_tile = 32;        ///< K1-K6: rows of a block tile, depth of a stage
inline constexpr int ladder_wide_tile = 128;  ///< K3c, K5, K6: columns of a block tile
inline constexpr int ladder_thread_rows = 8;  ///< K4-K6: consecutive rows of a thread
inline constexpr int ladder_block_y = ladder_tile / ladder_thread_rows;       ///< K4-K6
inline constexpr int ladder_thread_columns = ladder_wide_tile / ladder_tile;  ///< K3c, K5, K6

inline constexpr int scaling_tile = 16;  ///< naive and tiled16: a block is 16 x 16

inline constexpr int sweep_columns = 32;  ///< sweep: columns of a block tile, threads in x

}  // namespace perfmodel::kernels
