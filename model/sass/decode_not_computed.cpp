#include <cstdint>
#include <string_view>

#include "model/sass/instruction.hpp"
#include "model/sass/instruction_reader.hpp"
#include "model/sass/opcodes.hpp"
#include "model/sass/operand_text.hpp"

namespace perfmodel::sass {
namespace {

/// Registers per thread of a warp-wide product; of anything else only the first is sure to be a
/// result, and one too many would overwrite what the program still needs.
std::uint8_t tensor_result_rows(const InstructionReader& reader) {
  const auto has = [&](std::string_view modifier) { return reader.has(modifier); };
  if (reader.base() == "HMMA") {
    return has("F32") ? 4 : 2;
  }
  if (reader.base() == "IMMA" || reader.base() == "BMMA") {
    return has("8816") || has("8832") || has("88128") ? 2 : 4;
  }
  return reader.base() == "DMMA" ? 4 : 1;
}

/// Counted and flagged; whatever it writes becomes zero.
void decode_not_computed(InstructionReader& reader) {
  reader.instruction.zeroed_rows = tensor_result_rows(reader);
  reader.ignore_modifiers();
  while (reader.at_predicate()) {
    const std::uint8_t index = reader.next_predicate().index;
    if (reader.instruction.predicate_destinations[0] == predicate_true) {
      reader.instruction.predicate_destinations[0] = index;
    }
  }
  const std::string_view text = reader.peek();
  if (const auto name = register_name(text.substr(0, text.find('.')))) {
    reader.set_destination(*name, reader.instruction.zeroed_rows);
  }
  reader.skip_operands();
}

}  // namespace

void add_uncomputed_opcodes(OpcodeTable& table) {
  for (const std::string_view name :
       {"HMMA",      "IMMA",   "BMMA",  "DMMA",     "QMMA",       "OMMA",     "HGMMA",
        "IGMMA",     "QGMMA",  "BGMMA", "UTCHMMA",  "UTCIMMA",    "UTCQMMA",  "UTCOMMA",
        "UTCMXQMMA", "UTCBAR", "UTCCP", "UTCSHIFT", "UTCATOMSWS", "UTCLDSWS", "UTCSTSWS"}) {
    table[name] = {decode_not_computed, Op::not_computed, Pipe::tensor};
  }
  for (const std::string_view name :
       {"UTMALDG", "UTMASTG", "UTMAREDG", "UTMACCTL", "UTMAPF",  "UTMACMDFLUSH",
        "UBLKCP",  "UBLKRED", "UBLKPF",   "SYNCS",    "LDTM",    "STTM",
        "STSM",    "MOVM",    "TEX",      "TLD",      "TLD4",    "TXQ",
        "TXD",     "TMML",    "SULD",     "SUST",     "SUATOM",  "SURED",
        "SUQUERY", "STAS",    "REDAS",    "LDTRAM",   "ARRIVES", "USYNCS"}) {
    table[name] = {decode_not_computed, Op::not_computed, Pipe::lsu};
  }
}

}  // namespace perfmodel::sass
