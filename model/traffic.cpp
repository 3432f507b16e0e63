#include "model/traffic.hpp"

#include <algorithm>
#include <cmath>

#include "model/l2_reuse.hpp"
#include "model/occupancy.hpp"
#include "model/sass/access_pattern.hpp"

namespace perfmodel {
namespace {

double load_bytes(const sass::Footprint& footprint) {
  return footprint.loads.sectors * sass::sector_bytes;
}

double dram_load_bytes(const sass::Footprint& footprint) {
  return footprint.loads.sector_pairs * sass::sector_pair_bytes;
}

double store_bytes(const sass::Footprint& footprint) {
  return footprint.stores.sectors * sass::sector_bytes;
}

/// Whether the L2 has two halves: the data center dies from GA100 on.
bool has_split_l2(const Device& device) {
  const int capability = compute_capability(device.architecture);
  return capability == 80 || capability == 90 || capability == 100 || capability == 103;
}

/// How often L2 holds what blocks load, on average over their buffers.
double mean_copies(const LaunchProfile& profile, const L2Retention& l2) {
  double loaded = 0;
  double held = 0;
  const auto blocks = static_cast<double>(profile.one_per_sm.blocks);
  for (const sass::BufferFootprint& buffer : profile.one_per_sm.buffers) {
    const auto own =
        std::ranges::find(profile.one_block.buffers, buffer.name, &sass::BufferFootprint::name);
    if (buffer.loads.sectors <= 0 || own == profile.one_block.buffers.end()) {
      continue;
    }
    const double readers = blocks * own->loads.sectors / buffer.loads.sectors;
    loaded += buffer.loads.sectors;
    held += buffer.loads.sectors * l2.copies(readers);
  }
  return loaded > 0 ? held / loaded : 1;
}

/// How many times as many blocks there are as SMs.
double groups_of(const LaunchProfile& profile) {
  return std::max(1.0, profile.blocks() / static_cast<double>(profile.one_per_sm.blocks));
}

/// See `Traffic::fresh_share`.
double fresh_share_of(const LaunchProfile& profile) {
  const double groups = groups_of(profile);
  const double one_group = dram_load_bytes(profile.one_per_sm);
  if (groups <= 1 || one_group <= 0) {
    return 1;
  }
  const double whole = dram_load_bytes(profile.whole_launch);
  return std::clamp((whole / one_group - 1) / (groups - 1), 0.0, 1.0);
}

/// Bytes that L2 loads from DRAM for all blocks, if it holds none of them at the start.
double loads_from_dram(const LaunchProfile& profile, const std::vector<double>& pace,
                       const L2Retention& l2, double copies) {
  const double whole = dram_load_bytes(profile.whole_launch);
  const double groups = groups_of(profile);
  const double one_group = dram_load_bytes(profile.one_per_sm);
  if (groups <= 1 || one_group <= 0) {
    return whole;
  }
  const double resident = std::min(groups, static_cast<double>(profile.resident_blocks));
  BlockGroups side_by_side;
  side_by_side.groups = groups;
  const double fresh_share = fresh_share_of(profile);
  side_by_side.fresh_bytes = one_group * fresh_share;
  side_by_side.repeated_bytes = one_group - side_by_side.fresh_bytes;
  side_by_side.stored_bytes = store_bytes(profile.one_per_sm);
  side_by_side.copies = copies;
  if (fresh_share < 1) {
    // What a wave loads beyond the fresh bytes of its groups.
    const double of_wave = dram_load_bytes(profile.one_wave) / one_group - resident * fresh_share;
    side_by_side.kinds = static_cast<int>(
        std::lround(std::clamp(of_wave / (1 - fresh_share), 1.0, std::max(1.0, resident))));
  }
  side_by_side.pace = pace;
  side_by_side.pace.resize(static_cast<std::size_t>(std::ceil(resident)),
                           pace.empty() ? 1 : pace.back());
  const double missed = repeated_miss_share(side_by_side, l2);
  return std::max(whole,
                  groups * (side_by_side.fresh_bytes + missed * side_by_side.repeated_bytes));
}

}  // namespace

L2State l2_state_of(const std::optional<CacheMode>& mode) {
  if (!mode) {
    return L2State::clean;
  }
  // Cold samples find an L2 that was just written.
  return *mode == CacheMode::cold ? L2State::overwritten : L2State::warm;
}

Traffic predict_traffic(const LaunchProfile& profile, const Device& device,
                        const TrafficBasis& basis) {
  const sass::MachineTotals& totals = profile.ledger.totals;
  const double sector = sass::sector_bytes;
  Traffic traffic;
  traffic.l1_load_bytes = (totals.global_load_sectors + totals.local_sectors / 2) * sector;
  traffic.l1_store_bytes = (totals.global_store_sectors + totals.local_sectors / 2) * sector;
  traffic.l2_store_bytes = traffic.l1_store_bytes;
  traffic.compulsory_load_bytes = load_bytes(profile.whole_launch);
  traffic.compulsory_store_bytes = store_bytes(profile.whole_launch);
  const double once_per_block =
      std::min(traffic.l1_load_bytes, load_bytes(profile.one_block) * profile.blocks());
  const double missed = traffic.l1_load_bytes * basis.l1_miss_share;
  traffic.l2_load_bytes = basis.l1_miss_share < 0 ? once_per_block
                          : basis.of_beginning    ? std::min(missed, once_per_block)
                                                  : missed;
  traffic.l2_load_bytes = std::max(traffic.l2_load_bytes, traffic.compulsory_load_bytes);

  L2Retention l2;
  l2.bytes = device.l2_bytes ? static_cast<double>(device.l2_bytes->value) : 0;
  l2.is_split = has_split_l2(device);
  const double copies = mean_copies(profile, l2);
  traffic.dram_load_bytes = loads_from_dram(profile, basis.pace, l2, copies);
  const double whole = dram_load_bytes(profile.whole_launch);
  const double stored = store_bytes(profile.whole_launch);
  const double moved = whole + stored;
  if (basis.l2 == L2State::warm) {
    traffic.dram_load_bytes *= 1 - l2.kept_share(copies * whole + stored);
  }
  const double apart = std::max(whole, groups_of(profile) * dram_load_bytes(profile.one_per_sm));
  traffic.dram_wait_share =
      apart > 0 ? std::min(1.0, traffic.dram_load_bytes / apart) * (1 - basis.led_share) : 0;
  traffic.fresh_share = fresh_share_of(profile);
  // Meanwhile all resident blocks go on by as much.
  const double passing =
      copies * dram_load_bytes(profile.one_per_sm) * static_cast<double>(profile.resident_blocks);
  traffic.follow_share = passing > 0 ? std::min(1.0, l2.safe_bytes() / passing) : 0;

  // What is stored goes to DRAM as other data needs its place.
  const double left = moved > 0 ? std::min(moved, l2.bytes) * stored / moved : 0;
  traffic.dram_store_bytes = stored - left;
  if (basis.l2 == L2State::overwritten && l2.bytes > 0) {
    // Half of the cache was found to hold data still to be written; whatever comes takes its place
    // at random.
    traffic.dram_store_bytes += l2.bytes / 2 * (1 - std::exp(-moved / l2.bytes));
  } else if (basis.l2 == L2State::warm) {
    traffic.dram_store_bytes += moved > l2.bytes ? left : 0;
  }
  return traffic;
}

}  // namespace perfmodel
