#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/sass/emulate.hpp"
#include "model/sass/launch.hpp"
#include "model/sass/module.hpp"

namespace perfmodel::sass {

/// How the distinct bytes of some blocks are known.
enum class FootprintBasis : std::uint8_t {
  all_blocks,  ///< exact: each of the blocks was emulated
  law,         ///< exact: how the bytes move from block to block was found and verified
  estimate,    ///< from random blocks
};
/// "all", "law", "estimate".
const char* footprint_basis_name(FootprintBasis basis);

/// Distinct bytes that some blocks touch together, the 32-byte sectors that hold them, and the
/// pairs of sectors, aligned to 64 bytes, in which DRAM delivers them. The upper bounds equal the
/// figures unless these are estimates; then they are the mean of the emulated blocks, as if no two
/// blocks shared a byte, but no more than the buffer has.
struct UniqueBytes {
  double bytes = 0;
  double sectors = 0;
  double sector_pairs = 0;
  double most_bytes = 0;
  double most_sectors = 0;

  friend bool operator==(const UniqueBytes&, const UniqueBytes&) = default;
};

struct BufferFootprint {
  std::string name;                     ///< "buffer 2": argument number 2; "variable counter"
  std::optional<std::size_t> argument;  ///< its index, from 0
  std::uint64_t size_bytes = 0;
  UniqueBytes loads;  ///< atomics count as loads and as stores
  UniqueBytes stores;

  friend bool operator==(const BufferFootprint&, const BufferFootprint&) = default;
};

/// What some blocks of a launch touch in global memory, each byte counted once.
struct Footprint {
  std::uint64_t blocks = 0;
  FootprintBasis basis = FootprintBasis::all_blocks;
  std::uint64_t blocks_emulated = 0;     ///< of the launch, for this and what was asked before
  std::uint64_t blocks_verified = 0;     ///< of a law: those it foretold
  std::vector<BufferFootprint> buffers;  ///< every buffer, and the module's variables touched
  UniqueBytes loads;                     ///< sums over the buffers
  UniqueBytes stores;
};

/// The distinct bytes of global memory that any blocks of one launch touch together.
///
/// A grid that is quick to emulate is emulated as far as asked for. Of a larger one, where no
/// loaded value decides an address, the law is found by which the bytes move with the block (see
/// footprint_law.hpp); a union is then a matter of milliseconds. Where there is no law, blocks are
/// emulated while that takes fewer than `random_sample_instructions`, else random ones.
/// Copies by TMA and accesses through textures are not seen.
class LaunchFootprint {
 public:
  /// The module, the function and the launch must outlive it. Throws as `count_launch` does.
  LaunchFootprint(const Module& module, const Function& function, const Launch& launch,
                  const EmulationOptions& options = {});
  ~LaunchFootprint();
  LaunchFootprint(const LaunchFootprint&) = delete;
  LaunchFootprint& operator=(const LaunchFootprint&) = delete;

  /// Of blocks first to first + count - 1, x fastest; those beyond the grid are left out.
  Footprint of_range(std::uint64_t first, std::uint64_t count);
  /// Of any blocks; those beyond the grid are left out.
  Footprint of_blocks(std::span<const std::uint64_t> blocks);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace perfmodel::sass
