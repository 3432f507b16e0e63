#include "model/launch_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/error.hpp"
#include "model/sass/access_pattern.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

constexpr std::uint64_t most_footprint_instructions = 3'000'000;
/// Of the sectors that loads ask for. Where less is used, single bytes take long to tell apart.
constexpr double least_used_share = 0.6;

/// Bytes shared between blocks need be known to some per cent only.
sass::EmulationOptions footprint_options(const sass::MachineTotals& totals,
                                         sass::EmulationOptions options) {
  options.random_sample_instructions =
      std::min(options.random_sample_instructions, most_footprint_instructions);
  if (totals.global_load_useful_bytes <
      least_used_share * totals.global_load_sectors * sass::sector_bytes) {
    options.footprint_piece_bytes = sass::sector_bytes;
  }
  return options;
}

/// Blocks from the middle of the grid.
sass::Footprint middle_blocks(sass::LaunchFootprint& footprint, const LaunchProfile& profile,
                              std::uint64_t count) {
  const std::uint64_t middle = profile.launch->blocks() / 2;
  return footprint.of_range(middle - std::min(middle, count / 2), count);
}

std::uint64_t wave_blocks(const LaunchProfile& profile, const Device& device) {
  return static_cast<std::uint64_t>(device.sm_count.value * profile.resident_blocks);
}

/// See LaunchProfile::leading; the device deals its SMs a block each before any gets another.
void find_leading(sass::LaunchFootprint& footprint, const Device& device, LaunchProfile& profile) {
  const std::uint64_t blocks = profile.launch->blocks();
  const auto sms = static_cast<std::uint64_t>(device.sm_count.value);
  std::vector<std::uint64_t> leading;
  std::vector<std::uint64_t> following;
  if (blocks > sms && blocks <= wave_blocks(profile, device) && blocks % sms != 0) {
    for (std::uint64_t block = 0; block < blocks; ++block) {
      (block % sms < blocks % sms ? following : leading).push_back(block);
    }
  }
  profile.leading = footprint.of_blocks(leading);
  profile.following = footprint.of_blocks(following);
}

}  // namespace

LaunchProfile profile_launch(const sass::Module& module, const sass::Function& function,
                             const sass::Launch& launch, const Device& device,
                             const sass::EmulationOptions& options) {
  LaunchProfile profile;
  profile.module = &module;
  profile.function = &function;
  profile.launch = &launch;
  profile.block = {launch.threads_per_block(), function.registers,
                   std::int64_t{sass::own_static_shared_bytes(module.sm, function)} +
                       launch.dynamic_shared_bytes};
  profile.resident_blocks = resident_blocks_per_sm(device, profile.block);
  if (profile.resident_blocks < 1) {
    fail(fmt::format(
        "{}: a block of {} threads with {} registers each and {} bytes of shared memory does not "
        "fit an SM of {}",
        printable(function.name), profile.block.threads, profile.block.registers_per_thread,
        profile.block.shared_bytes, device.name));
  }
  BlockResources one_warp = profile.block;
  one_warp.threads = std::min<std::int64_t>(one_warp.threads, sass::warp_lanes);
  profile.most_resident_blocks = resident_blocks_per_sm(device, one_warp);
  profile.ledger = sass::count_launch(module, function, launch, options);
  sass::LaunchFootprint footprint(module, function, launch,
                                  footprint_options(profile.ledger.totals, options));
  profile.one_block = middle_blocks(footprint, profile, 1);
  profile.one_per_sm =
      middle_blocks(footprint, profile, static_cast<std::uint64_t>(device.sm_count.value));
  profile.one_wave = middle_blocks(footprint, profile, wave_blocks(profile, device));
  profile.whole_launch = footprint.of_range(0, launch.blocks());
  find_leading(footprint, device, profile);
  return profile;
}

void set_resident_blocks(LaunchProfile& profile, const Device& device, std::int64_t blocks,
                         const sass::EmulationOptions& options) {
  if (blocks == profile.resident_blocks) {
    return;
  }
  profile.resident_blocks = blocks;
  profile.most_resident_blocks = blocks;
  sass::LaunchFootprint footprint(*profile.module, *profile.function, *profile.launch,
                                  footprint_options(profile.ledger.totals, options));
  profile.one_wave = middle_blocks(footprint, profile, wave_blocks(profile, device));
  find_leading(footprint, device, profile);
}

}  // namespace perfmodel
