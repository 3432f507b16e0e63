#include "model/traffic.hpp"

#include <algorithm>

#include "model/sass/access_pattern.hpp"

namespace perfmodel {
namespace {

double load_bytes(const sass::Footprint& footprint) {
  return footprint.loads.sectors * sass::sector_bytes;
}

/// Of data that was loaded before, the share that is still in L2 after `between_bytes` of other
/// data: all while half of the cache holds it, for each half keeps a copy of what its own SMs read,
/// and nothing once that is more than the cache.
double kept_share(double between_bytes, double l2_bytes) {
  return std::clamp(2 - 2 * between_bytes / l2_bytes, 0.0, 1.0);
}

}  // namespace

Traffic predict_traffic(const LaunchProfile& profile, const Device& device,
                        const TrafficBasis& basis) {
  const sass::MachineTotals& totals = profile.ledger.totals;
  const double sector = sass::sector_bytes;
  Traffic traffic;
  traffic.l1_load_bytes =
      (totals.global_load_sectors + totals.local_sectors / 2) * sector;
  traffic.l1_store_bytes = (totals.global_store_sectors + totals.local_sectors / 2) * sector;
  traffic.l2_store_bytes = traffic.l1_store_bytes;
  traffic.compulsory_load_bytes = load_bytes(profile.whole_launch);
  traffic.compulsory_store_bytes = profile.whole_launch.stores.sectors * sector;
  traffic.l2_load_bytes =
      basis.l1_miss_share >= 0
          ? traffic.l1_load_bytes * basis.l1_miss_share
          : std::min(traffic.l1_load_bytes, load_bytes(profile.one_block) * profile.blocks());
  traffic.l2_load_bytes = std::max(traffic.l2_load_bytes, traffic.compulsory_load_bytes);

  const double l2_bytes = device.l2_bytes ? static_cast<double>(device.l2_bytes->value) : 0;
  const double compulsory = traffic.compulsory_load_bytes;
  // Bytes from DRAM if all blocks of a group ask for them at once, but no group finds any of another.
  const auto grouped = [&](const sass::Footprint& group) {
    const double groups = profile.blocks() / std::min(profile.blocks(),
                                                      static_cast<double>(group.blocks));
    return std::max(compulsory, groups * load_bytes(group));
  };
  const double apart = grouped(profile.one_per_sm);
  const double asked = basis.abreast_share * grouped(profile.one_wave) +
                       (1 - basis.abreast_share) * apart;
  const double between =
      load_bytes(profile.one_wave) + profile.one_wave.stores.sectors * sector;
  const double kept = l2_bytes > 0 ? kept_share(between, l2_bytes) : 0;
  traffic.dram_load_bytes =
      std::min(traffic.l2_load_bytes, compulsory + (1 - kept) * (asked - compulsory));
  traffic.dram_wait_share = apart > 0 ? std::min(1.0, traffic.dram_load_bytes / apart) : 0;
  traffic.dram_store_bytes = std::min(traffic.compulsory_store_bytes, traffic.l2_store_bytes);
  return traffic;
}

}  // namespace perfmodel
