#pragma once

#include <map>
#include <string_view>

#include "model/sass/instruction.hpp"
#include "model/sass/instruction_reader.hpp"

namespace perfmodel::sass {

/// What an opcode stands for, and how the rest of its instruction is read.
struct Opcode {
  /// Fills in `instruction` of the reader, which holds `op` and `pipe` already.
  void (*decode)(InstructionReader&) = nullptr;
  Op op = Op::nop;
  Pipe pipe = Pipe::other;
};

/// By name, without modifiers.
using OpcodeTable = std::map<std::string_view, Opcode>;

// One file for each.
void add_integer_opcodes(OpcodeTable& table);  ///< and those on predicates
void add_float_opcodes(OpcodeTable& table);    ///< and conversions
void add_across_lanes_opcodes(OpcodeTable& table);
void add_memory_opcodes(OpcodeTable& table);
void add_control_opcodes(OpcodeTable& table);
void add_uncomputed_opcodes(OpcodeTable& table);

}  // namespace perfmodel::sass
