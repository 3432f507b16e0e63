#include "model/sass/shared_padding.hpp"

#include <algorithm>
#include <bit>

namespace perfmodel::sass {
namespace {

constexpr std::uint32_t widest_bytes = 16;

Row moved_addresses(const SharedPadding& padding, const Row& offsets, std::uint32_t first_address,
                    std::uint32_t mask) {
  Row addresses{};
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    addresses[lane] = (mask >> lane & 1U) != 0 ? padding.moved(first_address + offsets[lane]) : 0;
  }
  return addresses;
}

SharedPasses passes_at(Row addresses, std::uint32_t mask, std::uint32_t bytes, bool store) {
  const auto first = static_cast<std::size_t>(std::countr_zero(mask));
  const std::uint32_t origin = addresses[first];
  for (std::uint32_t& address : addresses) {
    address -= origin;
  }
  const AccessCost cost = shared_access(addresses, origin % line_bytes, mask, bytes, store);
  return {cost.wavefronts, cost.conflict_free_wavefronts};
}

}  // namespace

PaddedPasses padded_passes(const SharedPadding& padding, const Row& offsets,
                           std::uint32_t first_address, std::uint32_t mask,
                           const Instruction& instruction) {
  const Row addresses = moved_addresses(padding, offsets, first_address, mask);
  PaddedPasses passes;
  if (instruction.op == Op::ldsm) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    Row relative = addresses;
    for (std::uint32_t& address : relative) {
      address -= addresses[first];
    }
    const AccessCost cost =
        matrix_access(relative, addresses[first] % line_bytes, instruction.matrices);
    passes.whole = {cost.wavefronts, cost.conflict_free_wavefronts};
    return passes;
  }
  const std::uint32_t bytes = instruction.access_bytes;
  const bool store = instruction.op != Op::load;
  Row begins = addresses;
  Row behind{};
  std::uint32_t rest = 0;
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    rest = std::max(rest, addresses[lane] % bytes);
    begins[lane] -= addresses[lane] % bytes;
    behind[lane] = begins[lane] + bytes;
  }
  passes.whole = passes_at(begins, mask, bytes, store);
  if (bytes > 4) {
    passes.rest = passes_at(behind, mask, std::bit_ceil(std::max(4U, rest)), store);
    passes.word = passes_at(addresses, mask, 4, store);
  }
  return passes;
}

void PaddedAlignment::note(const SharedPadding& padding, const Row& offsets,
                           std::uint32_t first_address, std::uint32_t mask) {
  const Row addresses = moved_addresses(padding, offsets, first_address, mask);
  for (std::uint32_t lane = 0; lane < warp_lanes; ++lane) {
    if ((mask >> lane & 1U) == 0) {
      continue;
    }
    const auto bits = static_cast<std::uint8_t>(addresses[lane] % widest_bytes);
    low_bits = known ? low_bits : bits;
    known = true;
    differing |= static_cast<std::uint8_t>(bits ^ low_bits);
  }
}

}  // namespace perfmodel::sass
