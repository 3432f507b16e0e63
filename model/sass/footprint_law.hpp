#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/sass/byte_set.hpp"
#include "model/sass/footprint_recorder.hpp"

namespace perfmodel::sass {

/// Ranges of bytes in one result beyond which a footprint is not worked out exactly (64 MiB of
/// them).
inline constexpr std::size_t most_byte_ranges = std::size_t{1} << 22;

/// What an instruction does with the bytes it touches; an atomic does both.
struct AccessKinds {
  bool loads = false;
  bool stores = false;
};

/// The footprints of blocks, as far as they are asked for.
class BlockFootprints {
 public:
  BlockFootprints() = default;
  BlockFootprints(const BlockFootprints&) = delete;
  BlockFootprints& operator=(const BlockFootprints&) = delete;
  virtual ~BlockFootprints() = default;

  /// Makes those of `blocks` ready, several at a time.
  virtual void prepare(std::span<const std::uint64_t> blocks) = 0;
  /// Stays valid.
  virtual const BlockFootprint& at(std::uint64_t block) = 0;
  /// False once finding out took more time than is worth it.
  [[nodiscard]] virtual bool affordable() const = 0;
};

/// Distinct bytes: element 2 i of those that are loaded from region i, element 2 i + 1 of those
/// that are stored.
using TouchedBytes = std::vector<ByteSet>;

/// Puts sets together, region by region.
class TouchedUnion {
 public:
  explicit TouchedUnion(std::size_t regions) : pending_(2 * regions) {}

  void add(std::uint32_t region, AccessKinds kinds, const ByteSet& bytes);
  /// Says that something to be added takes too many ranges.
  void set_too_large() { too_large_ = true; }
  [[nodiscard]] bool too_large() const { return too_large_; }
  TouchedBytes take();

 private:
  void add_to(std::vector<ByteRange>& pending, const ByteSet& bytes);

  std::vector<std::vector<ByteRange>> pending_;
  bool too_large_ = false;
};

/// Blocks `first` + i_0 strides_0 + i_1 strides_1 + ..., where i_k goes from 0 to counts_k - 1.
/// Strides ascend, and those below never reach the next: the last index varies slowest.
struct BlockLattice {
  struct Axis {
    std::uint64_t stride = 1;
    std::uint64_t count = 1;
  };
  std::uint64_t first = 0;
  std::vector<Axis> axes;

  [[nodiscard]] std::uint64_t size() const;
  /// Members before block `block`.
  [[nodiscard]] std::uint64_t members_before(std::uint64_t block) const;
  [[nodiscard]] std::uint64_t block_at(std::span<const std::uint64_t> indices) const;
};

/// How the bytes that blocks touch follow from the blocks' numbers: the grid falls into lattices;
/// along each axis of a lattice, what an instruction touches moves by the same distance from one
/// member to the next.
class FootprintLaw {
 public:
  /// Bytes that move together.
  struct Part {
    std::uint32_t region = 0;
    AccessKinds kinds;
    ByteSet bytes;                         ///< of the lattice's first block
    std::vector<std::int64_t> step_bytes;  ///< by axis
  };
  struct Class {
    BlockLattice blocks;
    std::vector<Part> parts;
  };

  /// Adds what blocks first to first + count - 1 touch.
  void add_range(std::uint64_t first, std::uint64_t count, TouchedUnion& into) const;

  std::vector<Class> classes;
  /// Blocks whose footprints the law foretold, and that were then found to be so.
  std::uint64_t blocks_verified = 0;
};

/// Looks for the law in some blocks (the first, neighbours and the last along each axis) and checks
/// it on others (corners, and blocks drawn by `seed`). An axis along which the law breaks is cut
/// there, or divided into two where it repeats; that finds edges, halos, tiles numbered in one
/// direction and swizzled tiles. Nothing where no law is found.
///
/// `kinds` is by instruction. `random_blocks` is how many to check of the whole grid.
std::optional<FootprintLaw> find_footprint_law(const std::array<std::uint32_t, 3>& grid,
                                               std::span<const AccessKinds> kinds,
                                               BlockFootprints& footprints,
                                               std::uint64_t random_blocks, std::uint64_t seed);

}  // namespace perfmodel::sass
