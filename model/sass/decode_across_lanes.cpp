#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>

#include "model/sass/instruction.hpp"
#include "model/sass/instruction_reader.hpp"
#include "model/sass/opcodes.hpp"
#include "model/sass/operand_text.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

void decode_s2r(InstructionReader& reader) {
  static const std::map<std::string_view, Special> names = {{"SR_TID.X", Special::tid_x},
                                                            {"SR_TID.Y", Special::tid_y},
                                                            {"SR_TID.Z", Special::tid_z},
                                                            {"SR_CTAID.X", Special::ctaid_x},
                                                            {"SR_CTAID.Y", Special::ctaid_y},
                                                            {"SR_CTAID.Z", Special::ctaid_z},
                                                            {"SR_NTID.X", Special::ntid_x},
                                                            {"SR_NTID.Y", Special::ntid_y},
                                                            {"SR_NTID.Z", Special::ntid_z},
                                                            {"SR_NCTAID.X", Special::nctaid_x},
                                                            {"SR_NCTAID.Y", Special::nctaid_y},
                                                            {"SR_NCTAID.Z", Special::nctaid_z},
                                                            {"SR_LANEID", Special::laneid},
                                                            {"SR_WARPID", Special::warpid},
                                                            {"SR_VIRTID", Special::smid},
                                                            {"SR_VIRTUALSMID", Special::smid},
                                                            {"SR_SMID", Special::smid},
                                                            {"SR_EQMASK", Special::eqmask},
                                                            {"SR_LTMASK", Special::ltmask},
                                                            {"SR_LEMASK", Special::lemask},
                                                            {"SR_GTMASK", Special::gtmask},
                                                            {"SR_GEMASK", Special::gemask},
                                                            {"SR_CLOCKLO", Special::clock},
                                                            {"SR_CLOCKHI", Special::zero},
                                                            {"SR_GLOBALTIMERLO", Special::clock},
                                                            {"SR_GLOBALTIMERHI", Special::zero},
                                                            {"SR_CgaCtaId", Special::zero},
                                                            {"SR_CgaSize", Special::zero},
                                                            {"SR_SWINHI", Special::shared_window},
                                                            {"SR_LWINHI", Special::local_window},
                                                            {"SRZ", Special::zero}};
  reader.instruction.high = reader.instruction.op == Op::cs2r && !reader.take("32");
  reader.destination(reader.instruction.high ? 2 : 1);
  const std::string_view text = reader.next();
  const auto found = names.find(text);
  if (found == names.end()) {
    unsupported(fmt::format("special register '{}'", printable(text)));
  }
  reader.instruction.special = found->second;
  if (reader.instruction.op == Op::s2r && text.starts_with("SR_TID.")) {
    // On an H200 that pipe's counter has these, and no other registers.
    reader.instruction.pipe = Pipe::lsu;
  }
}

void decode_s2ur(InstructionReader& reader) {
  decode_s2r(reader);
  reader.instruction.uniform = true;
}

void decode_r2ur(InstructionReader& reader) {
  reader.take("FILL");
  reader.predicate_destinations(0, 1);
  reader.destination();
  reader.sources(1);
}

void vote_mode(InstructionReader& reader) {
  if (reader.take("ALL")) {
    reader.instruction.vote = VoteMode::all;
  } else if (reader.take("EQ")) {
    reader.instruction.vote = VoteMode::eq;
  } else if (!reader.take("ANY")) {
    unsupported("mode");
  }
}

void decode_vote(InstructionReader& reader) {
  vote_mode(reader);
  if (!reader.at_predicate()) {
    reader.destination();
  }
  reader.predicate_destinations(1, 1);
  reader.predicate_source(0);
}

void decode_voteu(InstructionReader& reader) {
  decode_vote(reader);
  reader.instruction.uniform = true;
}

void decode_redux(InstructionReader& reader) {
  if (reader.take("SUM")) {
    reader.instruction.atomic = AtomicOp::add;
  } else if (reader.take("MIN")) {
    reader.instruction.atomic = AtomicOp::min;
  } else if (reader.take("MAX")) {
    reader.instruction.atomic = AtomicOp::max;
  } else if (reader.take("OR")) {
    reader.instruction.atomic = AtomicOp::or_;
  } else if (reader.take("XOR")) {
    reader.instruction.atomic = AtomicOp::xor_;
  } else {
    reader.take("AND");
    reader.instruction.atomic = AtomicOp::and_;
  }
  reader.instruction.from = reader.take("S32") ? Number::s32 : Number::u32;
  reader.destination();
  reader.sources(1);
}

void decode_shfl(InstructionReader& reader) {
  if (reader.take("UP")) {
    reader.instruction.shuffle = ShuffleMode::up;
  } else if (reader.take("DOWN")) {
    reader.instruction.shuffle = ShuffleMode::down;
  } else if (reader.take("BFLY")) {
    reader.instruction.shuffle = ShuffleMode::bfly;
  } else if (!reader.take("IDX")) {
    unsupported("mode");
  }
  reader.predicate_destinations(1, 1);
  reader.destination();
  reader.sources(3);
}

void decode_match(InstructionReader& reader) {
  vote_mode(reader);
  const bool wide = reader.take("U64");
  reader.predicate_destinations(0, 1);
  reader.destination();
  reader.sources(1, Immediates::integer, wide ? 2 : 1);
  reader.instruction.from = wide ? Number::u64 : Number::u32;
}

void decode_elect(InstructionReader& reader) {
  reader.predicate_destinations(1, 1);
  if (reader.more() && !reader.at_predicate()) {
    reader.destination();
  }
  reader.optional_predicate_source(0);
}

}  // namespace

void add_across_lanes_opcodes(OpcodeTable& table) {
  table.insert({
      {"S2R", {decode_s2r, Op::s2r, Pipe::other}},
      {"CS2R", {decode_s2r, Op::cs2r, Pipe::alu}},
      {"S2UR", {decode_s2ur, Op::s2r, Pipe::uniform}},
      {"CS2UR", {decode_s2ur, Op::cs2r, Pipe::uniform}},
      {"R2UR", {decode_r2ur, Op::r2ur, Pipe::alu}},
      {"VOTEU", {decode_voteu, Op::vote, Pipe::uniform}},
      {"VOTE", {decode_vote, Op::vote, Pipe::alu}},
      {"REDUX", {decode_redux, Op::redux, Pipe::xu}},
      {"CREDUX", {decode_redux, Op::redux, Pipe::alu}},
      {"SHFL", {decode_shfl, Op::shfl, Pipe::lsu}},
      {"MATCH", {decode_match, Op::match, Pipe::xu}},
      {"ELECT", {decode_elect, Op::elect, Pipe::alu}},
  });
}

}  // namespace perfmodel::sass
