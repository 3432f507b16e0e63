#pragma once

#include <vector>

#include "model/sass/instruction.hpp"

namespace perfmodel::sass {

/// What of a function has to be computed to know which instructions run and what they address.
struct SliceResult {
  /// No value loaded from global memory, and no atomic's result, can change the counts.
  bool data_independent = false;
  /// A value that the emulator does not compute (a tensor core's) can change them.
  bool depends_on_not_computed = false;
};

/// Clears Instruction::needed where nothing that is counted depends on an instruction's result,
/// and sets Instruction::skip. Found by following uses backwards through the control flow from
/// guards, branches and addresses; where a load is needed, so are the stores to the same memory.
SliceResult slice_for_counting(Code& code);

/// The same for code of which only the addresses in global memory are asked for: what they do not
/// depend on, shared and local memory as well, becomes Op::nop. Executions are no longer those of
/// the instructions.
SliceResult slice_for_addresses(Code& code);

/// By position: instructions whose results nothing needs once the accesses in `merged` are part of
/// others, and so without addresses and guards of their own; what they load and store stays. None
/// where it is not known where control may go.
std::vector<bool> find_unneeded(const Code& code, const std::vector<bool>& merged);

/// Sets Instruction::unread_rows: a wide load may fetch padding that nothing uses.
void find_unread_loads(Code& code);

/// Sets Instruction::use_distance along the likely way: into loops and on in them, past other
/// jumps.
void find_first_uses(Code& code);

}  // namespace perfmodel::sass
