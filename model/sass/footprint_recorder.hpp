#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "model/sass/byte_set.hpp"
#include "model/sass/memory.hpp"

namespace perfmodel::sass {

/// The bytes of one buffer that one instruction touched in one block.
struct InstructionFootprint {
  std::uint32_t position = 0;  ///< index of the instruction
  std::uint32_t region = 0;    ///< index in the memory
  ByteSet bytes;
};

/// What a block touched in global memory, ordered by instruction and region; none is empty.
using BlockFootprint = std::vector<InstructionFootprint>;

/// Collects the bytes of global memory that a block touches: a bit for each byte of a buffer, apart
/// for each instruction; or, coarsely, a bit for each piece of several bytes, apart for each group
/// of instructions.
class FootprintRecorder {
 public:
  /// `groups`: for each instruction, the one under which its bytes are noted.
  FootprintRecorder(std::vector<std::uint32_t> groups, GlobalMemory& memory,
                    std::uint32_t piece_bytes)
      : memory_(memory),
        piece_bytes_(piece_bytes),
        by_instruction_(groups.size()),
        groups_(std::move(groups)),
        seen_(remembered) {}

  /// `bytes` bytes at `offset` of a region; they lie inside it.
  void add(std::uint32_t position, const Region& region, std::uint64_t offset,
           std::uint64_t bytes) {
    if (piece_bytes_ != 1) {
      const std::uint64_t last = (offset + bytes - 1) / piece_bytes_;
      offset /= piece_bytes_;
      bytes = last - offset + 1;
    }
    Marks& marks = marks_of(groups_[position], region);
    std::uint64_t word = offset / 64;
    const std::uint64_t shift = offset % 64;
    if (shift + bytes <= 64) {
      marks.mark(word, (~std::uint64_t{0} >> (64 - bytes)) << shift);
      return;
    }
    marks.mark(word, ~std::uint64_t{0} << shift);
    bytes -= 64 - shift;
    for (; bytes >= 64; bytes -= 64) {
      marks.mark(++word, ~std::uint64_t{0});
    }
    if (bytes > 0) {
      marks.mark(++word, ~std::uint64_t{0} >> (64 - bytes));
    }
  }

  /// Whether an access of this pattern, a number from 1, at this address is known to have been
  /// added: warps often load the same, lane by lane. It may be forgotten, and is remembered now.
  bool repeats(std::uint64_t pattern, std::uint64_t address) {
    const std::uint64_t key = (address ^ pattern << 40) * std::uint64_t{0x9e3779b97f4a7c15};
    Seen& seen = seen_[key >> (64 - remembered_log2)];
    const bool same = seen.pattern == pattern && seen.address == address;
    seen = {pattern, address};
    return same;
  }

  /// What was added so far; forgets it.
  BlockFootprint take();

 private:
  static constexpr unsigned remembered_log2 = 14;
  static constexpr std::size_t remembered = std::size_t{1} << remembered_log2;

  struct Seen {
    std::uint64_t pattern = 0;
    std::uint64_t address = 0;
  };

  /// Bytes of one region.
  struct Marks {
    explicit Marks(std::uint64_t region_bytes) : bits(region_bytes / 8 + 16) {}

    void mark(std::uint64_t word, std::uint64_t mask) {
      std::uint64_t& bits_of_word = reinterpret_cast<std::uint64_t*>(bits.data())[word];
      if (bits_of_word == 0) {
        used.push_back(word);
      }
      bits_of_word |= mask;
    }

    ByteSet take(std::uint32_t piece_bytes);

    LazyBytes bits;
    std::vector<std::uint64_t> used;  ///< words that are not zero
  };

  Marks& marks_of(std::uint32_t position, const Region& region) {
    const auto index = static_cast<std::uint32_t>(&region - memory_.regions().data());
    for (const auto& [known, marks] : by_instruction_[position]) {
      if (known == index) {
        return *marks;
      }
    }
    Marks& marks = all_.emplace_back(region.size());
    by_instruction_[position].emplace_back(index, &marks);
    return marks;
  }

  GlobalMemory& memory_;
  std::uint32_t piece_bytes_;
  std::deque<Marks> all_;
  std::vector<std::vector<std::pair<std::uint32_t, Marks*>>> by_instruction_;  ///< by region
  std::vector<std::uint32_t> groups_;
  std::vector<Seen> seen_;
};

}  // namespace perfmodel::sass
