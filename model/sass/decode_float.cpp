#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

#include "model/sass/instruction.hpp"
#include "model/sass/instruction_reader.hpp"
#include "model/sass/opcodes.hpp"
#include "model/sass/operand_text.hpp"

namespace perfmodel::sass {
namespace {

void decode_f32(InstructionReader& reader) {
  reader.float_modifiers();
  reader.destination();
  reader.sources(reader.instruction.op == Op::ffma ? 3 : 2, Immediates::f32);
}

void decode_f32x2(InstructionReader& reader) {
  reader.float_modifiers();
  reader.destination(2);
  reader.sources(reader.instruction.op == Op::ffma2 ? 3 : 2, Immediates::f64, 2);
}

void decode_f64(InstructionReader& reader) {
  reader.instruction.rounding = reader.take_rounding().value_or(Rounding::nearest);
  reader.destination(2);
  reader.sources(reader.instruction.op == Op::dfma ? 3 : 2, Immediates::f64, 2);
}

void decode_fmnmx(InstructionReader& reader) {
  reader.instruction.flush = reader.take("FTZ");
  reader.instruction.extended = reader.take("NAN");
  reader.destination();
  reader.sources(2, Immediates::f32);
  reader.predicate_source(0);
}

void decode_fmnmx3(InstructionReader& reader) {
  reader.instruction.flush = reader.take("FTZ");
  reader.instruction.extended = reader.take("NAN");
  reader.destination();
  reader.sources(3, Immediates::f32);
  reader.predicate_source(0);
}

void decode_dmnmx(InstructionReader& reader) {
  reader.destination(2);
  reader.sources(2, Immediates::f64, 2);
  reader.predicate_source(0);
}

void decode_fsetp(InstructionReader& reader) {
  reader.comparison();
  reader.instruction.flush = reader.take("FTZ");
  reader.predicate_destinations(1, 2);
  const bool wide = reader.instruction.op == Op::dsetp;
  reader.sources(2, wide ? Immediates::f64 : Immediates::f32, wide ? 2 : 1);
  reader.predicate_source(0);
}

void decode_fset(InstructionReader& reader) {
  reader.instruction.high = reader.take("BF");  // 1.0 and 0 instead of all bits
  reader.comparison();
  reader.instruction.flush = reader.take("FTZ");
  reader.destination();
  reader.sources(2, Immediates::f32);
  reader.predicate_source(0);
}

void decode_fsel(InstructionReader& reader) {
  reader.instruction.flush = reader.take("FTZ");
  reader.destination();
  reader.sources(2, Immediates::f32);
  reader.predicate_source(0);
}

void decode_fchk(InstructionReader& reader) {
  reader.take("DIVIDE");
  reader.predicate_destinations(1, 1);
  reader.sources(2, Immediates::f32);
}

void decode_mufu(InstructionReader& reader) {
  static constexpr std::array<std::pair<std::string_view, Function1>, 10> names = {
      {{"RCP", Function1::rcp},
       {"RSQ", Function1::rsq},
       {"SQRT", Function1::sqrt},
       {"EX2", Function1::ex2},
       {"LG2", Function1::lg2},
       {"SIN", Function1::sin},
       {"COS", Function1::cos},
       {"TANH", Function1::tanh},
       {"RCP64H", Function1::rcp64h},
       {"RSQ64H", Function1::rsq64h}}};
  bool found = false;
  for (const auto& [name, function] : names) {
    if (reader.take(name)) {
      reader.instruction.function = function;
      found = true;
    }
  }
  if (!found) {
    unsupported("function");
  }
  reader.destination();
  const bool upper = reader.instruction.function == Function1::rcp64h ||
                     reader.instruction.function == Function1::rsq64h;
  // An immediate is a double, of which the upper half goes in.
  if (upper && float_value(reader.peek())) {
    const double value = *float_value(reader.next());
    reader.instruction.sources[0] =
        reader.immediate(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32));
    return;
  }
  reader.sources(1, Immediates::f32);
}

Immediates packed_immediates(InstructionReader& reader) {
  reader.instruction.packed_bf16 = reader.take("BF16_V2") || reader.take("BF16");
  return reader.instruction.packed_bf16 ? Immediates::bf16x2 : Immediates::f16x2;
}

void decode_half(InstructionReader& reader) {
  const Immediates immediates = packed_immediates(reader);
  reader.instruction.widen = reader.take("F32");
  reader.instruction.relu = reader.take("RELU");
  if (reader.take("MMA")) {
    reader.instruction.pipe = Pipe::tensor;  // an H200 counts it there
  }
  reader.float_modifiers();
  reader.destination();
  reader.sources(reader.instruction.op == Op::hfma2 ? 3 : 2, immediates);
}

void decode_hmnmx2(InstructionReader& reader) {
  const Immediates immediates = packed_immediates(reader);
  reader.instruction.extended = reader.take("NAN");
  reader.destination();
  reader.sources(2, immediates);
  reader.predicate_source(0);
}

void decode_hsetp2(InstructionReader& reader) {
  const Immediates immediates = packed_immediates(reader);
  reader.comparison();
  reader.instruction.flush = reader.take("FTZ");
  reader.predicate_destinations(2, 2);
  reader.sources(2, immediates);
  reader.predicate_source(0);
}

void decode_hset2(InstructionReader& reader) {
  reader.instruction.high = reader.take("BF");  // 1.0 and 0 instead of all bits
  const Immediates immediates = packed_immediates(reader);
  reader.comparison();
  reader.instruction.flush = reader.take("FTZ");
  reader.destination();
  reader.sources(2, immediates);
  reader.predicate_source(0);
}

void decode_i2f(InstructionReader& reader) {
  reader.instruction.to = reader.take_float_type().value_or(Number::f32);
  reader.instruction.from = reader.take_integer_type().value_or(Number::s32);
  reader.instruction.rounding = reader.take_rounding().value_or(Rounding::nearest);
  reader.destination(rows_of(reader.instruction.to));
  reader.sources(1, Immediates::integer, rows_of(reader.instruction.from));
}

void decode_f2i(InstructionReader& reader) {
  reader.instruction.flush = reader.take("FTZ");
  reader.instruction.from = reader.take_float_type().value_or(Number::f32);
  reader.instruction.to = reader.take_integer_type().value_or(Number::s32);
  reader.instruction.rounding = reader.take_rounding().value_or(Rounding::nearest);
  reader.destination(rows_of(reader.instruction.to));
  reader.sources(1, reader.instruction.from == Number::f64 ? Immediates::f64 : Immediates::f32,
                 rows_of(reader.instruction.from));
}

void decode_f2f(InstructionReader& reader) {
  reader.instruction.flush = reader.take("FTZ");
  reader.instruction.saturate = reader.take("SAT");
  reader.instruction.rounding = reader.take_rounding().value_or(Rounding::nearest);
  reader.instruction.to = reader.take_float_type().value_or(Number::f32);
  reader.instruction.from = reader.take_float_type().value_or(Number::f32);
  reader.destination(rows_of(reader.instruction.to));
  reader.sources(1, reader.instruction.from == Number::f64 ? Immediates::f64 : Immediates::f32,
                 rows_of(reader.instruction.from));
}

void decode_f2fp(InstructionReader& reader) {
  if (!reader.take("PACK_AB")) {
    unsupported("format");
  }
  reader.instruction.to = reader.take_float_type().value_or(Number::f16);
  if (reader.take_float_type().value_or(Number::f32) != Number::f32) {
    unsupported("format");
  }
  reader.instruction.relu = reader.take("RELU");
  reader.instruction.rounding = reader.take_rounding().value_or(Rounding::nearest);
  reader.destination();
  reader.sources(2, Immediates::f32);
}

void decode_frnd(InstructionReader& reader) {
  reader.instruction.flush = reader.take("FTZ");
  reader.instruction.from = reader.take_float_type().value_or(Number::f32);
  reader.instruction.to = reader.take_float_type().value_or(reader.instruction.from);
  if (reader.instruction.to != reader.instruction.from) {
    unsupported("format");
  }
  reader.instruction.rounding = reader.take_rounding().value_or(Rounding::nearest);
  const unsigned rows = rows_of(reader.instruction.from);
  reader.destination(rows);
  reader.sources(1, rows == 2 ? Immediates::f64 : Immediates::f32, rows);
}

}  // namespace

void add_float_opcodes(OpcodeTable& table) {
  table.insert({
      {"FADD", {decode_f32, Op::fadd, Pipe::fma}},
      {"FMUL", {decode_f32, Op::fmul, Pipe::fma}},
      {"FFMA", {decode_f32, Op::ffma, Pipe::fma}},
      {"FADD2", {decode_f32x2, Op::fadd2, Pipe::fma}},
      {"FMUL2", {decode_f32x2, Op::fmul2, Pipe::fma}},
      {"FFMA2", {decode_f32x2, Op::ffma2, Pipe::fma}},
      {"FMNMX", {decode_fmnmx, Op::fmnmx, Pipe::alu}},
      {"FMNMX3", {decode_fmnmx3, Op::fmnmx3, Pipe::alu}},
      {"FSETP", {decode_fsetp, Op::fsetp, Pipe::alu}},
      {"FSET", {decode_fset, Op::fset, Pipe::alu}},
      {"FSEL", {decode_fsel, Op::fsel, Pipe::alu}},
      {"FCHK", {decode_fchk, Op::fchk, Pipe::xu}},
      {"MUFU", {decode_mufu, Op::mufu, Pipe::xu}},
      {"DADD", {decode_f64, Op::dadd, Pipe::fp64}},
      {"DMUL", {decode_f64, Op::dmul, Pipe::fp64}},
      {"DFMA", {decode_f64, Op::dfma, Pipe::fp64}},
      {"DSETP", {decode_fsetp, Op::dsetp, Pipe::fp64}},
      {"DMNMX", {decode_dmnmx, Op::dmnmx, Pipe::fp64}},
      {"HADD2", {decode_half, Op::hadd2, Pipe::fma}},
      {"HMUL2", {decode_half, Op::hmul2, Pipe::fma}},
      {"HFMA2", {decode_half, Op::hfma2, Pipe::fma}},
      {"HMNMX2", {decode_hmnmx2, Op::hmnmx2, Pipe::alu}},
      {"HSETP2", {decode_hsetp2, Op::hsetp2, Pipe::fma}},
      {"HSET2", {decode_hset2, Op::hset2, Pipe::fma}},
      {"I2F", {decode_i2f, Op::i2f, Pipe::xu}},
      {"I2FP", {decode_i2f, Op::i2f, Pipe::alu}},
      {"F2I", {decode_f2i, Op::f2i, Pipe::xu}},
      {"F2F", {decode_f2f, Op::f2f, Pipe::xu}},
      {"F2FP", {decode_f2fp, Op::f2fp, Pipe::alu}},
      {"FRND", {decode_frnd, Op::frnd, Pipe::xu}},
  });
}

}  // namespace perfmodel::sass
