#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "model/sass/instruction.hpp"
#include "model/sass/instruction_reader.hpp"
#include "model/sass/opcodes.hpp"
#include "model/sass/operand_text.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

void access_size(InstructionReader& reader) {
  reader.instruction.from = Number::u32;
  static constexpr std::array<std::pair<std::string_view, std::uint8_t>, 8> sizes = {{{"U8", 1},
                                                                                      {"S8", 1},
                                                                                      {"U16", 2},
                                                                                      {"S16", 2},
                                                                                      {"32", 4},
                                                                                      {"64", 8},
                                                                                      {"128", 16},
                                                                                      {"256", 32}}};
  for (const auto& [name, bytes] : sizes) {
    if (reader.take(name)) {
      reader.instruction.access_bytes = bytes;
      reader.instruction.sign_extend_load = name.starts_with('S');
    }
  }
  if (reader.instruction.access_bytes == 32) {
    unsupported("width");
  }
}

unsigned data_rows(const InstructionReader& reader) {
  return (reader.instruction.access_bytes + 3U) / 4;
}

/// "desc[UR8][R16.64+0x10]", "[R0.X16+UR6+0x1000]", "[UR4]".
AddressOperand address_operand(InstructionReader& reader, bool global, bool extended) {
  std::string_view text = reader.next();
  const std::string_view whole = text;
  if (text.starts_with("desc[") || text.starts_with("gdesc[")) {
    const std::size_t close = text.find(']');
    text.remove_prefix(close == std::string_view::npos ? text.size() : close + 1);
  }
  if (!text.starts_with('[') || !text.ends_with(']')) {
    unsupported(fmt::format("address '{}'", printable(whole)));
  }
  text = text.substr(1, text.size() - 2);
  AddressOperand address;
  for (const std::string& term : split(text, '+')) {
    if (term.empty()) {
      continue;
    }
    const std::vector<std::string> parts = split(term, '.');
    if (const auto offset = integer_value(term)) {
      address.offset += *offset;
      continue;
    }
    const auto name = register_name(parts.front());
    if (!name) {
      unsupported(fmt::format("address '{}'", printable(whole)));
    }
    bool wide = global && extended;
    std::uint8_t scale = 0;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i] == "64") {
        wide = true;
      } else if (parts[i] == "U32") {
        wide = false;
      } else if (parts[i] == "X4") {
        scale = 2;
      } else if (parts[i] == "X8") {
        scale = 3;
      } else if (parts[i] == "X16") {
        scale = 4;
      } else if (parts[i] != "reuse") {
        unsupported(fmt::format("address '{}'", printable(whole)));
      }
    }
    Source& into = name->uniform ? address.uniform : address.base;
    into = reader.register_source(*name, wide ? 2 : 1);
    (name->uniform ? address.uniform64 : address.base64) = wide;
    if (!name->uniform) {
      address.scale_log2 = scale;
    }
  }
  return address;
}

void memory_space(InstructionReader& reader) {
  switch (reader.base().back()) {
    case 'S':
      reader.instruction.space = MemorySpace::shared;
      break;
    case 'L':
      reader.instruction.space = MemorySpace::local;
      break;
    case 'G':
      reader.instruction.space = MemorySpace::global;
      break;
    default:
      reader.instruction.space = MemorySpace::generic;
  }
}

bool in_global(const InstructionReader& reader) {
  return reader.instruction.space == MemorySpace::global ||
         reader.instruction.space == MemorySpace::generic;
}

void decode_load(InstructionReader& reader) {
  memory_space(reader);
  access_size(reader);
  const bool extended = reader.take("E");
  reader.predicate_destinations(0, 1);
  reader.destination(data_rows(reader));
  reader.instruction.address = address_operand(reader, in_global(reader), extended);
  reader.optional_predicate_source(0);
}

void decode_store(InstructionReader& reader) {
  memory_space(reader);
  access_size(reader);
  const bool extended = reader.take("E");
  reader.instruction.address = address_operand(reader, in_global(reader), extended);
  reader.instruction.sources[0] = reader.source(Immediates::integer, data_rows(reader));
}

void decode_ldc(InstructionReader& reader) {
  if (reader.base().starts_with('U') || reader.base() == "LDCU") {
    reader.instruction.uniform = true;
    reader.instruction.pipe = Pipe::uniform;
  }
  reader.take("IL");
  reader.take("IS");
  reader.take("ISL");
  reader.instruction.space = MemorySpace::constant;
  access_size(reader);
  reader.destination(data_rows(reader));
  const std::string_view text = reader.next();
  const std::size_t close = text.find(']');
  if (!text.starts_with("c[") || close == std::string_view::npos ||
      !text.substr(close).starts_with("][") || !text.ends_with(']')) {
    unsupported(fmt::format("operand '{}'", printable(text)));
  }
  const auto bank = integer_value(text.substr(2, close - 2));
  if (!bank || *bank < 0 || *bank > 31) {
    unsupported(fmt::format("constant bank of '{}'", printable(text)));
  }
  reader.instruction.bank = static_cast<std::uint8_t>(*bank);
  reader.put_back(text.substr(close + 1));
  reader.instruction.address = address_operand(reader, false, false);
}

void atomic_operation(InstructionReader& reader) {
  static constexpr std::array<std::pair<std::string_view, AtomicOp>, 11> names = {
      {{"ADD", AtomicOp::add},
       {"MIN", AtomicOp::min},
       {"MAX", AtomicOp::max},
       {"AND", AtomicOp::and_},
       {"OR", AtomicOp::or_},
       {"XOR", AtomicOp::xor_},
       {"INC", AtomicOp::inc},
       {"DEC", AtomicOp::dec},
       {"EXCH", AtomicOp::exch},
       {"CAS", AtomicOp::cas},
       {"CAST", AtomicOp::cast}}};
  bool found = false;
  if (reader.take("POPC")) {
    // One per lane, combined by the hardware.
    reader.take("INC");
    reader.instruction.atomic = AtomicOp::add;
    reader.instruction.high = true;
    found = true;
  }
  for (const auto& [name, operation] : names) {
    if (!found && reader.take(name)) {
      reader.instruction.atomic = operation;
      found = true;
    }
  }
  if (!found) {
    unsupported("operation");
  }
  reader.instruction.from = Number::u32;
  if (reader.take("64")) {
    reader.instruction.from = Number::u64;
  }
  if (reader.take("S32")) {
    reader.instruction.from = Number::s32;
  } else if (reader.take("S64")) {
    reader.instruction.from = Number::s64;
  } else if (reader.take("F16x2")) {
    reader.instruction.from = Number::f16;
  } else if (reader.take("BF16x2")) {
    reader.instruction.from = Number::bf16;
  } else if (const auto number = reader.take_float_type()) {
    reader.instruction.from = *number;
  }
  reader.take("U32");
  reader.take("32");
  reader.take("FTZ");
  reader.instruction.access_bytes = rows_of(reader.instruction.from) == 2 ? 8 : 4;
}

void atomic_values(InstructionReader& reader) {
  if (reader.instruction.high) {
    reader.instruction.sources[0] = reader.immediate(1);
    return;
  }
  reader.instruction.sources[0] = reader.source(Immediates::integer, data_rows(reader));
  if (reader.instruction.atomic == AtomicOp::cas || reader.instruction.atomic == AtomicOp::cast) {
    if (reader.more() && !reader.at_predicate()) {
      reader.instruction.sources[1] = reader.source(Immediates::integer, data_rows(reader));
    } else {
      unsupported("operands");
    }
  }
  if (reader.at_predicate()) {
    reader.next_predicate();
  }
}

void decode_atomic(InstructionReader& reader) {
  if (reader.base() == "ATOMS") {
    reader.instruction.space = MemorySpace::shared;
  } else {
    reader.instruction.space = reader.base() == "ATOM" ? MemorySpace::generic : MemorySpace::global;
  }
  const bool extended = reader.take("E") || in_global(reader);
  atomic_operation(reader);
  reader.predicate_destinations(0, 1);
  if (register_name(reader.peek())) {
    reader.destination(data_rows(reader));
  }
  reader.instruction.address = address_operand(reader, in_global(reader), extended);
  atomic_values(reader);
}

void decode_red(InstructionReader& reader) {
  reader.instruction.space = MemorySpace::global;
  reader.take("E");
  atomic_operation(reader);
  reader.instruction.address = address_operand(reader, true, true);
  atomic_values(reader);
}

void decode_qspc(InstructionReader& reader) {
  reader.take("E");
  reader.instruction.space = MemorySpace::global;
  if (reader.take("S")) {
    reader.instruction.space = MemorySpace::shared;
  } else if (reader.take("L")) {
    reader.instruction.space = MemorySpace::local;
  }
  reader.take("G");
  reader.predicate_destinations(1, 1);
  reader.destination();
  const AddressOperand address = address_operand(reader, true, true);
  reader.instruction.sources[0] = address.base;
  reader.instruction.address.offset = address.offset;
}

void decode_ldgsts(InstructionReader& reader) {
  reader.instruction.space = MemorySpace::global;
  reader.take("BYPASS");
  reader.take("ACCESS");
  const bool extended = reader.take("E");
  access_size(reader);
  // Before sm_90 both addresses are one operand, "[R11][R6.64]".
  const std::string_view both = reader.peek();
  const std::size_t end = both.find("][");
  if (end != std::string_view::npos && both.starts_with('[')) {
    reader.next();
    reader.put_back(both.substr(end + 1));
    reader.put_back(both.substr(0, end + 1));
  }
  reader.instruction.address = address_operand(reader, false, false);
  reader.instruction.address2 = address_operand(reader, true, extended);
  reader.optional_predicate_source(0);
}

void decode_ldsm(InstructionReader& reader) {
  reader.instruction.space = MemorySpace::shared;
  reader.take("16");
  if (reader.take("MT88")) {
    reader.instruction.transposed = true;
  } else if (!reader.take("M88")) {
    unsupported("shape");
  }
  reader.instruction.matrices = 1;
  if (reader.take("2")) {
    reader.instruction.matrices = 2;
  } else if (reader.take("4")) {
    reader.instruction.matrices = 4;
  }
  reader.instruction.access_bytes = 16;
  reader.destination(reader.instruction.matrices);
  reader.instruction.address = address_operand(reader, false, false);
}

}  // namespace

void add_memory_opcodes(OpcodeTable& table) {
  table.insert({
      {"QSPC", {decode_qspc, Op::qspc, Pipe::lsu}},
      {"LDC", {decode_ldc, Op::ldc, Pipe::other}},
      {"ULDC", {decode_ldc, Op::ldc, Pipe::uniform}},
      {"LDCU", {decode_ldc, Op::ldc, Pipe::uniform}},
      {"LDG", {decode_load, Op::load, Pipe::lsu}},
      {"LDS", {decode_load, Op::load, Pipe::lsu}},
      {"LDL", {decode_load, Op::load, Pipe::lsu}},
      {"LD", {decode_load, Op::load, Pipe::lsu}},
      {"STG", {decode_store, Op::store, Pipe::lsu}},
      {"STS", {decode_store, Op::store, Pipe::lsu}},
      {"STL", {decode_store, Op::store, Pipe::lsu}},
      {"ST", {decode_store, Op::store, Pipe::lsu}},
      {"ATOM", {decode_atomic, Op::atomic, Pipe::lsu}},
      {"ATOMG", {decode_atomic, Op::atomic, Pipe::lsu}},
      {"ATOMS", {decode_atomic, Op::atomic, Pipe::lsu}},
      {"RED", {decode_red, Op::atomic, Pipe::lsu}},
      {"REDG", {decode_red, Op::atomic, Pipe::lsu}},
      {"LDGSTS", {decode_ldgsts, Op::ldgsts, Pipe::lsu}},
      {"LDSM", {decode_ldsm, Op::ldsm, Pipe::lsu}},
  });
}

}  // namespace perfmodel::sass
