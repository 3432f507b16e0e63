#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "model/sass/trace.hpp"
#include "model/timeline/l1_cache.hpp"
#include "model/timeline/sm_costs.hpp"

namespace perfmodel {

/// How the traffic behind L1 divides; from the traffic of the launch.
struct MemoryShares {
  double first_in_half_share = 1;  ///< of sectors that miss L1; see SmCosts::l2_near_latency
  double dram_share_of_loads = 0;  ///< of sectors that miss L1, those that miss L2 as well
  double dram_wait_share = 0;      ///< of them, those that wait for DRAM, whoever asked first
  /// Not 0: blocks repeat each other's loads. Of one that another is ahead of by no more than so
  /// many sectors, fewer loads wait for DRAM, and as long as the other one waits for the same; of
  /// one that leads, more do.
  double follow_sectors = 0;
  double dram_wait_share_of_leader = 0;
  double dram_wait_share_of_follower = 0;
  /// Bytes that DRAM moves for each byte that a load fetches from it: more than 1 where stored data
  /// is written back to make room.
  double dram_bytes_per_load_byte = 1;
  double dram_share_of_stores = 1;   ///< of sectors stored, where no load makes room
  double dram_bytes_per_cycle = 17;  ///< see SmCosts::dram_rate
  double dram_queue_cycles = 0;      ///< see SmCosts::dram_queue_cycles
};

/// Cycles that the units of the memory side were busy, and what passed through them.
struct MemoryCounts {
  double lsu_data_cycles = 0;  ///< with data
  double l2_cycles = 0;
  double dram_cycles = 0;
  double load_sectors = 0;  ///< that loads ask L1 for
  double missed_sectors = 0;
  double stored_sectors = 0;
};

/// The memory side of one SM, in cycles: the way in with the tags of L1, the data pipe of shared
/// memory and L1, the SM's port to L2, L2 and DRAM, each first come, first served.
class SmMemory {
 public:
  /// `slots`: resident blocks. `unlimited`: no unit is ever busy, only latencies count.
  SmMemory(const SmCosts& costs, const MemoryShares& shares, double l1_bytes, std::size_t slots,
           bool unlimited);

  /// Data on its way to the data pipe.
  struct Arrival {
    double wavefronts = 0;  ///< that it takes there
    double behind = 0;      ///< cycles from there until its result can be used
    bool fetched = false;   ///< it was not in L1, or not yet
  };

  /// What becomes of an access.
  struct Service {
    double begins = 0;  ///< leaves the queue of its sub-partition
    /// No longer holds a place of its sub-partition; of a hit that is under way, `deliver` tells.
    double served = 0;
    /// When its result can be used, or what it stores has arrived; unless data is under way to L1.
    double done = 0;
    bool under_way = false;  ///< `deliver` has to be called
    double data_at = 0;      ///< then: when the data reaches the data pipe
    Arrival arrival;         ///< then
  };

  /// `warp_free`: from when on the data pipe takes the next access of the warp.
  Service shared(const sass::TracedPattern& pattern, double sent, double& warp_free);
  /// Of lanes, through the data pipe of shared memory.
  Service exchange(double sent, double latency);
  Service load(std::size_t slot, const sass::TracedPattern& pattern,
               const sass::TracedAccess& access, double sent, double& warp_free);
  Service store(const sass::TracedPattern& pattern, double sent);

  /// Passes data that was under way through the data pipe, from `time` on at the earliest, and on
  /// to the registers: returns when it can be used. Calls come in the order of their time.
  double deliver(const Arrival& arrival, double time);
  /// From when on `deliver` takes further data of this kind.
  [[nodiscard]] double delivers_from(const Arrival& arrival) const {
    return arrival.fetched ? fetched_free_ : 0;
  }

  /// From when on there is room for another access, of shared memory or of L1.
  [[nodiscard]] double admits_from(bool shared) const;

  /// The data pipe has stood still for so long.
  void stand_still(double cycles) { data_free_ += cycles; }

  /// Another block starts in a slot.
  void restart(std::size_t slot) {
    missed_by_slot_.resize(std::max(missed_by_slot_.size(), slot + 1));
    missed_by_slot_[slot] = 0;
  }

  [[nodiscard]] const MemoryCounts& counts() const { return counts_; }

 private:
  [[nodiscard]] double when_free(double free, double time) const {
    return unlimited_ || free < time ? time : free;
  }
  [[nodiscard]] bool follows(std::size_t slot) const;
  double under_way_for_leader(double position, double time);
  double come_in(double time, double busy, double warp_free = 0);
  double use_data_pipe(double time, double busy);
  [[nodiscard]] double spacing_within(double wavefronts) const;
  void pass(double time, double busy, double behind, double& warp_free, Service& service);
  double use_dram(double time, double cycles);
  [[nodiscard]] double behind_pipe() const;
  [[nodiscard]] double l2_latency_of(std::uint64_t line) const;
  double fetch(std::size_t slot, const sass::TracedPattern& pattern, double sent);

  SmCosts costs_;
  MemoryShares shares_;
  bool unlimited_;
  L1Cache l1_;
  std::vector<std::uint64_t> missed_;  ///< sectors of the access at hand
  std::vector<double> missed_by_slot_;
  /// What the block that leads has asked for and not got, in sectors from its beginning.
  struct Ahead {
    double begin = 0;
    double end = 0;
    double comes = 0;
  };
  std::deque<Ahead> ahead_;
  double way_in_free_ = 0;
  double data_free_ = 0;
  double fetched_free_ = 0;  ///< the data pipe, for fetched data
  double l2_free_ = 0;
  double dram_free_ = 0;
  double dram_used_ = 0;     ///< cycles, those long ago forgotten
  double dram_used_at_ = 0;  ///< last
  double dram_loads_ = 0;    ///< sectors that are due to be loaded from DRAM
  double dram_waits_ = 0;
  double dram_stores_ = 0;
  MemoryCounts counts_;
};

}  // namespace perfmodel
