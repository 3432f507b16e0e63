#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "model/sass/block_state.hpp"
#include "model/sass/execute_lanes.hpp"
#include "model/sass/instruction.hpp"

namespace perfmodel::sass::execution {

inline void shuffle(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const Row value = lanes.row(instruction.sources[0]);
  const Row& shift = lanes.row(instruction.sources[1]);
  const Row& control = lanes.row(instruction.sources[2]);
  Row result = value;
  std::uint32_t inside = 0;
  lanes.for_each([&](std::uint32_t lane) {
    const std::uint32_t by = shift[lane] & 31U;
    const std::uint32_t clamp = control[lane] & 31U;
    const std::uint32_t segment = control[lane] >> 8 & 31U;
    const std::uint32_t highest = (lane & segment) | (clamp & ~segment);
    const std::uint32_t lowest = lane & segment;
    std::int32_t from = 0;
    bool valid = false;
    const auto self = static_cast<std::int32_t>(lane);
    switch (instruction.shuffle) {
      case ShuffleMode::up:
        from = self - static_cast<std::int32_t>(by);
        valid = std::cmp_greater_equal(from, highest);
        break;
      case ShuffleMode::down:
        from = self + static_cast<std::int32_t>(by);
        valid = std::cmp_less_equal(from, highest);
        break;
      case ShuffleMode::bfly:
        from = self ^ static_cast<std::int32_t>(by);
        valid = std::cmp_less_equal(from, highest);
        break;
      case ShuffleMode::idx:
        from = static_cast<std::int32_t>(lowest | (by & ~segment & 31U));
        valid = std::cmp_less_equal(from, highest);
        break;
    }
    if (valid) {
      inside |= 1U << lane;
      result[lane] = value[static_cast<std::size_t>(from) % warp_lanes];
    }
  });
  lanes.write(result);
  lanes.write_predicate(0, inside);
}

inline void vote(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const std::uint32_t voters = lanes.active & lanes.mask;
  const std::uint32_t yes = lanes.predicate(instruction.predicates[0]) & voters;
  const bool verdict = instruction.vote == VoteMode::any   ? yes != 0
                       : instruction.vote == VoteMode::all ? yes == voters
                                                           : yes == 0 || yes == voters;
  Row ballot;
  ballot.fill(yes);
  lanes.write(ballot);
  lanes.write_predicate(0, verdict ? full_mask : 0);
}

inline void reduce(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const Row& value = lanes.row(instruction.sources[0]);
  bool first = true;
  std::uint32_t result = 0;
  lanes.for_each([&](std::uint32_t lane) {
    const std::uint32_t next = value[lane];
    if (std::exchange(first, false)) {
      result = next;
      return;
    }
    const bool less = instruction.from == Number::s32
                          ? static_cast<std::int32_t>(next) < static_cast<std::int32_t>(result)
                          : next < result;
    switch (instruction.atomic) {
      case AtomicOp::add:
        result += next;
        break;
      case AtomicOp::min:
        result = less ? next : result;
        break;
      case AtomicOp::max:
        result = less ? result : next;
        break;
      case AtomicOp::or_:
        result |= next;
        break;
      case AtomicOp::xor_:
        result ^= next;
        break;
      default:
        result &= next;
    }
  });
  lanes.warp.rows[instruction.destination].fill(result);
}

inline void match(const Lanes& lanes) {
  const Instruction& instruction = lanes.instruction;
  const bool wide = instruction.from == Number::u64;
  const auto value = [&](std::uint32_t lane) {
    return wide ? lanes.wide(0, lane) : std::uint64_t{lanes.row(instruction.sources[0])[lane]};
  };
  Row result{};
  lanes.for_each([&](std::uint32_t lane) {
    lanes.for_each([&](std::uint32_t other) {
      result[lane] |= static_cast<std::uint32_t>(value(lane) == value(other)) << other;
    });
  });
  if (instruction.vote == VoteMode::all) {
    std::uint32_t all = 0;
    lanes.for_each([&](std::uint32_t lane) {
      const bool same = result[lane] == lanes.mask;
      all |= static_cast<std::uint32_t>(same) << lane;
      result[lane] = same ? lanes.mask : 0;
    });
    lanes.write_predicate(0, all);
  }
  lanes.write(result);
}

inline void query_space(const Lanes& lanes) {
  const MemorySpace wanted = lanes.instruction.space;
  std::uint32_t inside = 0;
  lanes.for_each([&](std::uint32_t lane) {
    const std::uint64_t address =
        lanes.wide(0, lane) + static_cast<std::uint64_t>(lanes.instruction.address.offset);
    inside |= space_of(address) == wanted ? 1U << lane : 0;
  });
  lanes.write_predicate(0, inside);
}

/// The first lane's value, in every lane.
inline void to_uniform(const Lanes& lanes) {
  const Row& value = lanes.row(lanes.instruction.sources[0]);
  const std::uint32_t first =
      value[static_cast<std::size_t>(std::countr_zero(lanes.active | sign_bit))];
  lanes.warp.rows[lanes.instruction.destination].fill(first);
}

inline void special_register(const Lanes& lanes, const std::array<std::uint32_t, 3>& block,
                             std::uint64_t executed) {
  const Launch& launch = *lanes.context.launch;
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint32_t thread = lanes.warp.number * warp_lanes + lane;
    const std::uint32_t x = launch.block[0];
    const std::uint32_t y = launch.block[1];
    std::uint32_t value = 0;
    switch (lanes.instruction.special) {
      case Special::tid_x:
        value = thread % x;
        break;
      case Special::tid_y:
        value = thread / x % y;
        break;
      case Special::tid_z:
        value = thread / x / y;
        break;
      case Special::ctaid_x:
      case Special::ctaid_y:
      case Special::ctaid_z:
        value = block[static_cast<std::size_t>(lanes.instruction.special) -
                      static_cast<std::size_t>(Special::ctaid_x)];
        break;
      case Special::ntid_x:
      case Special::ntid_y:
      case Special::ntid_z:
        value = launch.block[static_cast<std::size_t>(lanes.instruction.special) -
                             static_cast<std::size_t>(Special::ntid_x)];
        break;
      case Special::nctaid_x:
      case Special::nctaid_y:
      case Special::nctaid_z:
        value = launch.grid[static_cast<std::size_t>(lanes.instruction.special) -
                            static_cast<std::size_t>(Special::nctaid_x)];
        break;
      case Special::laneid:
        value = lane;
        break;
      case Special::warpid:
        value = lanes.warp.number;
        break;
      case Special::eqmask:
        value = 1U << lane;
        break;
      case Special::ltmask:
        value = (1U << lane) - 1;
        break;
      case Special::lemask:
        value = (2U << lane) - 1;
        break;
      case Special::gtmask:
        value = ~((2U << lane) - 1);
        break;
      case Special::gemask:
        value = ~((1U << lane) - 1);
        break;
      case Special::clock:
        value = static_cast<std::uint32_t>(executed);
        break;
      case Special::shared_window:
        value = static_cast<std::uint32_t>(shared_window >> 32);
        break;
      case Special::local_window:
        value = static_cast<std::uint32_t>(local_window >> 32);
        break;
      case Special::smid:
      case Special::zero:
        value = 0;
        break;
    }
    result[lane] = value;
  }
  lanes.write(result);
  if (lanes.instruction.high) {
    lanes.write(Row{}, 1);
  }
}

}  // namespace perfmodel::sass::execution
