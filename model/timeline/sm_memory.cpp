#include "model/timeline/sm_memory.hpp"

#include <algorithm>
#include <cmath>

namespace perfmodel {
namespace {

constexpr double sector_bytes = 32;
/// What L1 sends ahead of the port to L2, in cycles of that port.
constexpr double port_queue_cycles = 512;

/// For so long the load of DRAM is remembered.
constexpr double load_memory_cycles = 2000;
/// Of DRAM, beyond which its queue grows no longer.
constexpr double most_load = 0.9;

/// Of an L2 in two halves, the share of lines that belong to the other one and are not here yet,
/// where nobody of this half has loaded them before.
constexpr double far_share = 0.25;

/// A number from 0 to 1 for each line, as good as random.
double place_of(std::uint64_t line) {
  std::uint64_t hash = line * std::uint64_t{0x9e3779b97f4a7c15};
  hash = (hash ^ hash >> 29) * std::uint64_t{0xbf58476d1ce4e5b9};
  return static_cast<double>(hash >> 40) / static_cast<double>(1U << 24);
}

}  // namespace

SmMemory::SmMemory(const SmCosts& costs, const MemoryShares& shares, double l1_bytes,
                   std::size_t slots, bool unlimited)
    : costs_(costs),
      shares_(shares),
      unlimited_(unlimited),
      l1_(l1_bytes),
      missed_by_slot_(slots) {}

/// From `time` on at the earliest; returns when the pipe is done.
double SmMemory::use_data_pipe(double time, double busy) {
  counts_.lsu_data_cycles += busy;
  const double done = when_free(data_free_, time) + busy;
  data_free_ = std::max(data_free_, done);
  return done;
}

/// From the data pipe until a loaded value can be used: the measured latency has the transfer of an
/// address and one wavefront in it.
double SmMemory::behind_pipe() const {
  return costs_.l1_latency - 2 * costs_.operand_interval - costs_.global_wavefront;
}

/// What the spacing of its wavefronts adds to an access, in cycles.
double SmMemory::spacing_within(double wavefronts) const {
  return (costs_.warp_wavefront_cycles - 1) * std::max(0.0, wavefronts - 1);
}

/// Passes an access of a warp through the data pipe, where its wavefronts leave room for one of
/// another warp each, behind the warp's access before.
void SmMemory::pass(double time, double busy, double behind, double& warp_free, Service& service) {
  if (warp_free > time && !unlimited_) {
    service.under_way = true;
    service.data_at = warp_free;
    service.arrival = {busy, behind, false};
    warp_free += costs_.warp_wavefront_cycles * busy;
    return;
  }
  const double start = std::max(time, warp_free);
  const double done = use_data_pipe(start, busy);
  warp_free = done + (costs_.warp_wavefront_cycles - 1) * busy;
  service.done = service.served = done + behind;
}

/// An access takes its place on the way in for `busy` cycles, from `time` on at the earliest;
/// returns when. One that waits for another of its warp until `warp_free` lets the next ones pass.
double SmMemory::come_in(double time, double busy, double warp_free) {
  if (unlimited_) {
    return time;
  }
  const double begin = std::max(time, way_in_free_);
  if (warp_free <= begin) {
    way_in_free_ = begin + busy;
  }
  return begin;
}

double SmMemory::admits_from(bool shared) const {
  if (unlimited_) {
    return 0;
  }
  return std::max(way_in_free_, shared ? data_free_ : l2_free_ - port_queue_cycles);
}

SmMemory::Service SmMemory::shared(const sass::TracedPattern& pattern, double sent,
                                   double& warp_free) {
  Service service;
  service.begins =
      come_in(std::max(sent, admits_from(true)), costs_.least_access_cycles, warp_free);
  const double busy =
      std::max(pattern.wavefronts * costs_.shared_wavefront, costs_.least_access_cycles);
  const double latency = pattern.atomic ? costs_.shared_atomic_latency : costs_.shared_latency;
  // The measured latency has the transfer of one register and one wavefront in it.
  const double behind = latency - costs_.operand_interval - costs_.shared_wavefront +
                        spacing_within(pattern.wavefronts) + std::max(1U, pattern.register_rows) -
                        1.0;
  pass(service.begins, busy, behind, warp_free, service);
  return service;
}

SmMemory::Service SmMemory::exchange(double sent, double latency) {
  Service service;
  service.begins = come_in(std::max(sent, admits_from(true)), costs_.least_access_cycles);
  service.done =
      use_data_pipe(service.begins, costs_.shared_wavefront) + latency - costs_.shared_wavefront;
  service.served = service.done;
  return service;
}

SmMemory::Service SmMemory::load(std::size_t slot, const sass::TracedPattern& pattern,
                                 const sass::TracedAccess& access, double sent, double& warp_free) {
  counts_.load_sectors += static_cast<double>(pattern.sectors.size());
  Service service;
  const double look_up = std::max(pattern.lines * costs_.line_lookup, costs_.least_access_cycles);
  service.begins = come_in(std::max(sent, admits_from(false)), look_up);
  const double looked_up = service.begins + look_up - costs_.least_access_cycles;
  missed_.clear();
  double arrives = 0;
  for (const std::int32_t offset : pattern.sectors) {
    const std::uint64_t sector =
        access.first_sector + static_cast<std::uint64_t>(std::int64_t{offset});
    const L1Cache::Sector found = pattern.atomic ? L1Cache::Sector{} : l1_.find(sector);
    if (found.present) {
      arrives = std::max(arrives, found.arrives);
    } else {
      missed_.push_back(sector);
    }
  }
  const double wavefronts =
      (missed_.empty() ? pattern.wavefronts : access.miss_wavefronts) * costs_.global_wavefront;
  if (missed_.empty() && arrives - behind_pipe() <= when_free(data_free_, looked_up)) {
    pass(looked_up, wavefronts, behind_pipe() + spacing_within(wavefronts), warp_free, service);
    return service;
  }
  if (!missed_.empty()) {
    arrives = std::max(arrives, fetch(slot, pattern, looked_up));
  }
  if (unlimited_ || pattern.atomic || pattern.asynchronous || !costs_.returning_data_uses_pipe) {
    // Of these the data pipe is used at once; what they wait for lies elsewhere.
    service.served = use_data_pipe(looked_up, wavefronts);
    service.done = std::max(service.served + behind_pipe(), arrives);
    return service;
  }
  way_in_free_ += costs_.absent_look_up;
  service.under_way = true;
  service.served = looked_up;  // waits for its data elsewhere
  service.arrival = {wavefronts, behind_pipe(), true};
  service.data_at = std::max(looked_up, arrives - behind_pipe() - wavefronts);
  return service;
}

double SmMemory::deliver(const Arrival& arrival, double time) {
  if (!arrival.fetched) {
    return use_data_pipe(time, arrival.wavefronts) + arrival.behind;
  }
  // Takes turns with accesses that hit.
  const double waits = std::clamp(data_free_ - time, 0.0, arrival.wavefronts);
  use_data_pipe(time, arrival.wavefronts);
  fetched_free_ = time + waits + arrival.wavefronts;
  return fetched_free_ + arrival.behind;
}

/// Whether what the block in `slot` loads has just been loaded for another one.
bool SmMemory::follows(std::size_t slot) const {
  return std::ranges::any_of(missed_by_slot_, [&](double other) {
    const double ahead = other - missed_by_slot_[slot];
    return ahead > 0 && ahead <= shares_.follow_sectors;
  });
}

/// When the sector at `position` of a block that follows comes, if the leader still waits for the
/// same one; 0: it does not.
double SmMemory::under_way_for_leader(double position, double time) {
  while (!ahead_.empty() && ahead_.front().comes <= time) {
    ahead_.pop_front();
  }
  const auto found = std::ranges::upper_bound(ahead_, position, {}, &Ahead::end);
  return found != ahead_.end() && found->begin <= position ? found->comes : 0;
}

/// From `time` on at the earliest; returns when it is done, after a wait that grows with the load
/// as that of a queue with one server does.
double SmMemory::use_dram(double time, double cycles) {
  counts_.dram_cycles += cycles;
  const double done = when_free(dram_free_, time) + cycles;
  dram_free_ = std::max(dram_free_, done);
  if (unlimited_) {
    return done;
  }
  dram_used_ *= std::exp(-std::max(0.0, time - dram_used_at_) / load_memory_cycles);
  dram_used_ += cycles;
  dram_used_at_ = std::max(dram_used_at_, time);
  const double load = std::min(most_load, dram_used_ / load_memory_cycles);
  return std::max(done, time + cycles + shares_.dram_queue_cycles * load / (1 - load));
}

/// With nothing else asked for at the same time.
double SmMemory::l2_latency_of(std::uint64_t line) const {
  const double near = costs_.l2_near_latency * costs_.l2_spread.factor(place_of(line));
  const bool far = place_of(~line) < far_share * shares_.first_in_half_share;
  return far ? near + (costs_.l2_latency - costs_.l2_near_latency) / far_share : near;
}

/// Brings what missed L1 from L2; returns when the last of them can be used.
double SmMemory::fetch(std::size_t slot, const sass::TracedPattern& pattern, double sent) {
  const auto missing = static_cast<double>(missed_.size());
  counts_.missed_sectors += missing;
  double l2_cycles = missing * sector_bytes / costs_.l2_bytes_per_cycle;
  if (pattern.atomic) {
    l2_cycles = std::max(l2_cycles, missing / costs_.atomics_per_cycle);
  }
  counts_.l2_cycles += l2_cycles;
  const double one_sector = sector_bytes / costs_.l2_bytes_per_cycle;
  const double all_sent = unlimited_ ? sent + one_sector : when_free(l2_free_, sent) + l2_cycles;
  l2_free_ = std::max(l2_free_, all_sent);
  const double unloaded = 2 * costs_.operand_interval + costs_.global_wavefront + one_sector;
  double dram_done = sent;
  dram_loads_ += missing * shares_.dram_share_of_loads;
  if (dram_loads_ >= missing) {
    dram_loads_ -= missing;
    const double dram_cycles =
        missing * sector_bytes * shares_.dram_bytes_per_load_byte / shares_.dram_bytes_per_cycle;
    dram_done = use_dram(sent, dram_cycles);
  }
  const bool repeats = shares_.follow_sectors > 0;
  const bool follower = repeats && follows(slot);
  dram_waits_ += missing * (!repeats   ? shares_.dram_wait_share
                            : follower ? shares_.dram_wait_share_of_follower
                                       : shares_.dram_wait_share_of_leader);
  const double position = missed_by_slot_[slot];
  missed_by_slot_[slot] += missing;
  const bool waits = dram_waits_ >= missing;
  dram_waits_ -= waits ? missing : 0;
  double arrives = follower && !waits ? under_way_for_leader(position, sent) : 0;
  for (const std::uint64_t sector : missed_) {
    const std::uint64_t line = sector / 4;
    double comes =
        all_sent - unloaded + (pattern.atomic ? costs_.atomic_latency : l2_latency_of(line));
    if (waits) {
      comes = std::max(comes, dram_done - unloaded +
                                  costs_.dram_latency * costs_.dram_spread.factor(place_of(line)));
    }
    arrives = std::max(arrives, comes);
    if (!pattern.atomic) {
      l1_.insert(sector, comes);
    }
  }
  if (repeats && !follower) {
    if (!ahead_.empty() && ahead_.back().end > position) {
      ahead_.clear();  // of another block
    }
    ahead_.push_back({position, position + missing, arrives});
  }
  return arrives;
}

SmMemory::Service SmMemory::store(const sass::TracedPattern& pattern, double sent) {
  Service service;
  const double look_up = std::max(pattern.lines * costs_.line_lookup, costs_.least_access_cycles);
  service.begins = come_in(std::max(sent, admits_from(false)), look_up);
  const double looked_up = service.begins + look_up - costs_.least_access_cycles;
  const double written = use_data_pipe(looked_up, pattern.wavefronts * costs_.global_wavefront);
  service.served = written;
  const auto sectors = static_cast<double>(pattern.sectors.size());
  counts_.stored_sectors += sectors;
  const double l2_cycles = std::max(sectors * sector_bytes / costs_.l2_write_bytes_per_cycle,
                                    pattern.lines / costs_.l2_write_lines_per_cycle);
  counts_.l2_cycles += l2_cycles;
  dram_stores_ += sectors * shares_.dram_share_of_stores;
  if (dram_stores_ >= sectors) {
    dram_stores_ -= sectors;
    use_dram(written, sectors * sector_bytes / shares_.dram_bytes_per_cycle);
  }
  const double sent_all = unlimited_ ? written : when_free(l2_free_, written) + l2_cycles;
  l2_free_ = std::max(l2_free_, sent_all);
  service.done = sent_all + costs_.l2_latency;
  return service;
}

}  // namespace perfmodel
