#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/device.hpp"
#include "model/launch_profile.hpp"
#include "model/measurement.hpp"

namespace perfmodel {

/// Bytes that a launch moves between the levels of memory. Predicted, but for L1's sectors, which
/// are counted.
struct Traffic {
  double l1_load_bytes = 0;   ///< sectors that loads ask L1 for
  double l1_store_bytes = 0;  ///< sectors stored
  double l2_load_bytes = 0;   ///< that miss L1
  double l2_store_bytes = 0;
  double dram_load_bytes = 0;        ///< that miss L2
  double dram_store_bytes = 0;       ///< until the launch ends; L2 keeps the last of them
  double compulsory_load_bytes = 0;  ///< each byte once
  double compulsory_store_bytes = 0;
  /// Of the distinct bytes that blocks side by side ask L2 for, the share that comes from DRAM. All
  /// of them wait for it, whoever asked first.
  double dram_wait_share = 0;
  /// By what share of its loads a block may trail one that repeats them and still find all of them
  /// in L2.
  double follow_share = 0;
  /// Of the bytes that blocks side by side load, the share that no others load.
  double fresh_share = 1;

  [[nodiscard]] double l1_bytes() const { return l1_load_bytes + l1_store_bytes; }
  [[nodiscard]] double l2_bytes() const { return l2_load_bytes + l2_store_bytes; }
  [[nodiscard]] double dram_bytes() const { return dram_load_bytes + dram_store_bytes; }
  [[nodiscard]] double compulsory_bytes() const {
    return compulsory_load_bytes + compulsory_store_bytes;
  }
};

/// What L2 holds when a launch begins.
enum class L2State : std::uint8_t {
  clean,        ///< nothing of the launch's data
  overwritten,  ///< data that was written and has to go to DRAM first: perfmodel's own cold samples
  warm,         ///< what the same launch left there
};

/// What timed launches find, by how perfmodel timed them; nothing: another tool did.
L2State l2_state_of(const std::optional<CacheMode>& mode);

/// What is known of how the blocks of a launch run.
struct TrafficBasis {
  /// Of the sectors that loads ask L1 for, the share that misses; negative: not known, every block
  /// loads each of its sectors once.
  double l1_miss_share = -1;
  /// That share is of the beginning of blocks only, where warps have not yet found their step and
  /// share less than they do later.
  bool of_beginning = false;
  /// How fast the resident blocks of an SM go on, relative to each other, the oldest first; empty:
  /// all alike. Blocks that keep in step read the same data at the same time; others find it in L2
  /// only while that holds what lies between them.
  std::vector<double> pace;
  /// Of what is loaded, the share that faster blocks on other SMs have asked for long before.
  double led_share = 0;
  L2State l2 = L2State::clean;
};

/// From the distinct bytes of a block, of a block on every SM, of a wave and of the launch, and the
/// size of the L2; docs/model.md derives the rules.
Traffic predict_traffic(const LaunchProfile& profile, const Device& device,
                        const TrafficBasis& basis);

}  // namespace perfmodel
