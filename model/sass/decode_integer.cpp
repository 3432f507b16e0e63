#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/sass/instruction.hpp"
#include "model/sass/instruction_reader.hpp"
#include "model/sass/opcodes.hpp"
#include "model/sass/operand_text.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

/// One, the other or both carries may be written.
void carry_sources(InstructionReader& reader) {
  // Where none is written there is no carry; PT would be one.
  reader.instruction.predicates[0] = reader.instruction.predicates[1] = {predicate_true, true};
  for (std::size_t slot = 0; slot < 2 && reader.at_predicate(); ++slot) {
    reader.predicate_source(slot);
  }
}

/// "S16x2": narrow integers side by side.
bool take_packed_type(InstructionReader& reader) {
  static constexpr std::array<std::tuple<std::string_view, std::uint8_t, Number>, 6> types = {
      {{"16x2", 16, Number::s32},
       {"S16x2", 16, Number::s32},
       {"U16x2", 16, Number::u32},
       {"8x4", 8, Number::s32},
       {"S8x4", 8, Number::s32},
       {"U8x4", 8, Number::u32}}};
  return std::ranges::any_of(types, [&](const auto& type) {
    const auto& [name, bits, number] = type;
    if (!reader.take(name)) {
      return false;
    }
    reader.instruction.op = Op::packed_integer;
    reader.instruction.element_bits = bits;
    reader.instruction.from = number;
    return true;
  });
}

void decode_mov(InstructionReader& reader) {
  if (reader.take("64")) {
    reader.instruction.op = Op::mov64;
    reader.destination(2);
    reader.sources(1, Immediates::integer, 2);
    return;
  }
  reader.destination();
  reader.sources(1);
  if (reader.more()) {
    reader.immediate_operand();  // lane mask of the encoding, always 0xf
  }
}

void decode_sel(InstructionReader& reader) {
  const bool wide = reader.take("64");
  if (wide) {
    reader.instruction.op = Op::sel64;
  }
  reader.destination(wide ? 2 : 1);
  reader.sources(2, Immediates::integer, wide ? 2 : 1);
  reader.predicate_source(0);
}

void decode_iadd3(InstructionReader& reader) {
  reader.instruction.extended = reader.take("X");
  const bool wide = reader.take("64");
  if (wide) {
    reader.instruction.op = Op::iadd64;
  }
  reader.destination(wide ? 2 : 1);
  reader.predicate_destinations(0, 2);
  reader.sources(3, Immediates::integer, wide ? 2 : 1);
  carry_sources(reader);
}

void decode_iadd(InstructionReader& reader) {
  reader.instruction.extended = reader.take("X");
  if (take_packed_type(reader)) {
    reader.instruction.packed = Packed::add;
    reader.destination();
    reader.sources(2);
    return;
  }
  const bool wide = reader.take("64");
  if (wide) {
    reader.instruction.op = Op::iadd64;
  }
  reader.destination(wide ? 2 : 1);
  reader.predicate_destinations(0, 1);
  reader.sources(2, Immediates::integer, wide ? 2 : 1);
  reader.instruction.sources[2] = wide ? reader.immediate64(0) : Source{};
  carry_sources(reader);
}

void decode_imad(InstructionReader& reader) {
  const bool wide = reader.take("WIDE");
  reader.instruction.high = reader.take("HI");
  reader.instruction.extended = reader.take("X");
  reader.instruction.from = reader.take("U32") ? Number::u32 : Number::s32;
  reader.take("MOV");
  reader.take("IADD");
  reader.take("SHL");
  if (wide) {
    reader.instruction.op = Op::imad_wide;
  } else if (reader.instruction.high) {
    reader.instruction.op = Op::imad_hi;
  }
  reader.destination(wide ? 2 : 1);
  reader.predicate_destinations(0, 1);
  reader.sources(2);
  reader.instruction.sources[2] =
      reader.source(Immediates::integer, wide || reader.instruction.high ? 2 : 1);
  carry_sources(reader);
}

void decode_lea(InstructionReader& reader) {
  reader.instruction.high = reader.take("HI");
  reader.instruction.extended = reader.take("X");
  reader.instruction.sign_extend = reader.take("SX32");
  if (reader.instruction.high) {
    reader.instruction.op = Op::lea_hi;
  }
  reader.destination();
  reader.predicate_destinations(0, 1);
  reader.sources(2);
  if (reader.instruction.high && !reader.instruction.sign_extend) {
    reader.instruction.sources[2] = reader.source();
  }
  reader.instruction.shift = static_cast<std::uint8_t>(reader.immediate_operand() & 31);
  carry_sources(reader);
}

void decode_shf(InstructionReader& reader) {
  reader.instruction.left = reader.take("L");
  if (!reader.instruction.left && !reader.take("R")) {
    unsupported("direction");
  }
  reader.instruction.wrap = reader.take("W");
  reader.instruction.high = reader.take("HI");
  reader.take("LO");
  reader.instruction.from = reader.take_integer_type().value_or(Number::u32);
  reader.destination();
  reader.sources(3);
}

void decode_lop3(InstructionReader& reader) {
  reader.take("LUT");
  if (reader.take("PAND")) {
    reader.instruction.combine = Combine::and_;
  } else {
    reader.instruction.combine = Combine::or_;
  }
  reader.predicate_destinations(0, 1);
  reader.destination();
  reader.sources(3);
  reader.instruction.lut = static_cast<std::uint8_t>(reader.immediate_operand());
  reader.optional_predicate_source(0);
}

/// Places for which of the operands was chosen; nvcc does not use them.
void no_predicate_destinations(InstructionReader& reader) {
  while (reader.remaining() > 1 && reader.peek() == "PT") {
    reader.next();
  }
}

void decode_imnmx(InstructionReader& reader) {
  reader.instruction.relu = reader.take("RELU");
  if (take_packed_type(reader)) {
    reader.instruction.packed = Packed::extreme;
    reader.destination();
    no_predicate_destinations(reader);
    reader.sources(2);
    reader.predicate_source(0);
    return;
  }
  reader.instruction.from = reader.take_integer_type().value_or(Number::s32);
  if (rows_of(reader.instruction.from) == 2) {
    reader.instruction.op = Op::imnmx64;
    reader.predicate_destinations(0, 2);
    reader.destination(2);
    reader.sources(2, Immediates::integer, 2);
    reader.predicate_source(0);
    // Joins it to a comparison of wider numbers; nvcc uses no other than these.
    if (reader.more() && reader.peek() != "!PT" && reader.peek() != "!UPT") {
      unsupported(fmt::format("operand '{}'", printable(reader.peek())));
    }
    reader.skip_operands();
    return;
  }
  reader.destination();
  reader.predicate_destinations(0, 2);
  reader.sources(2);
  reader.predicate_source(0);
}

void decode_viaddmnmx(InstructionReader& reader) {
  reader.instruction.relu = reader.take("RELU");
  if (take_packed_type(reader)) {
    reader.instruction.packed = Packed::add_extreme;
  } else {
    reader.instruction.from = reader.take_integer_type().value_or(Number::s32);
  }
  reader.destination();
  reader.sources(3);
  reader.predicate_source(0);
}

void decode_vimnmx3(InstructionReader& reader) {
  reader.instruction.relu = reader.take("RELU");
  if (!take_packed_type(reader)) {
    reader.instruction.from = reader.take_integer_type().value_or(Number::s32);
  }
  reader.instruction.packed = Packed::extreme3;
  reader.destination();
  reader.sources(3);
  reader.predicate_source(0);
}

void decode_vabsdiff(InstructionReader& reader) {
  reader.instruction.packed = Packed::difference;
  reader.instruction.from = reader.take_integer_type().value_or(Number::s32);
  if (reader.base().ends_with('4')) {
    reader.instruction.element_bits = 8;
    reader.instruction.from = reader.instruction.from == Number::u8 ? Number::u32 : Number::s32;
    reader.instruction.high = reader.take("ACC");
  }
  reader.destination();
  reader.sources(3);
}

void decode_isetp(InstructionReader& reader) {
  reader.comparison();
  reader.instruction.extended = reader.take("EX");
  reader.instruction.from = reader.take_integer_type().value_or(Number::s32);
  reader.predicate_destinations(1, 2);
  reader.sources(2, Immediates::integer, rows_of(reader.instruction.from));
  reader.predicate_source(0);
  reader.instruction.predicates[1] = {predicate_true, false};
  reader.optional_predicate_source(1);
}

void decode_unary(InstructionReader& reader) {
  reader.destination();
  reader.sources(1);
}

void decode_flo(InstructionReader& reader) {
  reader.instruction.from = reader.take("U32") ? Number::u32 : Number::s32;
  reader.instruction.sign_extend = reader.take("SH");
  reader.destination();
  reader.predicate_destinations(0, 1);
  reader.sources(1);
}

void decode_prmt(InstructionReader& reader) {
  static constexpr std::array<std::pair<std::string_view, Permute>, 7> modes = {
      {{"IDX", Permute::index},
       {"F4E", Permute::f4e},
       {"B4E", Permute::b4e},
       {"RC8", Permute::rc8},
       {"ECL", Permute::ecl},
       {"ECR", Permute::ecr},
       {"RC16", Permute::rc16}}};
  for (const auto& [name, mode] : modes) {
    if (reader.take(name)) {
      reader.instruction.permute = mode;
    }
  }
  reader.destination();
  reader.sources(3);
}

void decode_sgxt(InstructionReader& reader) {
  reader.instruction.wrap = reader.take("W");
  reader.instruction.from = reader.take("U32") ? Number::u32 : Number::s32;
  reader.destination();
  reader.sources(2);
}

void decode_dp4a(InstructionReader& reader) {
  if (reader.take("2A")) {
    reader.instruction.op = Op::dp2a;
    reader.instruction.high = reader.take("HI");
    reader.take("LO");
    reader.instruction.from = reader.take_integer_type().value_or(Number::s16);
    reader.instruction.to = reader.take_integer_type().value_or(Number::s8);
  } else if (reader.take("4A")) {
    reader.instruction.from = reader.take_integer_type().value_or(Number::s8);
    reader.instruction.to = reader.take_integer_type().value_or(reader.instruction.from);
  } else {
    unsupported("variant");
  }
  reader.destination();
  reader.sources(3);
}

// --- predicates --------------------------------------------------------------------------

void decode_plop3(InstructionReader& reader) {
  reader.take("LUT");
  reader.predicate_destinations(2, 2);
  for (std::size_t slot = 0; slot < 3; ++slot) {
    reader.predicate_source(slot);
  }
  reader.instruction.lut = static_cast<std::uint8_t>(reader.immediate_operand());
  reader.instruction.lut2 = static_cast<std::uint8_t>(reader.immediate_operand());
}

void byte_modifier(InstructionReader& reader) {
  for (std::uint8_t byte = 1; byte < 4; ++byte) {
    if (reader.take(fmt::format("B{}", byte))) {
      reader.instruction.shift = static_cast<std::uint8_t>(8 * byte);
    }
  }
}

void decode_p2r(InstructionReader& reader) {
  byte_modifier(reader);
  reader.destination();
  if (reader.next() != "PR") {
    unsupported("operands");
  }
  reader.sources(2);
}

void decode_r2p(InstructionReader& reader) {
  byte_modifier(reader);
  if (reader.next() != "PR") {
    unsupported("operands");
  }
  reader.sources(2);
}

}  // namespace

void add_integer_opcodes(OpcodeTable& table) {
  table.insert({
      {"MOV", {decode_mov, Op::mov, Pipe::alu}},
      {"SEL", {decode_sel, Op::sel, Pipe::alu}},
      {"IADD3", {decode_iadd3, Op::iadd3, Pipe::alu}},
      {"IADD", {decode_iadd, Op::iadd3, Pipe::alu}},
      {"VIADD", {decode_iadd, Op::iadd3, Pipe::alu}},
      {"IMAD", {decode_imad, Op::imad, Pipe::fma}},
      {"LEA", {decode_lea, Op::lea, Pipe::alu}},
      {"SHF", {decode_shf, Op::shf, Pipe::alu}},
      {"LOP3", {decode_lop3, Op::lop3, Pipe::alu}},
      {"IMNMX", {decode_imnmx, Op::imnmx, Pipe::alu}},
      {"VIMNMX", {decode_imnmx, Op::imnmx, Pipe::alu}},
      {"VIADDMNMX", {decode_viaddmnmx, Op::viaddmnmx, Pipe::alu}},
      {"VIMNMX3", {decode_vimnmx3, Op::packed_integer, Pipe::alu}},
      {"VABSDIFF", {decode_vabsdiff, Op::packed_integer, Pipe::alu}},
      {"VABSDIFF4", {decode_vabsdiff, Op::packed_integer, Pipe::alu}},
      {"ISETP", {decode_isetp, Op::isetp, Pipe::alu}},
      {"IABS", {decode_unary, Op::iabs, Pipe::alu}},
      {"POPC", {decode_unary, Op::popc, Pipe::xu}},
      {"BREV", {decode_unary, Op::brev, Pipe::xu}},
      {"FLO", {decode_flo, Op::flo, Pipe::xu}},
      {"PRMT", {decode_prmt, Op::prmt, Pipe::alu}},
      {"SGXT", {decode_sgxt, Op::sgxt, Pipe::alu}},
      {"BMSK", {decode_sgxt, Op::bmsk, Pipe::alu}},
      {"IDP", {decode_dp4a, Op::dp4a, Pipe::fma}},
      {"PLOP3", {decode_plop3, Op::plop3, Pipe::alu}},
      {"P2R", {decode_p2r, Op::p2r, Pipe::alu}},
      {"R2P", {decode_r2p, Op::r2p, Pipe::alu}},
  });
}

}  // namespace perfmodel::sass
