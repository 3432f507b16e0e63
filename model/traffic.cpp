#include "model/traffic.hpp"

#include <algorithm>
#include <cmath>

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

/// Whether the L2 has two halves, each of which keeps a copy of what its own SMs read: the data
/// center dies from GA100 on.
bool has_split_l2(const Device& device) {
  const int capability = compute_capability(device.architecture);
  return capability == 80 || capability == 90 || capability == 100 || capability == 103;
}

/// Of data that was loaded before, the share that is still in L2 after `between_bytes` of other
/// data. A split L2 keeps all while half of it holds the data, and nothing once that is more than
/// the cache; one in a piece does so from three quarters to five quarters of its size.
double kept_share(double between_bytes, double l2_bytes, bool is_split) {
  const double filled = between_bytes / l2_bytes;
  return std::clamp(is_split ? 2 - 2 * filled : 2.5 - 2 * filled, 0.0, 1.0);
}

}  // namespace

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

  const double l2_bytes = device.l2_bytes ? static_cast<double>(device.l2_bytes->value) : 0;
  // Bytes from DRAM if all blocks of a group ask for them at once, but no group finds any of
  // another. DRAM delivers sectors in pairs.
  const double whole = dram_load_bytes(profile.whole_launch);
  const auto grouped = [&](const sass::Footprint& group) {
    const double groups =
        profile.blocks() / std::min(profile.blocks(), static_cast<double>(group.blocks));
    return std::max(whole, groups * dram_load_bytes(group));
  };
  const double apart = grouped(profile.one_per_sm);
  const double asked =
      basis.abreast_share * grouped(profile.one_wave) + (1 - basis.abreast_share) * apart;
  const double between = dram_load_bytes(profile.one_wave) + store_bytes(profile.one_wave);
  const bool is_split = has_split_l2(device);
  const double kept = l2_bytes > 0 ? kept_share(between, l2_bytes, is_split) : 0;
  traffic.dram_load_bytes = whole + (1 - kept) * (asked - whole);
  const double moved = whole + store_bytes(profile.whole_launch);
  if (basis.l2 == L2State::warm && l2_bytes > 0) {
    traffic.dram_load_bytes *= 1 - kept_share(moved, l2_bytes, is_split);
  }
  traffic.dram_wait_share = apart > 0 ? std::min(1.0, traffic.dram_load_bytes / apart) : 0;

  // What is stored goes to DRAM as other data needs its place.
  const double stored = store_bytes(profile.whole_launch);
  const double left = moved > 0 ? std::min(moved, l2_bytes) * stored / moved : 0;
  traffic.dram_store_bytes = stored - left;
  if (basis.l2 == L2State::overwritten && l2_bytes > 0) {
    // Half of the cache was found to hold data still to be written; whatever comes takes its place
    // at random.
    traffic.dram_store_bytes += l2_bytes / 2 * (1 - std::exp(-moved / l2_bytes));
  } else if (basis.l2 == L2State::warm) {
    traffic.dram_store_bytes += moved > l2_bytes ? left : 0;
  }
  return traffic;
}

}  // namespace perfmodel
