#include "model/sass/footprint_recorder.hpp"

#include <algorithm>
#include <bit>

#include "model/sass/block.hpp"
#include "model/sass/block_access.hpp"
#include "model/sass/block_state.hpp"

namespace perfmodel::sass {

ByteSet FootprintRecorder::Marks::take(std::uint32_t piece_bytes) {
  std::ranges::sort(used);
  auto* const words = reinterpret_cast<std::uint64_t*>(bits.data());
  ByteSet set;
  for (const std::uint64_t index : used) {
    std::uint64_t word = words[index];
    words[index] = 0;
    std::uint64_t offset = index * 64;
    while (word != 0) {
      const int gap = std::countr_zero(word);
      const int run = std::countr_one(word >> gap);
      offset += static_cast<std::uint64_t>(gap);
      set.append(offset * piece_bytes, (offset + static_cast<std::uint64_t>(run)) * piece_bytes);
      offset += static_cast<std::uint64_t>(run);
      word = gap + run == 64 ? 0 : word >> (gap + run);
    }
  }
  used.clear();
  return set;
}

BlockFootprint FootprintRecorder::take() {
  BlockFootprint footprint;
  for (std::uint32_t position = 0; position < by_instruction_.size(); ++position) {
    const std::size_t first = footprint.size();
    for (const auto& [region, marks] : by_instruction_[position]) {
      if (!marks->used.empty()) {
        footprint.push_back({position, region, marks->take(piece_bytes_)});
      }
    }
    // Regions come in the order of their first touch, which differs between emulators.
    std::ranges::sort(footprint.begin() + static_cast<std::ptrdiff_t>(first), footprint.end(), {},
                      &InstructionFootprint::region);
  }
  std::ranges::fill(seen_, Seen{});
  return footprint;
}

/// The bytes that an access to global memory touches, lanes out of bounds left out.
void BlockEmulator::record_footprint(const Access& access, const Memo& memo) {
  if (access.region != nullptr && !access.spread) {
    const std::uint64_t origin = access.addresses[access.first];
    const auto extent = static_cast<std::uint64_t>(access.highest - access.lowest) + access.bytes;
    if (memo.cost.useful_bytes == extent) {
      const std::uint64_t lowest = origin + static_cast<std::uint64_t>(access.lowest);
      recorder_->add(access.position, *access.region, lowest - access.region->address(), extent);
      return;
    }
    if (recorder_->repeats(memo.pattern, origin)) {
      return;
    }
  }
  for_lanes(access.mask, [&](std::uint32_t lane) {
    const std::uint64_t address = access.addresses[lane];
    const Region* const region =
        access.region != nullptr ? access.region : context_.memory->find(address, access.bytes);
    if (region != nullptr) {
      recorder_->add(access.position, *region, address - region->address(), access.bytes);
    }
  });
}

}  // namespace perfmodel::sass
