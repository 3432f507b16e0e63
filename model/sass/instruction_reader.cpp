#include "model/sass/instruction_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "model/error.hpp"
#include "model/sass/number_format.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

// Rows of uniform registers are numbered from here until the number of general registers is known.
constexpr std::uint16_t uniform_rows = 0x400;
constexpr std::uint16_t sink_row = 0x800;

std::uint32_t half_bits(double value, Immediates kind) {
  return half_from_float(static_cast<float>(value), kind == Immediates::bf16x2);
}

}  // namespace

void unsupported(std::string part) { throw NotKnown{std::move(part)}; }

unsigned rows_of(Number number) {
  return number == Number::u64 || number == Number::s64 || number == Number::f64 ? 2 : 1;
}

InstructionReader::InstructionReader(const Function& function) : function_(function) {
  code_.pool.push_back({});
  code_.instructions.reserve(function.instructions.size());
}

void InstructionReader::start(std::size_t position) {
  position_ = position;
  const ListedInstruction& listed = function_.instructions[position];
  instruction = {};
  modifiers_ = split(listed.opcode, '.');
  base_ = modifiers_.front();
  modifiers_.erase(modifiers_.begin());
  operands_ = split_operands(listed.operands);
  next_ = 0;
  if (listed.predicate.empty()) {
    return;
  }
  std::string_view guard = listed.predicate;
  if (guard.starts_with('@')) {
    guard.remove_prefix(1);
  }
  const auto source = predicate_name(guard);
  if (!source) {
    fail(fmt::format("{}: guard '{}' at address {:#06x} is not a predicate",
                     printable(function_.name), printable(guard), position_ * instruction_bytes));
  }
  instruction.guard = *source;
}

void InstructionReader::make_unknown() {
  const PredicateSource guard = instruction.guard;
  instruction = {};
  instruction.guard = guard;
  instruction.op = Op::unknown;
  // What it may write: the first register and the predicates in front of it.
  for (const std::string_view operand : operands_) {
    if (const auto name = register_name(operand)) {
      set_destination(*name, 1);
      break;
    }
    if (!predicate_name(operand)) {
      break;
    }
  }
}

void InstructionReader::require_no_rest() const {
  // Hints on caching, scope and scheduling, which change neither results nor counts.
  static constexpr std::array<std::string_view, 33> hints = {
      "E",      "SYS",     "GPU",      "CTA",          "SM",
      "STRONG", "WEAK",    "CONSTANT", "MMIO",         "EF",
      "EL",     "LU",      "EU",       "NA",           "NTZ",
      "RN",     "MMA",     "U",        "PRIVATE",      "DEFER_BLOCKING",
      "NOINC",  "NODEC",   "REL",      "RECONVERGENT", "RELIABLE",
      "LTC64B", "LTC128B", "LTC256B",  "ZFILL",        "SPIN",
      "VM",     "ENL2",    "noatexit"};
  for (const std::string& modifier : modifiers_) {
    if (!modifier.empty() && std::ranges::find(hints, modifier) == hints.end()) {
      unsupported(fmt::format("modifier .{}", printable(modifier)));
    }
  }
  if (next_ < operands_.size()) {
    unsupported(fmt::format("operand '{}'", printable(operands_[next_])));
  }
}

Code InstructionReader::take_code() {
  settle_rows();
  return std::move(code_);
}

void InstructionReader::settle_rows() {
  // Spare rows behind the registers: wide writes near the end stay inside.
  const auto general = static_cast<std::uint16_t>(general_used_ + 4);
  const auto uniform = static_cast<std::uint16_t>(uniform_used_ + 4);
  code_.uniform_base = general;
  code_.sink = static_cast<std::uint16_t>(general + uniform);
  code_.rows = static_cast<std::uint16_t>(code_.sink + 4);
  const auto settle = [&](std::uint16_t& row) {
    if (row == sink_row) {
      row = code_.sink;
    } else if (row >= uniform_rows) {
      row = static_cast<std::uint16_t>(row - uniform_rows + general);
    }
  };
  const auto settle_source = [&](Source& source) {
    if (!source.pool) {
      settle(source.row);
    }
  };
  for (Instruction& settled : code_.instructions) {
    settle(settled.destination);
    if (!settled.has_destination) {
      settled.destination = code_.sink;
    }
    for (Source& source : settled.sources) {
      settle_source(source);
    }
    for (AddressOperand* const address : {&settled.address, &settled.address2}) {
      settle_source(address->base);
      settle_source(address->uniform);
    }
  }
}

bool InstructionReader::has(std::string_view modifier) const {
  return std::ranges::find(modifiers_, modifier) != modifiers_.end();
}

bool InstructionReader::take(std::string_view modifier) {
  const auto found = std::ranges::find(modifiers_, modifier);
  if (found == modifiers_.end()) {
    return false;
  }
  modifiers_.erase(found);
  return true;
}

std::optional<Rounding> InstructionReader::take_rounding() {
  if (take("RM") || take("FLOOR")) {
    return Rounding::down;
  }
  if (take("RP") || take("CEIL")) {
    return Rounding::up;
  }
  if (take("RZ") || take("TRUNC")) {
    return Rounding::zero;
  }
  return std::nullopt;
}

void InstructionReader::float_modifiers() {
  instruction.flush = take("FTZ");
  instruction.saturate = take("SAT");
  instruction.rounding = take_rounding().value_or(Rounding::nearest);
}

bool InstructionReader::take_compare(Compare& compare) {
  static constexpr std::array<std::pair<std::string_view, Compare>, 18> names = {
      {{"F", Compare::f},
       {"LT", Compare::lt},
       {"EQ", Compare::eq},
       {"LE", Compare::le},
       {"GT", Compare::gt},
       {"NE", Compare::ne},
       {"GE", Compare::ge},
       {"NUM", Compare::num},
       {"NAN", Compare::nan},
       {"LTU", Compare::ltu},
       {"EQU", Compare::equ},
       {"LEU", Compare::leu},
       {"GTU", Compare::gtu},
       {"NEU", Compare::neu},
       {"GEU", Compare::geu},
       {"T", Compare::t},
       {"MIN", Compare::min},
       {"MAX", Compare::max}}};
  for (const auto& [name, value] : names) {
    if (take(name)) {
      compare = value;
      return true;
    }
  }
  return false;
}

void InstructionReader::comparison() {
  if (!take_compare(instruction.compare)) {
    unsupported("comparison");
  }
  if (take("OR")) {
    instruction.combine = Combine::or_;
  } else if (take("XOR")) {
    instruction.combine = Combine::xor_;
  } else {
    take("AND");
  }
}

std::optional<Number> InstructionReader::take_integer_type() {
  static constexpr std::array<std::pair<std::string_view, Number>, 8> names = {
      {{"U8", Number::u8},
       {"S8", Number::s8},
       {"U16", Number::u16},
       {"S16", Number::s16},
       {"U32", Number::u32},
       {"S32", Number::s32},
       {"U64", Number::u64},
       {"S64", Number::s64}}};
  // The first in the order written.
  for (const std::string& modifier : modifiers_) {
    for (const auto& [name, value] : names) {
      if (modifier == name) {
        take(name);
        return value;
      }
    }
  }
  return std::nullopt;
}

std::optional<Number> InstructionReader::take_float_type() {
  for (const std::string& modifier : modifiers_) {
    for (const auto& [name, value] :
         {std::pair{"F16", Number::f16}, std::pair{"BF16", Number::bf16},
          std::pair{"F32", Number::f32}, std::pair{"F64", Number::f64}}) {
      if (modifier == name) {
        take(name);
        return value;
      }
    }
  }
  return std::nullopt;
}

std::string_view InstructionReader::next() {
  if (!more()) {
    unsupported("number of operands");
  }
  return operands_[next_++];
}

void InstructionReader::put_back(std::string_view operand) {
  operands_.insert(operands_.begin() + static_cast<std::ptrdiff_t>(next_), operand);
}

PredicateSource InstructionReader::next_predicate() {
  const auto source = predicate_name(next());
  if (!source) {
    unsupported(fmt::format("operand '{}'", printable(operands_[next_ - 1])));
  }
  return *source;
}

void InstructionReader::predicate_destinations(std::size_t least, std::size_t most) {
  for (std::size_t i = 0; i < most && (i < least || at_predicate()); ++i) {
    instruction.predicate_destinations[i] = next_predicate().index;
  }
}

void InstructionReader::predicate_source(std::size_t slot) {
  instruction.predicates[slot] = next_predicate();
}

void InstructionReader::optional_predicate_source(std::size_t slot) {
  if (at_predicate()) {
    predicate_source(slot);
  }
}

void InstructionReader::destination(unsigned rows) {
  const std::string_view text = next();
  const auto name = register_name(text.substr(0, text.find('.')));
  if (!name) {
    unsupported(fmt::format("operand '{}'", printable(text)));
  }
  set_destination(*name, rows);
}

void InstructionReader::set_destination(const RegisterName& name, unsigned rows) {
  instruction.destination = name.zero ? sink_row : note_register(name, rows);
  instruction.has_destination = true;
}

std::uint16_t InstructionReader::note_register(const RegisterName& name, unsigned rows) {
  unsigned& used = name.uniform ? uniform_used_ : general_used_;
  used = std::max(used, name.number + rows);
  return static_cast<std::uint16_t>(name.uniform ? uniform_rows + name.number : name.number);
}

Source InstructionReader::register_source(const RegisterName& name, unsigned rows) {
  if (name.zero) {
    return rows == 1 ? Source{} : pool_source(std::vector<PoolEntry>(rows));
  }
  Source source;
  source.pool = false;
  source.row = note_register(name, rows);
  return source;
}

Source InstructionReader::pool_source(const std::vector<PoolEntry>& entries) {
  auto& pool = code_.pool;
  const auto found = std::ranges::search(pool, entries).begin();
  const auto row = static_cast<std::size_t>(found - pool.begin());
  if (found == pool.end()) {
    pool.insert(pool.end(), entries.begin(), entries.end());
  }
  if (pool.size() > 0xffff) {
    unsupported("number of different constants");
  }
  Source source;
  source.row = static_cast<std::uint16_t>(row);
  return source;
}

Source InstructionReader::immediate(std::uint32_t value) {
  return pool_source({PoolEntry{false, value, 0, 0}});
}

Source InstructionReader::immediate64(std::uint64_t value) {
  return pool_source({PoolEntry{false, static_cast<std::uint32_t>(value), 0, 0},
                      PoolEntry{false, static_cast<std::uint32_t>(value >> 32), 0, 0}});
}

std::optional<Source> InstructionReader::literal(std::string_view text, Immediates kind,
                                                 unsigned rows) {
  if (kind == Immediates::integer) {
    const auto value = integer_value(text);
    if (!value || rows > 2) {
      return std::nullopt;
    }
    return rows == 2 ? immediate64(static_cast<std::uint64_t>(*value))
                     : immediate(static_cast<std::uint32_t>(*value));
  }
  const auto value = float_value(text);
  if (!value) {
    return std::nullopt;
  }
  if (kind == Immediates::f64) {
    return immediate64(std::bit_cast<std::uint64_t>(*value));
  }
  if (kind == Immediates::f32) {
    return immediate(std::bit_cast<std::uint32_t>(static_cast<float>(*value)));
  }
  const auto low = float_value(next());
  if (!low) {
    unsupported("immediate");
  }
  return immediate(half_bits(*value, kind) << 16 | half_bits(*low, kind));
}

Source InstructionReader::source(Immediates kind, unsigned rows) {
  std::string_view text = next();
  const std::string_view whole = text;
  if (const auto value = literal(text, kind, rows)) {
    return *value;
  }
  bool negate = false;
  bool absolute = false;
  bool invert = false;
  if (text.starts_with('-')) {
    negate = true;
    text.remove_prefix(1);
  } else if (text.starts_with('~')) {
    invert = true;
    text.remove_prefix(1);
  }
  std::string_view suffixes;
  if (text.starts_with('|')) {
    const std::size_t close = text.find('|', 1);
    if (close == std::string_view::npos) {
      unsupported(fmt::format("operand '{}'", printable(whole)));
    }
    absolute = true;
    suffixes = text.substr(close + 1);
    text = text.substr(1, close - 1);
  }
  if (!text.starts_with("c[")) {
    const std::size_t dot = text.find('.');
    if (dot != std::string_view::npos) {
      suffixes = text.substr(dot);
      text = text.substr(0, dot);
    }
  } else if (!text.ends_with(']')) {
    const std::size_t end = text.rfind(']');
    suffixes = text.substr(end + 1);
    text = text.substr(0, end + 1);
  }
  Source result;
  if (const auto name = register_name(text)) {
    result = register_source(*name, rows);
  } else if (const auto constant = constant_name(text)) {
    std::vector<PoolEntry> entries;
    for (unsigned i = 0; i < rows; ++i) {
      entries.push_back({true, 0, constant->bank, constant->offset_bytes + 4 * i});
    }
    result = pool_source(entries);
  } else {
    unsupported(fmt::format("operand '{}'", printable(whole)));
  }
  result.negate = negate;
  result.absolute = absolute;
  result.invert = invert;
  for (const std::string& suffix : split(suffixes, '.')) {
    if (suffix.empty() || suffix == "reuse" || suffix == "64" || suffix == "F32x2" ||
        suffix == "HI_LO" || suffix == "H1_H0" || suffix == "B0" || suffix == "H0") {
      continue;
    }
    if (suffix == "H0_H0") {
      result.half = 1;
    } else if (suffix == "H1_H1") {
      result.half = 2;
    } else if (suffix == "H0_H1") {
      result.half = 3;
    } else if (suffix == "H1" || suffix == "B2") {
      result.byte = 2;
    } else if (suffix == "B1") {
      result.byte = 1;
    } else if (suffix == "B3") {
      result.byte = 3;
    } else {
      unsupported(fmt::format("operand '{}'", printable(whole)));
    }
  }
  return result;
}

void InstructionReader::sources(std::size_t count, Immediates kind, unsigned rows) {
  for (std::size_t i = 0; i < count; ++i) {
    instruction.sources[i] = source(kind, rows);
  }
}

std::int64_t InstructionReader::immediate_operand() {
  const std::string_view text = next();
  const auto value = integer_value(text);
  if (!value) {
    unsupported(fmt::format("operand '{}'", printable(text)));
  }
  return *value;
}

}  // namespace perfmodel::sass
