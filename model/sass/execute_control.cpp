#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "model/error.hpp"
#include "model/sass/block.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {

std::size_t BlockEmulator::position_of_group(const Warp& warp, std::uint32_t mask) {
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    if (warp.groups[i].mask == mask) {
      return i;
    }
  }
  return 0;
}

/// BRX and RET: every lane goes where its register says.
void BlockEmulator::jump_indirectly(Warp& warp, const Instruction& instruction, std::uint32_t mask,
                                    InstructionCounter& counter) {
  const Source& source = instruction.sources[0];
  const Row& low = source.pool ? context_.pool[source.row] : warp.rows[source.row];
  const std::uint32_t active = warp.groups[warp.current].mask;
  const std::uint32_t position = warp.groups[warp.current].position;
  std::uint32_t remaining = mask;
  std::uint32_t stay = active & ~mask;
  counter.taken += mask != 0 ? 1 : 0;
  bool first = true;
  while (remaining != 0) {
    const std::uint32_t value = low[static_cast<std::size_t>(std::countr_zero(remaining))];
    std::uint32_t together = 0;
    for (std::uint32_t lanes = remaining; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
      together |= low[lane] == value ? 1U << lane : 0;
    }
    remaining &= ~together;
    const std::int64_t address =
        std::int64_t{static_cast<std::int32_t>(value)} + instruction.address.offset;
    if (address < 0 || address % instruction_bytes != 0 ||
        address / instruction_bytes >= static_cast<std::int64_t>(code_.instructions.size())) {
      fail(fmt::format("{}: the jump at {} leaves the code (to {:#x})",
                       printable(context_.function->name), where(position), address));
    }
    const auto target = static_cast<std::uint32_t>(address / instruction_bytes);
    if (std::exchange(first, false)) {
      warp.groups[warp.current].position = target;
      warp.groups[warp.current].mask = together;
    } else {
      LaneGroup group;
      group.position = target;
      group.mask = together;
      warp.groups.push_back(group);
      ++counter.divergences;
    }
  }
  if (stay != 0) {
    if (first) {
      ++warp.groups[warp.current].position;
    } else {
      LaneGroup group;
      group.position = position + 1;
      group.mask = stay;
      warp.groups.push_back(group);
      ++counter.divergences;
    }
  }
}

}  // namespace perfmodel::sass
