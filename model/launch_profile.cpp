#include "model/launch_profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {

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
  sass::LaunchFootprint footprint(module, function, launch, options);
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
