#pragma once

#include <cstdint>
#include <memory>

#include "model/device.hpp"
#include "model/occupancy.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/footprint.hpp"
#include "model/sass/launch.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/sass/module.hpp"
#include "model/sass/trace_edit.hpp"

namespace perfmodel {

/// What the models need to know of one launch: its ledger, and the distinct bytes that blocks touch
/// together. Counted once; refers to the code and the launch, which must outlive it.
struct LaunchProfile {
  const sass::Module* module = nullptr;
  const sass::Function* function = nullptr;
  const sass::Launch* launch = nullptr;
  sass::MachineLedger ledger;
  BlockResources block;
  std::int64_t resident_blocks = 1;  ///< per SM, by the occupancy calculator
  /// The same of blocks of which all warps but one have ended.
  std::int64_t most_resident_blocks = 1;

  sass::Footprint one_block;   ///< one from the middle of the grid
  sass::Footprint one_per_sm;  ///< as many blocks in a row as the device has SMs
  sass::Footprint one_wave;    ///< all that the device holds at once
  sass::Footprint whole_launch;
  /// Of a launch that the device holds at once, with a block less on some SMs than on the others:
  /// all blocks of those SMs, and all of the others. None where every SM has as many, or some have
  /// none.
  sass::Footprint leading;
  sass::Footprint following;

  /// Of the accesses, made to all that is traced; null: the code is taken as it is. The figures
  /// above have them already. See `what_if`.
  std::shared_ptr<const sass::AccessChanges> changes;

  [[nodiscard]] double blocks() const { return static_cast<double>(launch->blocks()); }
};

/// Throws as `count_launch` does, and Error bad_input where no block fits an SM of the device.
LaunchProfile profile_launch(const sass::Module& module, const sass::Function& function,
                             const sass::Launch& launch, const Device& device,
                             const sass::EmulationOptions& options);

/// As if an SM held so many blocks (at least 1); the distinct bytes of a wave are counted anew.
void set_resident_blocks(LaunchProfile& profile, const Device& device, std::int64_t blocks,
                         const sass::EmulationOptions& options);

}  // namespace perfmodel
