#include "model/launch_profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"
#include "model/sass/access_pattern.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

constexpr std::uint64_t most_footprint_instructions = 3'000'000;
/// Of the sectors that loads ask for. Where less is used, single bytes take long to tell apart.
constexpr double least_used_share = 0.6;

}  // namespace

LaunchProfile profile_launch(const sass::Module& module, const sass::Function& function,
                             const sass::Launch& launch, const Device& device,
                             const sass::EmulationOptions& options) {
  LaunchProfile profile;
  profile.module = &module;
  profile.function = &function;
  profile.launch = &launch;
  profile.block = {launch.threads_per_block(), function.registers,
                   std::int64_t{function.static_shared_bytes} + launch.dynamic_shared_bytes};
  profile.resident_blocks = resident_blocks_per_sm(device, profile.block);
  if (profile.resident_blocks < 1) {
    fail(fmt::format(
        "{}: a block of {} threads with {} registers each and {} bytes of shared memory does not "
        "fit an SM of {}",
        printable(function.name), profile.block.threads, profile.block.registers_per_thread,
        profile.block.shared_bytes, device.name));
  }
  profile.ledger = sass::count_launch(module, function, launch, options);
  // Bytes shared between blocks need be known to some per cent only.
  sass::EmulationOptions footprint_options = options;
  footprint_options.random_sample_instructions =
      std::min(footprint_options.random_sample_instructions, most_footprint_instructions);
  const sass::MachineTotals& totals = profile.ledger.totals;
  if (totals.global_load_useful_bytes <
      least_used_share * totals.global_load_sectors * sass::sector_bytes) {
    footprint_options.footprint_piece_bytes = sass::sector_bytes;
  }
  sass::LaunchFootprint footprint(module, function, launch, footprint_options);
  const std::uint64_t blocks = launch.blocks();
  const auto sms = static_cast<std::uint64_t>(device.sm_count.value);
  const std::uint64_t middle = blocks / 2;
  profile.one_block = footprint.of_range(middle, 1);
  profile.one_per_sm = footprint.of_range(middle - std::min(middle, sms / 2), sms);
  const std::uint64_t wave = sms * static_cast<std::uint64_t>(profile.resident_blocks);
  profile.one_wave = footprint.of_range(middle - std::min(middle, wave / 2), wave);
  profile.whole_launch = footprint.of_range(0, blocks);
  return profile;
}

}  // namespace perfmodel
