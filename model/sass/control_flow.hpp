#pragma once

#include <cstdint>
#include <vector>

#include "model/sass/instruction.hpp"

namespace perfmodel::sass {

/// Whether the operation decides what runs next, or when: jumps, barriers, convergence.
bool is_control(Op op);

/// Whether the guard lets every lane through.
bool is_unconditional(const PredicateSource& guard);

/// Instructions that may run next, by position; a jump's target comes first. Indirect jumps lead to
/// nowhere, returns to behind every call.
std::vector<std::vector<std::uint32_t>> successors_of(const Code& code);

/// A natural loop: the instructions from which its first one is reached again, and which are only
/// reached through it.
struct Loop {
  std::uint32_t first = 0;          ///< position where it is entered
  std::uint32_t last = 0;           ///< of the jump back that lies furthest behind
  std::uint32_t depth = 1;          ///< 1: in no other
  std::vector<std::uint32_t> body;  ///< positions, ascending; those of loops inside as well
};

/// In order of their first instructions. Jumps back to one instruction make one loop; of code with
/// more than 1000 jumps back, only the first of them are looked at.
std::vector<Loop> find_loops(const Code& code);

}  // namespace perfmodel::sass
