#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/sass/scheduling_control.hpp"

namespace perfmodel::sass {

/// Every instruction of sm_70 and later takes this many bytes.
inline constexpr std::uint32_t instruction_bytes = 16;

/// One line of a listing, as the disassembler writes it.
struct ListedInstruction {
  std::string predicate;          ///< "@!P0", or empty
  std::string opcode;             ///< "LDG.E.128.CONSTANT"
  std::string operands;           ///< "R4,desc[UR8][R16.64+0x10]"
  std::uint32_t source_file = 0;  ///< index in Module::source_files
  std::uint32_t source_line = 0;  ///< 0 where the code has no line information
  SchedulingControl control{};    ///< see Function::has_control

  friend bool operator==(const ListedInstruction&, const ListedInstruction&) = default;
};

/// Where a kernel finds one of its parameters.
struct Parameter {
  std::uint32_t offset_bytes = 0;  ///< from Function::parameter_base
  std::uint32_t size_bytes = 0;

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// A name inside a function's code, such as a subroutine that the compiler placed behind it.
struct CodeLabel {
  std::string name;
  std::uint32_t address = 0;  ///< bytes from the start of the function

  friend bool operator==(const CodeLabel&, const CodeLabel&) = default;
};

/// The code of one kernel and what its ELF sections say about it.
struct Function {
  std::string name;                             ///< mangled
  std::vector<ListedInstruction> instructions;  ///< number i stands at address 16 i
  std::vector<CodeLabel> labels;
  std::uint32_t registers = 0;  ///< per thread
  /// Shared memory per block that is known before the launch. From sm_90 on it begins with the
  /// 1024 bytes that the system reserves, so the first variable lies at 0x400; a kernel that uses
  /// no shared memory at all has 0.
  std::uint32_t static_shared_bytes = 0;
  /// Stack frame per thread, with the subroutines behind the kernel where the compiler knows them;
  /// recursion is not counted.
  std::uint32_t local_bytes = 0;
  std::uint32_t max_threads = 0;      ///< per block as declared; 0 where nothing is
  std::uint32_t parameter_base = 0;   ///< offset of the first parameter in constant bank 0
  std::vector<Parameter> parameters;  ///< in order of declaration
  /// False for a bare disassembler listing, which lacks all of the above but name and code.
  bool described = false;
  /// False where the scheduling controls are unknown: the disassembler does not print them, so only
  /// a cubin, or a listing stored from one, has them.
  bool has_control = false;
  /// False for a device function with code of its own, which only other functions can call.
  bool kernel = true;

  friend bool operator==(const Function&, const Function&) = default;
};

/// Initial contents of a constant bank other than 0.
struct ConstantBank {
  std::uint32_t bank = 0;
  std::vector<std::byte> bytes;
  /// The function whose own it is, such as bank 2 with the targets of its `switch`, as addresses
  /// from its start; empty for a bank that all functions of the module share.
  std::string function;

  friend bool operator==(const ConstantBank&, const ConstantBank&) = default;
};

/// A variable in global memory (`__device__`).
struct GlobalVariable {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::vector<std::byte> initial;  ///< empty: zeros

  friend bool operator==(const GlobalVariable&, const GlobalVariable&) = default;
};

/// A place in a constant bank that holds the 64-bit address of a variable. Addresses of functions
/// (`printf`, virtual functions) are left zero.
struct AddressSlot {
  std::uint32_t bank = 0;
  std::uint32_t offset_bytes = 0;
  std::uint32_t variable = 0;  ///< index in Module::variables
  std::uint64_t addend = 0;

  friend bool operator==(const AddressSlot&, const AddressSlot&) = default;
};

/// A place in the initial value of one variable that holds the address of another, or of itself.
struct VariablePointer {
  std::uint32_t variable = 0;  ///< index in Module::variables
  std::uint64_t offset_bytes = 0;
  std::uint32_t target = 0;  ///< index in Module::variables
  std::uint64_t addend = 0;

  friend bool operator==(const VariablePointer&, const VariablePointer&) = default;
};

/// One cubin, disassembled.
struct Module {
  int sm = 0;            ///< 90 for sm_90 and sm_90a
  std::string arch;      ///< "sm_90"
  std::string tool;      ///< the disassembler and its version, for reproduction
  std::string compiler;  ///< the assembler's name and version; may be empty
  std::vector<std::string> source_files;
  std::vector<Function> functions;
  std::vector<ConstantBank> banks;
  std::vector<GlobalVariable> variables;
  std::vector<AddressSlot> address_slots;
  std::vector<VariablePointer> variable_pointers;

  friend bool operator==(const Module&, const Module&) = default;
};

/// Address of the first variable in shared memory: the system keeps what lies before, of each
/// block.
inline std::uint32_t first_shared_address(int sm) { return sm >= 90 ? 1024 : 0; }

/// Shared memory of a block that is known before the launch, as the runtime and the assembler
/// report it: without what the system keeps.
inline std::uint32_t own_static_shared_bytes(int sm, const Function& function) {
  return function.static_shared_bytes -
         std::min(function.static_shared_bytes, first_shared_address(sm));
}

}  // namespace perfmodel::sass
