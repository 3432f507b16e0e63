#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "model/sass/instruction.hpp"
#include "model/sass/instruction_reader.hpp"
#include "model/sass/opcodes.hpp"
#include "model/sass/operand_text.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

std::int64_t label_address(const InstructionReader& reader, std::string_view text) {
  if (text == reader.function().name) {
    return 0;
  }
  for (const CodeLabel& label : reader.function().labels) {
    if (label.name == text) {
      return label.address;
    }
  }
  unsupported(fmt::format("target '{}'", printable(text)));
}

void jump_target(InstructionReader& reader) {
  const std::string_view text = reader.next();
  std::int64_t address = -1;
  if (const auto value = integer_value(text)) {
    address = *value;
  } else {
    address = label_address(reader, text);
  }
  const auto count = static_cast<std::int64_t>(reader.function().instructions.size());
  if (address < 0 || address % instruction_bytes != 0 || address / instruction_bytes >= count) {
    unsupported(fmt::format("target '{}'", printable(text)));
  }
  reader.instruction.target = static_cast<std::int32_t>(address / instruction_bytes);
}

void decode_bra(InstructionReader& reader) {
  const bool when_together = reader.take("CONV");
  if (when_together || reader.take("DIV")) {
    // Taken where the lanes of the mask, or of the warp, are all here; or where they are not.
    reader.instruction.high = true;
    reader.instruction.left = when_together;
    reader.instruction.sources[0] =
        reader.remaining() > 1 ? reader.source() : reader.immediate(0xffffffffU);
  }
  reader.take("ANY");
  reader.take("INC");
  reader.take("DEC");
  reader.optional_predicate_source(0);
  jump_target(reader);
}

void decode_brx(InstructionReader& reader) {
  reader.note_calls();
  reader.sources(1, Immediates::integer, 2);
  const std::int64_t offset = reader.more() ? reader.immediate_operand() : 0;
  reader.instruction.address.offset =
      static_cast<std::int64_t>((reader.position() + 1) * instruction_bytes) + offset;
  reader.skip_operands();  // comments on possible targets
}

void decode_lepc(InstructionReader& reader) {
  reader.instruction.op = Op::mov64;
  reader.destination(2);
  reader.sources(1, Immediates::integer, 2);
}

void decode_call(InstructionReader& reader) {
  reader.note_calls();
  if (reader.take("ABS")) {
    // A function of the system, such as printf's: not run; its result, in R4, becomes zero.
    reader.instruction.op = Op::not_computed;
    reader.set_destination({false, false, 4}, 4);
    reader.ignore_modifiers();
    reader.skip_operands();
    return;
  }
  jump_target(reader);
}

void decode_ret(InstructionReader& reader) {
  reader.note_calls();
  if (reader.take("ABS")) {
    unsupported("form");
  }
  reader.sources(1, Immediates::integer, 2);
  const std::string_view text = reader.next();
  const auto value = integer_value(text);
  reader.instruction.address.offset = value ? *value : label_address(reader, text);
}

void decode_exit(InstructionReader& reader) {
  reader.take("KEEPREFCOUNT");
  reader.take("PREEMPTED");
  reader.optional_predicate_source(0);
}

void barrier_register(InstructionReader& reader) {
  const std::string_view text = reader.next();
  const auto number = number_behind(text, "B", 16);
  if (!number) {
    unsupported(fmt::format("operand '{}'", printable(text)));
  }
  reader.instruction.barrier_register = static_cast<std::uint8_t>(*number);
}

void decode_bssy(InstructionReader& reader) {
  barrier_register(reader);
  jump_target(reader);
}

void decode_bsync(InstructionReader& reader) {
  barrier_register(reader);
  reader.optional_predicate_source(0);
}

void decode_break(InstructionReader& reader) {
  reader.optional_predicate_source(0);
  barrier_register(reader);
}

void decode_bmov(InstructionReader& reader) {
  reader.take("32");
  reader.instruction.high = reader.take("CLEAR");
  if (reader.more() && number_behind(reader.peek(), "B", 16)) {
    reader.instruction.op = Op::bmov_to;
    barrier_register(reader);
    reader.sources(1);
  } else {
    reader.destination();
    barrier_register(reader);
  }
}

void decode_warpsync(InstructionReader& reader) {
  if (reader.take("COLLECTIVE")) {
    reader.instruction.op = Op::nop;
    reader.skip_operands();
    return;
  }
  reader.take("EXCLUSIVE");
  const bool all = reader.take("ALL");
  reader.take("RECONVERGENT");
  if (all || !reader.more()) {
    reader.instruction.sources[0] = reader.immediate(0xffffffffU);
  } else {
    reader.sources(1);
  }
  reader.skip_operands();
}

void decode_bar(InstructionReader& reader) {
  reader.instruction.barrier_arrive = reader.take("ARV");
  reader.instruction.barrier_reduce = reader.take("RED");
  reader.take("SYNC");
  if (reader.take("SYNCALL")) {
    return;
  }
  if (reader.instruction.barrier_reduce) {
    if (reader.take("POPC")) {
      reader.instruction.atomic = AtomicOp::add;
    } else if (reader.take("AND")) {
      reader.instruction.atomic = AtomicOp::and_;
    } else if (reader.take("OR")) {
      reader.instruction.atomic = AtomicOp::or_;
    }
  }
  reader.sources(1);
  if (reader.more() && !reader.at_predicate()) {
    reader.instruction.sources[1] = reader.source();
  }
  reader.optional_predicate_source(0);
}

void decode_b2r(InstructionReader& reader) {
  reader.take("RESULT");
  reader.destination();
  reader.predicate_destinations(0, 1);
}

void ignore_rest(InstructionReader& reader) {
  reader.ignore_modifiers();
  reader.skip_operands();
}

}  // namespace

void add_control_opcodes(OpcodeTable& table) {
  table.insert({
      {"BRA", {decode_bra, Op::bra, Pipe::control}},
      {"BRX", {decode_brx, Op::brx, Pipe::control}},
      {"CALL", {decode_call, Op::call, Pipe::control}},
      {"LEPC", {decode_lepc, Op::mov64, Pipe::control}},
      {"RET", {decode_ret, Op::ret, Pipe::control}},
      {"EXIT", {decode_exit, Op::exit, Pipe::control}},
      {"BSSY", {decode_bssy, Op::bssy, Pipe::control}},
      {"BSYNC", {decode_bsync, Op::bsync, Pipe::control}},
      {"BREAK", {decode_break, Op::breakb, Pipe::control}},
      {"BMOV", {decode_bmov, Op::bmov_from, Pipe::control}},
      {"WARPSYNC", {decode_warpsync, Op::warpsync, Pipe::control}},
      {"BAR", {decode_bar, Op::bar, Pipe::control}},
      {"B2R", {decode_b2r, Op::b2r, Pipe::other}},
      {"YIELD", {ignore_rest, Op::yield, Pipe::other}},
      {"BPT", {ignore_rest, Op::trap, Pipe::control}},
  });
  for (const std::string_view name :
       {"NOP",     "NANOSLEEP",     "MEMBAR",      "ERRBAR",      "CCTL",         "CCTLL",
        "CCTLT",   "FENCE",         "DEPBAR",      "LDGDEPBAR",   "LDDEPBAR",     "PREEXIT",
        "ACQBULK", "ENDCOLLECTIVE", "USETMAXREG",  "UCGABAR_ARV", "UCGABAR_WAIT", "CGAERRBAR",
        "PMTRIG",  "WARPGROUP",     "WARPGROUPSET"}) {
    table[name] = {ignore_rest, Op::nop, name == "NOP" ? Pipe::other : Pipe::control};
  }
}

}  // namespace perfmodel::sass
