#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sass/instruction.hpp"

namespace perfmodel::sass {

/// RegisterRead::slot of a register that is part of an address.
inline constexpr std::uint8_t address_slot = 3;

/// One 32-bit register that an instruction reads.
struct RegisterRead {
  std::uint16_t number = 0;
  /// Place of the operand in the encoding, 0 to 2, which is also its bit of
  /// SchedulingControl::reuse; of both registers of a 64-bit operand the same. Taken from what
  /// nvdisasm marks `.reuse`. Otherwise `address_slot`.
  std::uint8_t slot = 0;

  friend bool operator==(const RegisterRead&, const RegisterRead&) = default;
};

/// Bit i: predicate i, as PredicateSource counts them.
using PredicateSet = std::bitset<predicate_count>;

/// The registers and predicates of one instruction. RZ, URZ, PT and UPT are none.
struct RegisterUse {
  std::vector<RegisterRead> reads;  ///< general-purpose registers, operands before addresses
  std::vector<RegisterRead> uniform_reads;
  std::vector<std::uint16_t> writes;  ///< numbers of general-purpose registers
  std::vector<std::uint16_t> uniform_writes;
  PredicateSet guard;            ///< the guard's predicate
  PredicateSet predicate_reads;  ///< by operands
  PredicateSet predicate_writes;
  /// False for Op::not_computed and Op::unknown, of which no operand but the destination is
  /// decoded, and of that perhaps not every register.
  bool complete = true;
};

/// `instruction` is one of `code`. A predicated instruction may leave its results unwritten, and
/// R2P writes only the predicates in its mask.
RegisterUse register_use(const Instruction& instruction, const Code& code);

/// Registers per lane that a memory instruction moves.
std::size_t data_rows(const Instruction& instruction);

}  // namespace perfmodel::sass
