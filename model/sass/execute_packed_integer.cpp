#include <algorithm>
#include <cstdint>

#include "model/sass/execute_integer.hpp"

namespace perfmodel::sass::execution {

void packed_integers(Lanes lanes) {
  const Instruction& instruction = lanes.instruction;
  const std::uint32_t bits = instruction.element_bits;
  const std::uint32_t unused = 32 - bits;
  const bool is_signed = instruction.from == Number::s32;
  const std::uint32_t least = lanes.predicate(instruction.predicates[0]);
  const auto element = [&](std::size_t index, std::uint32_t lane, std::uint32_t shift) {
    const std::uint32_t value = lanes.row(instruction.sources[index])[lane] >> shift << unused;
    const std::int64_t number = is_signed ? std::int64_t{static_cast<std::int32_t>(value) >> unused}
                                          : std::int64_t{value >> unused};
    return instruction.sources[index].negate ? -number : number;
  };
  const auto wrapped = [&](std::int64_t value) {
    const std::uint32_t low = static_cast<std::uint32_t>(value) << unused;
    return is_signed ? std::int64_t{static_cast<std::int32_t>(low) >> unused}
                     : std::int64_t{low >> unused};
  };
  Row result;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    std::uint32_t packed = 0;
    std::int64_t sum = 0;
    for (std::uint32_t shift = 0; shift < 32; shift += bits) {
      const std::int64_t a = element(0, lane, shift);
      const std::int64_t b = element(1, lane, shift);
      const auto extreme = [&](std::int64_t x, std::int64_t y) {
        return (least >> lane & 1U) != 0 ? std::min(x, y) : std::max(x, y);
      };
      std::int64_t value = 0;
      switch (instruction.packed) {
        case Packed::add:
          value = a + b;
          break;
        case Packed::extreme:
          value = extreme(a, b);
          break;
        case Packed::add_extreme:
          value = extreme(wrapped(a + b), element(2, lane, shift));
          break;
        case Packed::extreme3:
          value = extreme(extreme(a, b), element(2, lane, shift));
          break;
        case Packed::difference:
          value = a < b ? b - a : a - b;
          sum += value;
          break;
      }
      value = instruction.relu ? std::max<std::int64_t>(value, 0) : value;
      packed |= static_cast<std::uint32_t>(value) << unused >> unused << shift;
    }
    if (instruction.packed == Packed::difference) {
      // Of words the third operand is added; of bytes, where they are summed up.
      const std::uint32_t added = lanes.row(instruction.sources[2])[lane];
      packed = instruction.high ? static_cast<std::uint32_t>(sum) + added
               : bits == 32     ? packed + added
                                : packed;
    }
    result[lane] = packed;
  }
  lanes.write(result);
}

}  // namespace perfmodel::sass::execution
