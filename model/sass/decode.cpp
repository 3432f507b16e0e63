#include <fmt/format.h>

#include <string>
#include <string_view>

#include "model/error.hpp"
#include "model/sass/instruction.hpp"
#include "model/sass/instruction_reader.hpp"
#include "model/sass/opcodes.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

const OpcodeTable& opcodes() {
  static const OpcodeTable table = [] {
    OpcodeTable all;
    add_integer_opcodes(all);
    add_float_opcodes(all);
    add_across_lanes_opcodes(all);
    add_memory_opcodes(all);
    add_control_opcodes(all);
    add_uncomputed_opcodes(all);
    return all;
  }();
  return table;
}

bool has_uniform_twin(Op op) {
  switch (op) {
    case Op::mov:
    case Op::mov64:
    case Op::sel:
    case Op::iadd3:
    case Op::iadd64:
    case Op::imad:
    case Op::lea:
    case Op::shf:
    case Op::lop3:
    case Op::imnmx:
    case Op::isetp:
    case Op::popc:
    case Op::flo:
    case Op::brev:
    case Op::prmt:
    case Op::sgxt:
    case Op::bmsk:
    case Op::plop3:
    case Op::ldc:
    case Op::vote:
    case Op::iabs:
    case Op::fadd:
    case Op::fmul:
    case Op::ffma:
    case Op::fsetp:
    case Op::fsel:
    case Op::fmnmx:
    case Op::i2f:
    case Op::f2i:
    case Op::f2fp:
      return true;
    default:
      return false;
  }
}

/// Throws NotKnown.
void decode_instruction(InstructionReader& reader) {
  std::string_view base = reader.base();
  auto entry = opcodes().find(base);
  if (entry == opcodes().end() && base.starts_with('U')) {
    base.remove_prefix(1);
    entry = opcodes().find(base);
    reader.instruction.uniform = entry != opcodes().end() && has_uniform_twin(entry->second.op);
    if (!reader.instruction.uniform) {
      entry = opcodes().end();
    }
  }
  if (entry == opcodes().end()) {
    unsupported("opcode");
  }
  const Opcode& opcode = entry->second;
  reader.instruction.op = opcode.op;
  reader.instruction.pipe = reader.instruction.uniform ? Pipe::uniform : opcode.pipe;
  opcode.decode(reader);
  reader.require_no_rest();
}

}  // namespace

Code decode(const Function& function, int sm, const DecodeOptions& options) {
  InstructionReader reader(function);
  for (std::size_t position = 0; position < function.instructions.size(); ++position) {
    reader.start(position);
    try {
      decode_instruction(reader);
    } catch (const NotKnown& what) {
      if (!options.count_unknown) {
        const ListedInstruction& listed = function.instructions[position];
        fail(fmt::format(
            "{}: the {} of '{} {}' at address {:#06x} (sm_{}) is not known to the emulator; "
            "report this line as a defect of perfmodel, or count and flag such instructions with "
            "--count-unknown",
            printable(function.name), what.part, printable(listed.opcode),
            printable(listed.operands), position * instruction_bytes, sm));
      }
      reader.make_unknown();
    }
    reader.instruction.control = function.instructions[position].control;
    reader.add();
  }
  Code code = reader.take_code();
  code.has_control = function.has_control;
  return code;
}

}  // namespace perfmodel::sass
