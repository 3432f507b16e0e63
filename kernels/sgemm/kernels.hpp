#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"

namespace perfmodel::kernels {

/// C[m x n] = A[m x k] B[k x n] in fp32, row-major: the ladder K0-K6, the pair of the scaling study
/// (naive, tiled16), and two families whose parameters are extents of the shape:
/// `tiled` (tile, block) and `sweep` (block, tk, coarsen). Inputs A and B, output C.
std::span<const Kernel> sgemm_kernels();

/// The design space of `sweep` for one product: its 27 combinations of block, tk and coarsen.
std::vector<Shape> sweep_shapes(std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace perfmodel::kernels
