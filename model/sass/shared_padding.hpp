#pragma once

#include <cstdint>
#include <vector>

#include "model/sass/access_pattern.hpp"
#include "model/sass/instruction.hpp"

namespace perfmodel::sass {

/// Shared memory of a block laid out with a gap behind each row.
struct SharedPadding {
  std::uint32_t row_bytes = 0;  ///< 0: as it is
  std::uint32_t pad_bytes = 4;
  std::uint32_t first_address = 0;  ///< of the first row

  /// Where the byte at `address` comes to lie.
  [[nodiscard]] std::uint32_t moved(std::uint32_t address) const {
    return address < first_address ? address
                                   : address + (address - first_address) / row_bytes * pad_bytes;
  }
};

/// What an access takes of the data pipe in a padded layout. Where gaps have moved it off the
/// alignment of its width, a compiler covers it with aligned accesses of that width and what is
/// behind the last of them, or where the lanes or executions differ, goes word by word.
struct PaddedPasses {
  SharedPasses whole;  ///< at the aligned address at or before each lane's
  SharedPasses rest;   ///< of what lies behind that
  SharedPasses word;   ///< of each lane's first 32 bits

  friend bool operator==(const PaddedPasses&, const PaddedPasses&) = default;
};

/// Lanes as `shared_access` takes them; the first active one is at `first_address`.
PaddedPasses padded_passes(const SharedPadding& padding, const Row& offsets,
                           std::uint32_t first_address, std::uint32_t mask,
                           const Instruction& instruction);

/// The addresses that an instruction uses in a padded layout, as far as alignment goes.
struct PaddedAlignment {
  bool known = false;          ///< it has been seen
  std::uint8_t low_bits = 0;   ///< of an address, modulo 16
  std::uint8_t differing = 0;  ///< those of them in which addresses differ

  void note(const SharedPadding& padding, const Row& offsets, std::uint32_t first_address,
            std::uint32_t mask);
};

/// How a shared-memory access is written in a padded layout.
struct PaddedAccess {
  enum class Way : std::uint8_t {
    whole,    ///< as before
    windows,  ///< at aligned addresses; the last one of a row of neighbours needs one more
    words,    ///< 32 bits at a time
  };
  Way way = Way::whole;
  std::uint8_t rest_bytes = 0;  ///< windows: behind the last one; 0: the next access has them

  friend bool operator==(const PaddedAccess&, const PaddedAccess&) = default;
};

/// One access of those that it takes then.
struct PaddedPart {
  enum class Kind : std::uint8_t { whole, rest, word };
  Kind kind = Kind::whole;
  std::uint32_t registers = 0;  ///< of a lane; 0: as many as before

  /// Part of a key.
  [[nodiscard]] std::uint32_t variant() const {
    return 0x100U + static_cast<std::uint32_t>(kind) + registers * 4;
  }
};

}  // namespace perfmodel::sass
