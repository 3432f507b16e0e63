#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/sass/launch.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/sass/module.hpp"

namespace perfmodel::sass {

/// How much of a launch to emulate, and what to do on the way.
struct EmulationOptions {
  bool all_blocks = false;     ///< every block, however many
  bool count_unknown = false;  ///< flag opcodes that are not known instead of refusing them
  std::uint64_t instruction_budget = 1'000'000'000;  ///< warp instructions per block
  /// A grid that takes fewer instructions of emulation than this is run whole.
  std::uint64_t whole_grid_instructions = 6'000'000;
  /// What a sample of random blocks may take; at least 30 blocks, though.
  std::uint64_t random_sample_instructions = 60'000'000;
  /// Footprints are of whole pieces of so many bytes: 1 is exact, 32 is much faster where lanes are
  /// far apart.
  std::uint32_t footprint_piece_bytes = 1;
  unsigned threads = 0;      ///< CPU threads; 0: one per core
  std::uint64_t seed = 1;    ///< chooses random blocks
  bool find_defects = true;  ///< look for races and reads of memory that nothing wrote
  /// Called now and then with the blocks finished and to do; may be empty.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

/// Runs enough blocks of the launch to count it. Values are computed only as far as addresses and
/// control flow need them.
///
/// Throws Error: bad_input for arguments that do not match the kernel's parameters, an impossible
/// geometry, an unknown opcode (name and address), an endless loop (its address) or a deadlock at
/// a barrier.
MachineLedger count_launch(const Module& module, const Function& function, const Launch& launch,
                           const EmulationOptions& options = {});

/// Runs every block and computes every value. `outputs[i]` receives the bytes of argument i after
/// the launch where that is a buffer; empty otherwise. Throws as `count_launch` does.
struct EmulatedRun {
  MachineLedger ledger;
  std::vector<std::vector<std::byte>> outputs;
};
EmulatedRun run_launch(const Module& module, const Function& function, const Launch& launch,
                       const EmulationOptions& options = {});

}  // namespace perfmodel::sass
