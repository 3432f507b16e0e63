#include "kernels/sgemm/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/sgemm/tiles.hpp"
#include "kernels/sizes.hpp"

namespace perfmodel::kernels {
namespace {

struct GemmExtents {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

GemmExtents gemm_extents(const Shape& shape) {
  return {checked_extent(shape, "m"), checked_extent(shape, "n"), checked_extent(shape, "k")};
}

std::int64_t gemm_bytes(const Shape& shape) {
  const auto [m, n, k] = gemm_extents(shape);
  const std::int64_t inputs = checked_sum(float_bytes(m, k, "A in bytes"),
                                          float_bytes(k, n, "B in bytes"), "A and B in bytes");
  return checked_sum(inputs, float_bytes(m, n, "C in bytes"), "A, B and C in bytes");
}

/// Blocks of `block_x` x `block_y` threads, each for `tile_rows` x `tile_columns` of C.
Plan tiled_plan(const Shape& shape, const DeviceLimits& limits, std::int64_t tile_rows,
                std::int64_t tile_columns, std::uint32_t block_x, std::uint32_t block_y,
                std::size_t dynamic_shared_bytes = 0) {
  const auto [m, n, k] = gemm_extents(shape);
  return single_launch(ceil_div(n, tile_columns), ceil_div(m, tile_rows), block_x, block_y,
                       dynamic_shared_bytes, gemm_bytes(shape), limits);
}

Plan plan_k0(const Shape& shape, const DeviceLimits& /*limits*/) {
  const auto [m, n, k] = gemm_extents(shape);
  Plan plan;
  plan.device_bytes = static_cast<std::size_t>(gemm_bytes(shape));
  if (m > 0 && n > 0) {
    plan.library = "cuBLAS";
  }
  return plan;
}

/// The only kernel whose x runs down the rows.
Plan plan_k1(const Shape& shape, const DeviceLimits& limits) {
  const auto [m, n, k] = gemm_extents(shape);
  return single_launch(ceil_div(m, ladder_tile), ceil_div(n, ladder_tile), ladder_tile, ladder_tile,
                       0, gemm_bytes(shape), limits);
}

Plan plan_k2_k3(const Shape& shape, const DeviceLimits& limits) {
  return tiled_plan(shape, limits, ladder_tile, ladder_tile, ladder_tile, ladder_tile);
}

Plan plan_k3c(const Shape& shape, const DeviceLimits& limits) {
  return tiled_plan(shape, limits, ladder_tile, ladder_wide_tile, ladder_tile, ladder_tile);
}

Plan plan_k4(const Shape& shape, const DeviceLimits& limits) {
  return tiled_plan(shape, limits, ladder_tile, ladder_tile, ladder_tile, ladder_block_y);
}

Plan plan_k5(const Shape& shape, const DeviceLimits& limits) {
  return tiled_plan(shape, limits, ladder_tile, ladder_wide_tile, ladder_tile, ladder_block_y);
}

Plan plan_k6(const Shape& shape, const DeviceLimits& limits) {
  const auto [m, n, k] = gemm_extents(shape);
  if (n % 4 != 0 || k % 4 != 0) {
    return skipped(
        fmt::format("n = {} and k = {} must be multiples of 4 for float4 accesses", n, k));
  }
  return plan_k5(shape, limits);
}

Plan plan_scaling(const Shape& shape, const DeviceLimits& limits) {
  return tiled_plan(shape, limits, scaling_tile, scaling_tile, scaling_tile, scaling_tile);
}

Plan plan_tiled(const Shape& shape, const DeviceLimits& limits) {
  const std::int64_t tile = checked_extent(shape, "tile");
  const std::int64_t block = checked_extent(shape, "block");
  if (tile < 1 || block < 1) {
    return skipped(fmt::format("tile = {} and block = {} must be at least 1", tile, block));
  }
  if (block % tile != 0) {
    return skipped(
        fmt::format("a block of {} threads is not a multiple of the tile of {}", block, tile));
  }
  if (block > std::int64_t{limits.threads_per_block}) {
    return skipped(fmt::format("{} threads per block are more than the limit of {}", block,
                               limits.threads_per_block));
  }
  const std::int64_t rows = block / tile;
  const auto shared_bytes = static_cast<std::size_t>((rows * tile + tile * tile) * 4);
  return tiled_plan(shape, limits, rows, tile, static_cast<std::uint32_t>(tile),
                    static_cast<std::uint32_t>(rows), shared_bytes);
}

// What `sweep.cu` builds.
constexpr std::array<std::int64_t, 3> sweep_blocks = {128, 256, 512};
constexpr std::array<std::int64_t, 3> sweep_depths = {8, 16, 32};
constexpr std::array<std::int64_t, 3> sweep_coarsenings = {1, 2, 4};

/// Empty when `value` is one of `built`, else the reason to skip.
std::string not_built(std::string_view name, std::int64_t value,
                      const std::array<std::int64_t, 3>& built) {
  if (std::ranges::find(built, value) != built.end()) {
    return {};
  }
  return fmt::format("{} = {} is not one of {}, {}, {}", name, value, built[0], built[1], built[2]);
}

Plan plan_sweep(const Shape& shape, const DeviceLimits& limits) {
  const std::int64_t block = checked_extent(shape, "block");
  const std::int64_t coarsen = checked_extent(shape, "coarsen");
  for (std::string& reason : std::array{not_built("block", block, sweep_blocks),
                                        not_built("tk", checked_extent(shape, "tk"), sweep_depths),
                                        not_built("coarsen", coarsen, sweep_coarsenings)}) {
    if (!reason.empty()) {
      return skipped(std::move(reason));
    }
  }
  const std::int64_t block_y = block / sweep_columns;
  return tiled_plan(shape, limits, block_y * coarsen, sweep_columns, sweep_columns,
                    static_cast<std::uint32_t>(block_y));
}

constexpr std::array<std::string_view, 3> gemm_dimensions = {"m", "n", "k"};
constexpr std::array<std::string_view, 5> tiled_dimensions = {"m", "n", "k", "tile", "block"};
constexpr std::array<std::string_view, 6> sweep_dimensions = {"m",     "n",  "k",
                                                              "block", "tk", "coarsen"};
constexpr std::array<std::string_view, 2> gemm_inputs = {"A", "B"};

constexpr Kernel gemm_kernel(std::string_view name,
                             Plan (*plan)(const Shape&, const DeviceLimits&)) {
  return {name, "sgemm", gemm_dimensions, gemm_inputs, gemm_dimensions, plan, gemm_bytes};
}

constexpr std::array sgemm_catalog = {
    gemm_kernel("K0", plan_k0),
    gemm_kernel("K1", plan_k1),
    gemm_kernel("K2", plan_k2_k3),
    gemm_kernel("K3", plan_k2_k3),
    gemm_kernel("K3c", plan_k3c),
    gemm_kernel("K4", plan_k4),
    gemm_kernel("K5-unpadded", plan_k5),
    gemm_kernel("K5", plan_k5),
    gemm_kernel("K6", plan_k6),
    gemm_kernel("naive", plan_scaling),
    gemm_kernel("tiled16", plan_scaling),
    Kernel{"tiled", "sgemm-tiled", tiled_dimensions, gemm_inputs, gemm_dimensions, plan_tiled,
           gemm_bytes},
    Kernel{"sweep", "sgemm-sweep", sweep_dimensions, gemm_inputs, gemm_dimensions, plan_sweep,
           gemm_bytes},
};

}  // namespace

std::span<const Kernel> sgemm_kernels() { return sgemm_catalog; }

std::vector<Shape> sweep_shapes(std::int64_t m, std::int64_t n, std::int64_t k) {
  std::vector<Shape> shapes;
  for (const std::int64_t block : sweep_blocks) {
    for (const std::int64_t tk : sweep_depths) {
      for (const std::int64_t coarsen : sweep_coarsenings) {
        shapes.emplace_back(std::vector<std::pair<std::string, std::int64_t>>{
            {"m", m}, {"n", n}, {"k", k}, {"block", block}, {"tk", tk}, {"coarsen", coarsen}});
      }
    }
  }
  return shapes;
}

}  // namespace perfmodel::kernels
