#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "model/error.hpp"
#include "model/sass/instruction.hpp"
#include "model/sass/number_format.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

// Rows of uniform registers are numbered from here until the number of general registers is known.
constexpr std::uint16_t uniform_rows = 0x400;
constexpr std::uint16_t sink_row = 0x800;

/// Splits at commas outside brackets; blanks around a piece are dropped.
std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t start = 0;
  const auto add = [&](std::size_t end) {
    std::string_view piece = text.substr(start, end - start);
    while (!piece.empty() && piece.front() == ' ') {
      piece.remove_prefix(1);
    }
    while (!piece.empty() && piece.back() == ' ') {
      piece.remove_suffix(1);
    }
    if (!piece.empty()) {
      pieces.push_back(piece);
    }
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' || text[i] == '(') {
      ++depth;
    } else if (text[i] == ']' || text[i] == ')') {
      --depth;
    } else if (text[i] == ',' && depth == 0) {
      add(i);
      start = i + 1;
    }
  }
  add(text.size());
  return pieces;
}

std::optional<unsigned> number_behind(std::string_view text, std::string_view prefix,
                                      unsigned limit) {
  if (!text.starts_with(prefix)) {
    return std::nullopt;
  }
  text.remove_prefix(prefix.size());
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value >= limit) {
    return std::nullopt;
  }
  return value;
}

/// What a register operand names, without its modifiers.
struct RegisterName {
  bool uniform = false;
  bool zero = false;
  unsigned number = 0;
};

std::optional<RegisterName> register_name(std::string_view text) {
  if (text == "RZ") {
    return RegisterName{false, true, 0};
  }
  if (text == "URZ") {
    return RegisterName{true, true, 0};
  }
  if (const auto number = number_behind(text, "UR", 255)) {
    return RegisterName{true, false, *number};
  }
  if (const auto number = number_behind(text, "R", 255)) {
    return RegisterName{false, false, *number};
  }
  return std::nullopt;
}

std::optional<std::int64_t> integer_value(std::string_view text) {
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(negative ? 0 - value : value);
}

std::optional<double> float_value(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view bare = text;
  if (negative || text.starts_with('+')) {
    bare.remove_prefix(1);
  }
  double value = 0;
  if (bare == "INF") {
    value = std::numeric_limits<double>::infinity();
  } else if (bare == "QNAN" || bare == "SNAN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    const auto [end, error] = std::from_chars(bare.data(), bare.data() + bare.size(), value);
    // A value below the smallest double still has a sign.
    if ((error != std::errc{} && error != std::errc::result_out_of_range) ||
        end != bare.data() + bare.size() || bare.empty()) {
      return std::nullopt;
    }
  }
  return negative ? -value : value;
}

/// How an immediate is written for an instruction.
enum class Immediates : std::uint8_t { integer, f32, f64, f16x2, bf16x2 };

class Decoder {
 public:
  Decoder(const Function& function, int sm, const DecodeOptions& options)
      : function_(function), sm_(sm), options_(options) {
    code_.pool.push_back({});
  }

  Code run() {
    code_.instructions.reserve(function_.instructions.size());
    for (position_ = 0; position_ < function_.instructions.size(); ++position_) {
      code_.instructions.push_back(one());
    }
    settle_rows();
    return std::move(code_);
  }

 private:
  using Member = void (Decoder::*)();
  struct Entry {
    Member decode;
    Op op;
    Pipe pipe;
  };
  static const std::map<std::string_view, Entry>& table();

  // --- one instruction ---------------------------------------------------------------------

  Instruction one() {
    const ListedInstruction& listed = function_.instructions[position_];
    instruction_ = {};
    modifiers_ = split(listed.opcode, '.');
    base_ = modifiers_.front();
    modifiers_.erase(modifiers_.begin());
    operands_ = split_operands(listed.operands);
    next_ = 0;
    if (!listed.predicate.empty()) {
      decode_guard(listed.predicate);
    }
    std::string_view base = base_;
    auto entry = table().find(base);
    if (entry == table().end() && base.starts_with('U')) {
      base.remove_prefix(1);
      entry = table().find(base);
      instruction_.uniform = entry != table().end() && has_uniform_twin(entry->second.op);
      if (!instruction_.uniform) {
        entry = table().end();
      }
    }
    if (entry == table().end()) {
      return not_known("opcode");
    }
    instruction_.op = entry->second.op;
    instruction_.pipe = instruction_.uniform ? Pipe::uniform : entry->second.pipe;
    try {
      (this->*entry->second.decode)();
      require_no_rest();
    } catch (const NotKnown& what) {
      return not_known(what.part);
    }
    return instruction_;
  }

  struct NotKnown {
    std::string part;
  };

  static bool has_uniform_twin(Op op) {
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

  Instruction not_known(const std::string& part) {
    const ListedInstruction& listed = function_.instructions[position_];
    if (!options_.count_unknown) {
      fail(fmt::format(
          "{}: the {} of '{} {}' at address {:#06x} (sm_{}) is not known to the emulator; report "
          "this line as a defect of perfmodel, or count and flag such instructions with "
          "--count-unknown",
          printable(function_.name), part, printable(listed.opcode), printable(listed.operands),
          position_ * instruction_bytes, sm_));
    }
    const PredicateSource guard = instruction_.guard;
    instruction_ = {};
    instruction_.guard = guard;
    instruction_.op = Op::unknown;
    // What it may write: the first register and the predicates in front of it.
    next_ = 0;
    for (const std::string_view operand : operands_) {
      if (const auto name = register_name(operand)) {
        instruction_.destination = destination_row(*name, 1);
        instruction_.has_destination = true;
        break;
      }
      if (!predicate(operand)) {
        break;
      }
    }
    return instruction_;
  }

  [[noreturn]] static void unsupported(std::string part) { throw NotKnown{std::move(part)}; }

  void require_no_rest() {
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

  // --- pieces ------------------------------------------------------------------------------

  bool take(std::string_view modifier) {
    const auto found = std::ranges::find(modifiers_, modifier);
    if (found == modifiers_.end()) {
      return false;
    }
    modifiers_.erase(found);
    return true;
  }

  [[nodiscard]] bool more() const { return next_ < operands_.size(); }

  std::string_view next() {
    if (!more()) {
      unsupported("number of operands");
    }
    return operands_[next_++];
  }

  static std::optional<PredicateSource> predicate(std::string_view text) {
    PredicateSource source;
    if (text.starts_with('!')) {
      source.negate = true;
      text.remove_prefix(1);
    }
    if (text == "PT") {
      source.index = predicate_true;
    } else if (text == "UPT") {
      source.index = predicate_true + 8;
    } else if (const auto p = number_behind(text, "P", 7)) {
      source.index = static_cast<std::uint8_t>(*p);
    } else if (const auto up = number_behind(text, "UP", 7)) {
      source.index = static_cast<std::uint8_t>(*up + 8);
    } else {
      return std::nullopt;
    }
    return source;
  }

  void decode_guard(std::string_view text) {
    if (text.starts_with('@')) {
      text.remove_prefix(1);
    }
    const auto source = predicate(text);
    if (!source) {
      fail(fmt::format("{}: guard '{}' at address {:#06x} is not a predicate",
                       printable(function_.name), printable(text), position_ * instruction_bytes));
    }
    instruction_.guard = *source;
  }

  [[nodiscard]] bool at_predicate() const {
    return more() && predicate(operands_[next_]).has_value();
  }

  PredicateSource next_predicate() {
    const auto source = predicate(next());
    if (!source) {
      unsupported(fmt::format("operand '{}'", printable(operands_[next_ - 1])));
    }
    return *source;
  }

  void predicate_destinations(std::size_t least, std::size_t most) {
    for (std::size_t i = 0; i < most && (i < least || at_predicate()); ++i) {
      instruction_.predicate_destinations[i] = next_predicate().index;
    }
  }

  void predicate_source(std::size_t slot) { instruction_.predicates[slot] = next_predicate(); }
  void optional_predicate_source(std::size_t slot) {
    if (at_predicate()) {
      predicate_source(slot);
    }
  }

  /// `rows`: consecutive registers written.
  std::uint16_t destination_row(const RegisterName& name, unsigned rows) {
    if (name.zero) {
      return sink_row;
    }
    note_register(name, rows);
    return static_cast<std::uint16_t>(name.uniform ? uniform_rows + name.number : name.number);
  }

  void destination(unsigned rows = 1) {
    const std::string_view text = next();
    const auto name = register_name(text.substr(0, text.find('.')));
    if (!name) {
      unsupported(fmt::format("operand '{}'", printable(text)));
    }
    instruction_.destination = destination_row(*name, rows);
    instruction_.has_destination = true;
  }

  void note_register(const RegisterName& name, unsigned rows) {
    unsigned& used = name.uniform ? uniform_used_ : general_used_;
    used = std::max(used, name.number + rows);
  }

  Source pool_source(const std::vector<PoolEntry>& entries) {
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

  Source immediate(std::uint32_t value) { return pool_source({PoolEntry{false, value, 0, 0}}); }
  Source immediate64(std::uint64_t value) {
    return pool_source({PoolEntry{false, static_cast<std::uint32_t>(value), 0, 0},
                        PoolEntry{false, static_cast<std::uint32_t>(value >> 32), 0, 0}});
  }

  /// "c[0x0][0x28]" with a fixed offset.
  std::optional<Source> constant(std::string_view text, unsigned rows) {
    if (!text.starts_with("c[")) {
      return std::nullopt;
    }
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos || !text.substr(close).starts_with("][") ||
        !text.ends_with(']')) {
      return std::nullopt;
    }
    const auto bank = integer_value(text.substr(2, close - 2));
    const auto offset = integer_value(text.substr(close + 2, text.size() - close - 3));
    if (!bank || !offset || *bank < 0 || *bank > 31 || *offset < 0 || *offset > 0xffff) {
      return std::nullopt;
    }
    std::vector<PoolEntry> entries;
    for (unsigned i = 0; i < rows; ++i) {
      entries.push_back(
          {true, 0, static_cast<std::uint8_t>(*bank), static_cast<std::uint32_t>(*offset) + 4 * i});
    }
    return pool_source(entries);
  }

  static std::uint32_t half_bits(double value, Immediates kind) {
    return half_from_float(static_cast<float>(value), kind == Immediates::bf16x2);
  }

  /// Register, constant or immediate. `rows`: 2 for 64-bit operands.
  Source source(Immediates kind = Immediates::integer, unsigned rows = 1) {
    std::string_view text = next();
    const std::string_view whole = text;
    Source result;
    if (kind == Immediates::integer) {
      if (const auto value = integer_value(text)) {
        return rows == 2 ? immediate64(static_cast<std::uint64_t>(*value))
                         : immediate(static_cast<std::uint32_t>(*value));
      }
    } else if (kind == Immediates::f16x2 || kind == Immediates::bf16x2) {
      if (const auto high = float_value(text)) {
        const auto low = float_value(next());
        if (!low) {
          unsupported("immediate");
        }
        return immediate(half_bits(*high, kind) << 16 | half_bits(*low, kind));
      }
    } else if (const auto value = float_value(text)) {
      return kind == Immediates::f64
                 ? immediate64(std::bit_cast<std::uint64_t>(*value))
                 : immediate(std::bit_cast<std::uint32_t>(static_cast<float>(*value)));
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
    if (const auto name = register_name(text)) {
      if (!name->zero) {
        note_register(*name, rows);
        result.pool = false;
        result.row =
            static_cast<std::uint16_t>(name->uniform ? uniform_rows + name->number : name->number);
      } else if (rows == 2) {
        result = immediate64(0);
      }
    } else if (const auto bank = constant(text, rows)) {
      result = *bank;
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

  void sources(std::size_t count, Immediates kind = Immediates::integer, unsigned rows = 1) {
    for (std::size_t i = 0; i < count; ++i) {
      instruction_.sources[i] = source(kind, rows);
    }
  }

  std::int64_t immediate_operand() {
    const std::string_view text = next();
    const auto value = integer_value(text);
    if (!value) {
      unsupported(fmt::format("operand '{}'", printable(text)));
    }
    return *value;
  }

  std::optional<Rounding> take_rounding() {
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

  void float_modifiers() {
    instruction_.flush = take("FTZ");
    instruction_.saturate = take("SAT");
    instruction_.rounding = take_rounding().value_or(Rounding::nearest);
  }

  bool take_compare(Compare& compare) {
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

  void comparison() {
    if (!take_compare(instruction_.compare)) {
      unsupported("comparison");
    }
    if (take("OR")) {
      instruction_.combine = Combine::or_;
    } else if (take("XOR")) {
      instruction_.combine = Combine::xor_;
    } else {
      take("AND");
    }
  }

  /// The integer types that a modifier can name.
  std::optional<Number> take_integer_type() {
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

  std::optional<Number> take_float_type() {
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

  static unsigned rows_of(Number number) {
    return number == Number::u64 || number == Number::s64 || number == Number::f64 ? 2 : 1;
  }

  // --- integer -----------------------------------------------------------------------------

  void decode_mov() {
    if (take("64")) {
      instruction_.op = Op::mov64;
      destination(2);
      sources(1, Immediates::integer, 2);
      return;
    }
    destination();
    sources(1);
    if (more()) {
      immediate_operand();  // lane mask of the encoding, always 0xf
    }
  }

  void decode_sel() {
    const bool wide = take("64");
    if (wide) {
      instruction_.op = Op::sel64;
    }
    destination(wide ? 2 : 1);
    sources(2, Immediates::integer, wide ? 2 : 1);
    predicate_source(0);
  }

  void decode_iadd3() {
    instruction_.extended = take("X");
    const bool wide = take("64");
    if (wide) {
      instruction_.op = Op::iadd64;
    }
    destination(wide ? 2 : 1);
    predicate_destinations(0, 2);
    sources(3, Immediates::integer, wide ? 2 : 1);
    carry_sources();
  }

  /// One, the other or both carries may be written.
  void carry_sources() {
    // Where none is written there is no carry; PT would be one.
    instruction_.predicates[0] = instruction_.predicates[1] = {predicate_true, true};
    for (std::size_t slot = 0; slot < 2 && at_predicate(); ++slot) {
      predicate_source(slot);
    }
  }

  void decode_iadd() {
    instruction_.extended = take("X");
    if (take_packed_type()) {
      instruction_.packed = Packed::add;
      destination();
      sources(2);
      return;
    }
    const bool wide = take("64");
    if (wide) {
      instruction_.op = Op::iadd64;
    }
    destination(wide ? 2 : 1);
    predicate_destinations(0, 1);
    sources(2, Immediates::integer, wide ? 2 : 1);
    instruction_.sources[2] = wide ? immediate64(0) : Source{};
    carry_sources();
  }

  void decode_imad() {
    const bool wide = take("WIDE");
    instruction_.high = take("HI");
    instruction_.extended = take("X");
    instruction_.from = take("U32") ? Number::u32 : Number::s32;
    take("MOV");
    take("IADD");
    take("SHL");
    if (wide) {
      instruction_.op = Op::imad_wide;
    } else if (instruction_.high) {
      instruction_.op = Op::imad_hi;
    }
    destination(wide ? 2 : 1);
    predicate_destinations(0, 1);
    sources(2);
    instruction_.sources[2] = source(Immediates::integer, wide || instruction_.high ? 2 : 1);
    carry_sources();
  }

  void decode_lea() {
    instruction_.high = take("HI");
    instruction_.extended = take("X");
    instruction_.sign_extend = take("SX32");
    if (instruction_.high) {
      instruction_.op = Op::lea_hi;
    }
    destination();
    predicate_destinations(0, 1);
    sources(2);
    if (instruction_.high && !instruction_.sign_extend) {
      instruction_.sources[2] = source();
    }
    instruction_.shift = static_cast<std::uint8_t>(immediate_operand() & 31);
    carry_sources();
  }

  void decode_shf() {
    instruction_.left = take("L");
    if (!instruction_.left && !take("R")) {
      unsupported("direction");
    }
    instruction_.wrap = take("W");
    instruction_.high = take("HI");
    take("LO");
    instruction_.from = take_integer_type().value_or(Number::u32);
    destination();
    sources(3);
  }

  void decode_lop3() {
    take("LUT");
    if (take("PAND")) {
      instruction_.combine = Combine::and_;
    } else {
      instruction_.combine = Combine::or_;
    }
    predicate_destinations(0, 1);
    destination();
    sources(3);
    instruction_.lut = static_cast<std::uint8_t>(immediate_operand());
    optional_predicate_source(0);
  }

  /// "S16x2": narrow integers side by side.
  bool take_packed_type() {
    static constexpr std::array<std::tuple<std::string_view, std::uint8_t, Number>, 6> types = {
        {{"16x2", 16, Number::s32},
         {"S16x2", 16, Number::s32},
         {"U16x2", 16, Number::u32},
         {"8x4", 8, Number::s32},
         {"S8x4", 8, Number::s32},
         {"U8x4", 8, Number::u32}}};
    return std::ranges::any_of(types, [&](const auto& type) {
      const auto& [name, bits, number] = type;
      if (!take(name)) {
        return false;
      }
      instruction_.op = Op::packed_integer;
      instruction_.element_bits = bits;
      instruction_.from = number;
      return true;
    });
  }

  /// Places for which of the operands was chosen; nvcc does not use them.
  void no_predicate_destinations() {
    while (next_ + 1 < operands_.size() && operands_[next_] == "PT") {
      ++next_;
    }
  }

  void decode_imnmx() {
    instruction_.relu = take("RELU");
    if (take_packed_type()) {
      instruction_.packed = Packed::extreme;
      destination();
      no_predicate_destinations();
      sources(2);
      predicate_source(0);
      return;
    }
    instruction_.from = take_integer_type().value_or(Number::s32);
    if (rows_of(instruction_.from) == 2) {
      instruction_.op = Op::imnmx64;
      predicate_destinations(0, 2);
      destination(2);
      sources(2, Immediates::integer, 2);
      predicate_source(0);
      // Joins it to a comparison of wider numbers; nvcc uses no other than these.
      if (next_ < operands_.size() && operands_[next_] != "!PT" && operands_[next_] != "!UPT") {
        unsupported(fmt::format("operand '{}'", printable(operands_[next_])));
      }
      next_ = operands_.size();
      return;
    }
    destination();
    predicate_destinations(0, 2);
    sources(2);
    predicate_source(0);
  }

  void decode_viaddmnmx() {
    instruction_.relu = take("RELU");
    if (take_packed_type()) {
      instruction_.packed = Packed::add_extreme;
    } else {
      instruction_.from = take_integer_type().value_or(Number::s32);
    }
    destination();
    sources(3);
    predicate_source(0);
  }

  void decode_vimnmx3() {
    instruction_.relu = take("RELU");
    if (!take_packed_type()) {
      instruction_.from = take_integer_type().value_or(Number::s32);
    }
    instruction_.packed = Packed::extreme3;
    destination();
    sources(3);
    predicate_source(0);
  }

  void decode_vabsdiff() {
    instruction_.packed = Packed::difference;
    instruction_.from = take_integer_type().value_or(Number::s32);
    if (base_.ends_with('4')) {
      instruction_.element_bits = 8;
      instruction_.from = instruction_.from == Number::u8 ? Number::u32 : Number::s32;
      instruction_.high = take("ACC");
    }
    destination();
    sources(3);
  }

  void decode_isetp() {
    comparison();
    instruction_.extended = take("EX");
    instruction_.from = take_integer_type().value_or(Number::s32);
    predicate_destinations(1, 2);
    sources(2, Immediates::integer, rows_of(instruction_.from));
    predicate_source(0);
    instruction_.predicates[1] = {predicate_true, false};
    optional_predicate_source(1);
  }

  void decode_unary() {
    destination();
    sources(1);
  }

  void decode_flo() {
    instruction_.from = take("U32") ? Number::u32 : Number::s32;
    instruction_.sign_extend = take("SH");
    destination();
    predicate_destinations(0, 1);
    sources(1);
  }

  void decode_prmt() {
    static constexpr std::array<std::pair<std::string_view, Permute>, 7> modes = {
        {{"IDX", Permute::index},
         {"F4E", Permute::f4e},
         {"B4E", Permute::b4e},
         {"RC8", Permute::rc8},
         {"ECL", Permute::ecl},
         {"ECR", Permute::ecr},
         {"RC16", Permute::rc16}}};
    for (const auto& [name, mode] : modes) {
      if (take(name)) {
        instruction_.permute = mode;
      }
    }
    destination();
    sources(3);
  }

  void decode_sgxt() {
    instruction_.wrap = take("W");
    instruction_.from = take("U32") ? Number::u32 : Number::s32;
    destination();
    sources(2);
  }

  void decode_dp4a() {
    if (take("2A")) {
      instruction_.op = Op::dp2a;
      instruction_.high = take("HI");
      take("LO");
      instruction_.from = take_integer_type().value_or(Number::s16);
      instruction_.to = take_integer_type().value_or(Number::s8);
    } else if (take("4A")) {
      instruction_.from = take_integer_type().value_or(Number::s8);
      instruction_.to = take_integer_type().value_or(instruction_.from);
    } else {
      unsupported("variant");
    }
    destination();
    sources(3);
  }

  // --- predicates --------------------------------------------------------------------------

  void decode_plop3() {
    take("LUT");
    predicate_destinations(2, 2);
    for (std::size_t slot = 0; slot < 3; ++slot) {
      predicate_source(slot);
    }
    instruction_.lut = static_cast<std::uint8_t>(immediate_operand());
    instruction_.lut2 = static_cast<std::uint8_t>(immediate_operand());
  }

  void byte_modifier() {
    for (std::uint8_t byte = 1; byte < 4; ++byte) {
      if (take(fmt::format("B{}", byte))) {
        instruction_.shift = static_cast<std::uint8_t>(8 * byte);
      }
    }
  }

  void decode_p2r() {
    byte_modifier();
    destination();
    if (next() != "PR") {
      unsupported("operands");
    }
    sources(2);
  }

  void decode_r2p() {
    byte_modifier();
    if (next() != "PR") {
      unsupported("operands");
    }
    sources(2);
  }

  // --- floating point ----------------------------------------------------------------------

  void decode_f32() {
    float_modifiers();
    destination();
    sources(instruction_.op == Op::ffma ? 3 : 2, Immediates::f32);
  }

  void decode_f32x2() {
    float_modifiers();
    destination(2);
    sources(instruction_.op == Op::ffma2 ? 3 : 2, Immediates::f64, 2);
  }

  void decode_f64() {
    instruction_.rounding = take_rounding().value_or(Rounding::nearest);
    destination(2);
    sources(instruction_.op == Op::dfma ? 3 : 2, Immediates::f64, 2);
  }

  void decode_fmnmx() {
    instruction_.flush = take("FTZ");
    instruction_.extended = take("NAN");
    destination();
    sources(2, Immediates::f32);
    predicate_source(0);
  }

  void decode_fmnmx3() {
    instruction_.flush = take("FTZ");
    instruction_.extended = take("NAN");
    destination();
    sources(3, Immediates::f32);
    predicate_source(0);
  }

  void decode_dmnmx() {
    destination(2);
    sources(2, Immediates::f64, 2);
    predicate_source(0);
  }

  void decode_fsetp() {
    comparison();
    instruction_.flush = take("FTZ");
    predicate_destinations(1, 2);
    const bool wide = instruction_.op == Op::dsetp;
    sources(2, wide ? Immediates::f64 : Immediates::f32, wide ? 2 : 1);
    predicate_source(0);
  }

  void decode_fset() {
    instruction_.high = take("BF");  // 1.0 and 0 instead of all bits
    comparison();
    instruction_.flush = take("FTZ");
    destination();
    sources(2, Immediates::f32);
    predicate_source(0);
  }

  void decode_fsel() {
    instruction_.flush = take("FTZ");
    destination();
    sources(2, Immediates::f32);
    predicate_source(0);
  }

  void decode_fchk() {
    take("DIVIDE");
    predicate_destinations(1, 1);
    sources(2, Immediates::f32);
  }

  void decode_mufu() {
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
      if (take(name)) {
        instruction_.function = function;
        found = true;
      }
    }
    if (!found) {
      unsupported("function");
    }
    destination();
    const bool upper =
        instruction_.function == Function1::rcp64h || instruction_.function == Function1::rsq64h;
    // An immediate is a double, of which the upper half goes in.
    if (upper && float_value(operands_[next_])) {
      const double value = *float_value(next());
      instruction_.sources[0] =
          immediate(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32));
      return;
    }
    sources(1, Immediates::f32);
  }

  Immediates packed_immediates() {
    instruction_.packed_bf16 = take("BF16_V2") || take("BF16");
    return instruction_.packed_bf16 ? Immediates::bf16x2 : Immediates::f16x2;
  }

  void decode_half() {
    const Immediates immediates = packed_immediates();
    instruction_.widen = take("F32");
    instruction_.relu = take("RELU");
    float_modifiers();
    destination();
    sources(instruction_.op == Op::hfma2 ? 3 : 2, immediates);
  }

  void decode_hmnmx2() {
    const Immediates immediates = packed_immediates();
    instruction_.extended = take("NAN");
    destination();
    sources(2, immediates);
    predicate_source(0);
  }

  void decode_hsetp2() {
    const Immediates immediates = packed_immediates();
    comparison();
    instruction_.flush = take("FTZ");
    predicate_destinations(2, 2);
    sources(2, immediates);
    predicate_source(0);
  }

  void decode_hset2() {
    instruction_.high = take("BF");  // 1.0 and 0 instead of all bits
    const Immediates immediates = packed_immediates();
    comparison();
    instruction_.flush = take("FTZ");
    destination();
    sources(2, immediates);
    predicate_source(0);
  }

  // --- conversions -------------------------------------------------------------------------

  void decode_i2f() {
    instruction_.to = take_float_type().value_or(Number::f32);
    instruction_.from = take_integer_type().value_or(Number::s32);
    instruction_.rounding = take_rounding().value_or(Rounding::nearest);
    destination(rows_of(instruction_.to));
    sources(1, Immediates::integer, rows_of(instruction_.from));
  }

  void decode_f2i() {
    instruction_.flush = take("FTZ");
    instruction_.from = take_float_type().value_or(Number::f32);
    instruction_.to = take_integer_type().value_or(Number::s32);
    instruction_.rounding = take_rounding().value_or(Rounding::nearest);
    destination(rows_of(instruction_.to));
    sources(1, instruction_.from == Number::f64 ? Immediates::f64 : Immediates::f32,
            rows_of(instruction_.from));
  }

  void decode_f2f() {
    instruction_.flush = take("FTZ");
    instruction_.saturate = take("SAT");
    instruction_.rounding = take_rounding().value_or(Rounding::nearest);
    instruction_.to = take_float_type().value_or(Number::f32);
    instruction_.from = take_float_type().value_or(Number::f32);
    destination(rows_of(instruction_.to));
    sources(1, instruction_.from == Number::f64 ? Immediates::f64 : Immediates::f32,
            rows_of(instruction_.from));
  }

  void decode_f2fp() {
    if (!take("PACK_AB")) {
      unsupported("format");
    }
    instruction_.to = take_float_type().value_or(Number::f16);
    if (take_float_type().value_or(Number::f32) != Number::f32) {
      unsupported("format");
    }
    instruction_.relu = take("RELU");
    instruction_.rounding = take_rounding().value_or(Rounding::nearest);
    destination();
    sources(2, Immediates::f32);
  }

  void decode_frnd() {
    instruction_.flush = take("FTZ");
    instruction_.from = take_float_type().value_or(Number::f32);
    instruction_.to = take_float_type().value_or(instruction_.from);
    if (instruction_.to != instruction_.from) {
      unsupported("format");
    }
    instruction_.rounding = take_rounding().value_or(Rounding::nearest);
    const unsigned rows = rows_of(instruction_.from);
    destination(rows);
    sources(1, rows == 2 ? Immediates::f64 : Immediates::f32, rows);
  }

  // --- across lanes ------------------------------------------------------------------------

  void decode_s2r() {
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
    instruction_.high = instruction_.op == Op::cs2r && !take("32");
    destination(instruction_.high ? 2 : 1);
    const std::string_view text = next();
    const auto found = names.find(text);
    if (found == names.end()) {
      unsupported(fmt::format("special register '{}'", printable(text)));
    }
    instruction_.special = found->second;
    if (instruction_.op == Op::s2r && text.starts_with("SR_TID.")) {
      instruction_.pipe = Pipe::lsu;  // on an H200 its counter has these, and no other registers
    }
  }

  void decode_s2ur() {
    decode_s2r();
    instruction_.uniform = true;
  }

  void decode_r2ur() {
    take("FILL");
    predicate_destinations(0, 1);
    destination();
    sources(1);
  }

  void vote_mode() {
    if (take("ALL")) {
      instruction_.vote = VoteMode::all;
    } else if (take("EQ")) {
      instruction_.vote = VoteMode::eq;
    } else if (!take("ANY")) {
      unsupported("mode");
    }
  }

  void decode_vote() {
    vote_mode();
    if (!at_predicate()) {
      destination();
    }
    predicate_destinations(1, 1);
    predicate_source(0);
  }

  void decode_voteu() {
    decode_vote();
    instruction_.uniform = true;
  }

  void decode_redux() {
    if (take("SUM")) {
      instruction_.atomic = AtomicOp::add;
    } else if (take("MIN")) {
      instruction_.atomic = AtomicOp::min;
    } else if (take("MAX")) {
      instruction_.atomic = AtomicOp::max;
    } else if (take("OR")) {
      instruction_.atomic = AtomicOp::or_;
    } else if (take("XOR")) {
      instruction_.atomic = AtomicOp::xor_;
    } else {
      take("AND");
      instruction_.atomic = AtomicOp::and_;
    }
    instruction_.from = take("S32") ? Number::s32 : Number::u32;
    destination();
    sources(1);
  }

  void decode_shfl() {
    if (take("UP")) {
      instruction_.shuffle = ShuffleMode::up;
    } else if (take("DOWN")) {
      instruction_.shuffle = ShuffleMode::down;
    } else if (take("BFLY")) {
      instruction_.shuffle = ShuffleMode::bfly;
    } else if (!take("IDX")) {
      unsupported("mode");
    }
    predicate_destinations(1, 1);
    destination();
    sources(3);
  }

  void decode_match() {
    vote_mode();
    const bool wide = take("U64");
    predicate_destinations(0, 1);
    destination();
    sources(1, Immediates::integer, wide ? 2 : 1);
    instruction_.from = wide ? Number::u64 : Number::u32;
  }

  void decode_elect() {
    predicate_destinations(1, 1);
    if (more() && !at_predicate()) {
      destination();
    }
    optional_predicate_source(0);
  }

  // --- memory ------------------------------------------------------------------------------

  void access_size() {
    instruction_.from = Number::u32;
    static constexpr std::array<std::pair<std::string_view, std::uint8_t>, 8> sizes = {
        {{"U8", 1},
         {"S8", 1},
         {"U16", 2},
         {"S16", 2},
         {"32", 4},
         {"64", 8},
         {"128", 16},
         {"256", 32}}};
    for (const auto& [name, bytes] : sizes) {
      if (take(name)) {
        instruction_.access_bytes = bytes;
        instruction_.sign_extend_load = name.starts_with('S');
      }
    }
    if (instruction_.access_bytes == 32) {
      unsupported("width");
    }
  }

  [[nodiscard]] unsigned data_rows() const { return (instruction_.access_bytes + 3U) / 4; }

  /// "desc[UR8][R16.64+0x10]", "[R0.X16+UR6+0x1000]", "[UR4]".
  AddressOperand address_operand(bool global, bool extended) {
    std::string_view text = next();
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
      if (name->zero) {
        into = wide ? immediate64(0) : Source{};
      } else {
        note_register(*name, wide ? 2 : 1);
        into.pool = false;
        into.row =
            static_cast<std::uint16_t>(name->uniform ? uniform_rows + name->number : name->number);
      }
      (name->uniform ? address.uniform64 : address.base64) = wide;
      if (!name->uniform) {
        address.scale_log2 = scale;
      }
    }
    return address;
  }

  void memory_space() {
    switch (base_[base_.size() - 1]) {
      case 'S':
        instruction_.space = MemorySpace::shared;
        break;
      case 'L':
        instruction_.space = MemorySpace::local;
        break;
      case 'G':
        instruction_.space = MemorySpace::global;
        break;
      default:
        instruction_.space = MemorySpace::generic;
    }
  }

  [[nodiscard]] bool in_global() const {
    return instruction_.space == MemorySpace::global || instruction_.space == MemorySpace::generic;
  }

  void decode_load() {
    memory_space();
    access_size();
    const bool extended = take("E");
    predicate_destinations(0, 1);
    destination(data_rows());
    instruction_.address = address_operand(in_global(), extended);
    optional_predicate_source(0);
  }

  void decode_store() {
    memory_space();
    access_size();
    const bool extended = take("E");
    instruction_.address = address_operand(in_global(), extended);
    instruction_.sources[0] = source(Immediates::integer, data_rows());
    note_wide_source(instruction_.sources[0], data_rows());
  }

  void note_wide_source(const Source& source, unsigned rows) {
    if (!source.pool) {
      const bool uniform = source.row >= uniform_rows;
      note_register({uniform, false, uniform ? source.row - uniform_rows + 0U : source.row}, rows);
    } else if (source.row == 0 && rows > 1) {
      // Zeros for every register of a wide store.
      instruction_.sources[0] = pool_source(std::vector<PoolEntry>(rows));
    }
  }

  void decode_ldc() {
    if (base_.starts_with('U') || base_ == "LDCU") {
      instruction_.uniform = true;
      instruction_.pipe = Pipe::uniform;
    }
    take("IL");
    take("IS");
    take("ISL");
    instruction_.space = MemorySpace::constant;
    access_size();
    destination(data_rows());
    const std::string_view text = next();
    const std::string_view whole = text;
    const std::size_t close = text.find(']');
    if (!text.starts_with("c[") || close == std::string_view::npos ||
        !text.substr(close).starts_with("][") || !text.ends_with(']')) {
      unsupported(fmt::format("operand '{}'", printable(whole)));
    }
    const auto bank = integer_value(text.substr(2, close - 2));
    if (!bank || *bank < 0 || *bank > 31) {
      unsupported(fmt::format("constant bank of '{}'", printable(whole)));
    }
    instruction_.bank = static_cast<std::uint8_t>(*bank);
    operands_[next_ - 1] = text.substr(close + 1);
    --next_;
    instruction_.address = address_operand(false, false);
  }

  void atomic_operation() {
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
    if (take("POPC")) {
      // One per lane, combined by the hardware.
      take("INC");
      instruction_.atomic = AtomicOp::add;
      instruction_.high = true;
      found = true;
    }
    for (const auto& [name, operation] : names) {
      if (!found && take(name)) {
        instruction_.atomic = operation;
        found = true;
      }
    }
    if (!found) {
      unsupported("operation");
    }
    instruction_.from = Number::u32;
    if (take("64")) {
      instruction_.from = Number::u64;
    }
    if (take("S32")) {
      instruction_.from = Number::s32;
    } else if (take("S64")) {
      instruction_.from = Number::s64;
    } else if (take("F16x2")) {
      instruction_.from = Number::f16;
    } else if (take("BF16x2")) {
      instruction_.from = Number::bf16;
    } else if (const auto number = take_float_type()) {
      instruction_.from = *number;
    }
    take("U32");
    take("32");
    take("FTZ");
    instruction_.access_bytes = rows_of(instruction_.from) == 2 ? 8 : 4;
  }

  void decode_atomic() {
    if (base_ == "ATOMS") {
      instruction_.space = MemorySpace::shared;
    } else {
      instruction_.space = base_ == "ATOM" ? MemorySpace::generic : MemorySpace::global;
    }
    const bool extended = take("E") || in_global();
    atomic_operation();
    predicate_destinations(0, 1);
    if (operands_.size() > next_ && register_name(operands_[next_])) {
      destination(data_rows());
    }
    instruction_.address = address_operand(in_global(), extended);
    atomic_values();
  }

  void decode_red() {
    instruction_.space = MemorySpace::global;
    take("E");
    atomic_operation();
    instruction_.address = address_operand(true, true);
    instruction_.destination = sink_row;
    atomic_values();
  }

  void atomic_values() {
    if (instruction_.high) {
      instruction_.sources[0] = immediate(1);
      return;
    }
    instruction_.sources[0] = source(Immediates::integer, data_rows());
    if (instruction_.atomic == AtomicOp::cas || instruction_.atomic == AtomicOp::cast) {
      if (more() && !at_predicate()) {
        instruction_.sources[1] = source(Immediates::integer, data_rows());
      } else {
        unsupported("operands");
      }
    }
    if (at_predicate()) {
      next_predicate();
    }
  }

  void decode_qspc() {
    take("E");
    instruction_.space = MemorySpace::global;
    if (take("S")) {
      instruction_.space = MemorySpace::shared;
    } else if (take("L")) {
      instruction_.space = MemorySpace::local;
    }
    take("G");
    predicate_destinations(1, 1);
    destination();
    const AddressOperand address = address_operand(true, true);
    instruction_.sources[0] = address.base;
    instruction_.address.offset = address.offset;
  }

  void decode_ldgsts() {
    instruction_.space = MemorySpace::global;
    take("BYPASS");
    take("ACCESS");
    const bool extended = take("E");
    access_size();
    // Before sm_90 both addresses are one operand, "[R11][R6.64]".
    const std::size_t end = more() ? operands_[next_].find("][") : std::string_view::npos;
    if (end != std::string_view::npos && operands_[next_].starts_with('[')) {
      const std::string_view both = operands_[next_];
      operands_[next_] = both.substr(0, end + 1);
      operands_.insert(operands_.begin() + static_cast<std::ptrdiff_t>(next_) + 1,
                       both.substr(end + 1));
    }
    instruction_.address = address_operand(false, false);
    instruction_.address2 = address_operand(true, extended);
    optional_predicate_source(0);
  }

  void decode_ldsm() {
    instruction_.space = MemorySpace::shared;
    take("16");
    if (take("MT88")) {
      instruction_.transposed = true;
    } else if (!take("M88")) {
      unsupported("shape");
    }
    instruction_.matrices = 1;
    if (take("2")) {
      instruction_.matrices = 2;
    } else if (take("4")) {
      instruction_.matrices = 4;
    }
    instruction_.access_bytes = 16;
    destination(instruction_.matrices);
    instruction_.address = address_operand(false, false);
  }

  // --- control -----------------------------------------------------------------------------

  void jump_target() {
    const std::string_view text = next();
    std::int64_t address = -1;
    if (const auto value = integer_value(text)) {
      address = *value;
    } else {
      address = label_address(text);
    }
    const auto count = static_cast<std::int64_t>(function_.instructions.size());
    if (address < 0 || address % instruction_bytes != 0 || address / instruction_bytes >= count) {
      unsupported(fmt::format("target '{}'", printable(text)));
    }
    instruction_.target = static_cast<std::int32_t>(address / instruction_bytes);
  }

  [[nodiscard]] std::int64_t label_address(std::string_view text) const {
    if (text == function_.name) {
      return 0;
    }
    for (const CodeLabel& label : function_.labels) {
      if (label.name == text) {
        return label.address;
      }
    }
    unsupported(fmt::format("target '{}'", printable(text)));
  }

  void decode_bra() {
    const bool when_together = take("CONV");
    if (when_together || take("DIV")) {
      // Taken where the lanes of the mask, or of the warp, are all here; or where they are not.
      instruction_.high = true;
      instruction_.left = when_together;
      instruction_.sources[0] = operands_.size() > 1 ? source() : immediate(0xffffffffU);
    }
    take("ANY");
    take("INC");
    take("DEC");
    optional_predicate_source(0);
    jump_target();
  }

  void decode_brx() {
    code_.calls = true;
    sources(1, Immediates::integer, 2);
    const std::int64_t offset = more() ? immediate_operand() : 0;
    instruction_.address.offset =
        static_cast<std::int64_t>((position_ + 1) * instruction_bytes) + offset;
    while (more()) {
      next();  // comments on possible targets
    }
  }

  void decode_lepc() {
    instruction_.op = Op::mov64;
    destination(2);
    sources(1, Immediates::integer, 2);
  }

  void decode_call() {
    code_.calls = true;
    if (take("ABS")) {
      // A function of the system, such as printf's: not run; its result, in R4, becomes zero.
      instruction_.op = Op::not_computed;
      instruction_.destination = destination_row({false, false, 4}, 4);
      instruction_.has_destination = true;
      modifiers_.clear();
      next_ = operands_.size();
      return;
    }
    jump_target();
  }

  void decode_ret() {
    code_.calls = true;
    if (take("ABS")) {
      unsupported("form");
    }
    sources(1, Immediates::integer, 2);
    const std::string_view text = next();
    const auto value = integer_value(text);
    instruction_.address.offset = value ? *value : label_address(text);
  }

  void decode_exit() {
    take("KEEPREFCOUNT");
    take("PREEMPTED");
    optional_predicate_source(0);
  }

  void barrier_register() {
    const std::string_view text = next();
    const auto number = number_behind(text, "B", 16);
    if (!number) {
      unsupported(fmt::format("operand '{}'", printable(text)));
    }
    instruction_.barrier_register = static_cast<std::uint8_t>(*number);
  }

  void decode_bssy() {
    barrier_register();
    jump_target();
  }

  void decode_bsync() {
    barrier_register();
    optional_predicate_source(0);
  }

  void decode_break() {
    optional_predicate_source(0);
    barrier_register();
  }

  void decode_bmov() {
    take("32");
    instruction_.high = take("CLEAR");
    if (more() && number_behind(operands_[next_], "B", 16)) {
      instruction_.op = Op::bmov_to;
      barrier_register();
      sources(1);
    } else {
      destination();
      barrier_register();
    }
  }

  void decode_warpsync() {
    if (take("COLLECTIVE")) {
      instruction_.op = Op::nop;
      next_ = operands_.size();
      return;
    }
    take("EXCLUSIVE");
    const bool all = take("ALL");
    take("RECONVERGENT");
    if (all || !more()) {
      instruction_.sources[0] = immediate(0xffffffffU);
    } else {
      sources(1);
    }
    while (more()) {
      next();
    }
  }

  void decode_bar() {
    instruction_.barrier_arrive = take("ARV");
    instruction_.barrier_reduce = take("RED");
    take("SYNC");
    if (take("SYNCALL")) {
      return;
    }
    if (instruction_.barrier_reduce) {
      if (take("POPC")) {
        instruction_.atomic = AtomicOp::add;
      } else if (take("AND")) {
        instruction_.atomic = AtomicOp::and_;
      } else if (take("OR")) {
        instruction_.atomic = AtomicOp::or_;
      }
    }
    sources(1);
    if (more() && !at_predicate()) {
      instruction_.sources[1] = source();
    }
    optional_predicate_source(0);
  }

  void decode_b2r() {
    take("RESULT");
    destination();
    predicate_destinations(0, 1);
  }

  void ignore_operands() {
    modifiers_.clear();
    next_ = operands_.size();
  }

  /// Counted and flagged; whatever it writes becomes zero.
  void decode_not_computed() {
    instruction_.zeroed_rows = tensor_result_rows();
    modifiers_.clear();
    while (at_predicate()) {
      const std::uint8_t index = next_predicate().index;
      if (instruction_.predicate_destinations[0] == predicate_true) {
        instruction_.predicate_destinations[0] = index;
      }
    }
    if (more()) {
      const std::string_view text = operands_[next_];
      if (const auto name = register_name(text.substr(0, text.find('.')))) {
        instruction_.destination = destination_row(*name, instruction_.zeroed_rows);
        instruction_.has_destination = true;
      }
    }
    next_ = operands_.size();
  }

  /// Registers per thread of a warp-wide product; of anything else only the first is sure to be a
  /// result, and one too many would overwrite what the program still needs.
  [[nodiscard]] std::uint8_t tensor_result_rows() const {
    const auto has = [&](std::string_view modifier) {
      return std::ranges::find(modifiers_, modifier) != modifiers_.end();
    };
    if (base_ == "HMMA") {
      return has("F32") ? 4 : 2;
    }
    if (base_ == "IMMA" || base_ == "BMMA") {
      return has("8816") || has("8832") || has("88128") ? 2 : 4;
    }
    return base_ == "DMMA" ? 4 : 1;
  }

  // --- afterwards --------------------------------------------------------------------------

  void settle_rows() {
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
    for (Instruction& instruction : code_.instructions) {
      settle(instruction.destination);
      if (!instruction.has_destination) {
        instruction.destination = code_.sink;
      }
      for (Source& source : instruction.sources) {
        settle_source(source);
      }
      for (AddressOperand* const address : {&instruction.address, &instruction.address2}) {
        settle_source(address->base);
        settle_source(address->uniform);
      }
    }
  }

  const Function& function_;
  int sm_;
  DecodeOptions options_;
  Code code_;
  std::size_t position_ = 0;
  Instruction instruction_;
  std::string base_;
  std::vector<std::string> modifiers_;
  std::vector<std::string_view> operands_;
  std::size_t next_ = 0;
  unsigned general_used_ = 0;
  unsigned uniform_used_ = 0;
};

const std::map<std::string_view, Decoder::Entry>& Decoder::table() {
  using D = Decoder;
  static const std::map<std::string_view, Entry> entries = [] {
    std::map<std::string_view, Entry> map = {
        {"MOV", {&D::decode_mov, Op::mov, Pipe::alu}},
        {"SEL", {&D::decode_sel, Op::sel, Pipe::alu}},
        {"IADD3", {&D::decode_iadd3, Op::iadd3, Pipe::alu}},
        {"IADD", {&D::decode_iadd, Op::iadd3, Pipe::alu}},
        {"VIADD", {&D::decode_iadd, Op::iadd3, Pipe::alu}},
        {"IMAD", {&D::decode_imad, Op::imad, Pipe::fma}},
        {"LEA", {&D::decode_lea, Op::lea, Pipe::alu}},
        {"SHF", {&D::decode_shf, Op::shf, Pipe::alu}},
        {"LOP3", {&D::decode_lop3, Op::lop3, Pipe::alu}},
        {"IMNMX", {&D::decode_imnmx, Op::imnmx, Pipe::alu}},
        {"VIMNMX", {&D::decode_imnmx, Op::imnmx, Pipe::alu}},
        {"VIADDMNMX", {&D::decode_viaddmnmx, Op::viaddmnmx, Pipe::alu}},
        {"VIMNMX3", {&D::decode_vimnmx3, Op::packed_integer, Pipe::alu}},
        {"VABSDIFF", {&D::decode_vabsdiff, Op::packed_integer, Pipe::alu}},
        {"VABSDIFF4", {&D::decode_vabsdiff, Op::packed_integer, Pipe::alu}},
        {"ISETP", {&D::decode_isetp, Op::isetp, Pipe::alu}},
        {"IABS", {&D::decode_unary, Op::iabs, Pipe::alu}},
        {"POPC", {&D::decode_unary, Op::popc, Pipe::xu}},
        {"BREV", {&D::decode_unary, Op::brev, Pipe::xu}},
        {"FLO", {&D::decode_flo, Op::flo, Pipe::xu}},
        {"PRMT", {&D::decode_prmt, Op::prmt, Pipe::alu}},
        {"SGXT", {&D::decode_sgxt, Op::sgxt, Pipe::alu}},
        {"BMSK", {&D::decode_sgxt, Op::bmsk, Pipe::alu}},
        {"IDP", {&D::decode_dp4a, Op::dp4a, Pipe::fma}},
        {"PLOP3", {&D::decode_plop3, Op::plop3, Pipe::alu}},
        {"P2R", {&D::decode_p2r, Op::p2r, Pipe::alu}},
        {"R2P", {&D::decode_r2p, Op::r2p, Pipe::alu}},
        {"FADD", {&D::decode_f32, Op::fadd, Pipe::fma}},
        {"FMUL", {&D::decode_f32, Op::fmul, Pipe::fma}},
        {"FFMA", {&D::decode_f32, Op::ffma, Pipe::fma}},
        {"FADD2", {&D::decode_f32x2, Op::fadd2, Pipe::fma}},
        {"FMUL2", {&D::decode_f32x2, Op::fmul2, Pipe::fma}},
        {"FFMA2", {&D::decode_f32x2, Op::ffma2, Pipe::fma}},
        {"FMNMX", {&D::decode_fmnmx, Op::fmnmx, Pipe::alu}},
        {"FMNMX3", {&D::decode_fmnmx3, Op::fmnmx3, Pipe::alu}},
        {"FSETP", {&D::decode_fsetp, Op::fsetp, Pipe::alu}},
        {"FSET", {&D::decode_fset, Op::fset, Pipe::alu}},
        {"FSEL", {&D::decode_fsel, Op::fsel, Pipe::alu}},
        {"FCHK", {&D::decode_fchk, Op::fchk, Pipe::xu}},
        {"MUFU", {&D::decode_mufu, Op::mufu, Pipe::xu}},
        {"DADD", {&D::decode_f64, Op::dadd, Pipe::fp64}},
        {"DMUL", {&D::decode_f64, Op::dmul, Pipe::fp64}},
        {"DFMA", {&D::decode_f64, Op::dfma, Pipe::fp64}},
        {"DSETP", {&D::decode_fsetp, Op::dsetp, Pipe::fp64}},
        {"DMNMX", {&D::decode_dmnmx, Op::dmnmx, Pipe::fp64}},
        {"HADD2", {&D::decode_half, Op::hadd2, Pipe::fma}},
        {"HMUL2", {&D::decode_half, Op::hmul2, Pipe::fma}},
        {"HFMA2", {&D::decode_half, Op::hfma2, Pipe::fma}},
        {"HMNMX2", {&D::decode_hmnmx2, Op::hmnmx2, Pipe::alu}},
        {"HSETP2", {&D::decode_hsetp2, Op::hsetp2, Pipe::fma}},
        {"HSET2", {&D::decode_hset2, Op::hset2, Pipe::fma}},
        {"I2F", {&D::decode_i2f, Op::i2f, Pipe::xu}},
        {"I2FP", {&D::decode_i2f, Op::i2f, Pipe::alu}},
        {"F2I", {&D::decode_f2i, Op::f2i, Pipe::xu}},
        {"F2F", {&D::decode_f2f, Op::f2f, Pipe::xu}},
        {"F2FP", {&D::decode_f2fp, Op::f2fp, Pipe::alu}},
        {"FRND", {&D::decode_frnd, Op::frnd, Pipe::xu}},
        {"S2R", {&D::decode_s2r, Op::s2r, Pipe::other}},
        {"CS2R", {&D::decode_s2r, Op::cs2r, Pipe::alu}},
        {"S2UR", {&D::decode_s2ur, Op::s2r, Pipe::uniform}},
        {"CS2UR", {&D::decode_s2ur, Op::cs2r, Pipe::uniform}},
        {"R2UR", {&D::decode_r2ur, Op::r2ur, Pipe::alu}},
        {"VOTEU", {&D::decode_voteu, Op::vote, Pipe::uniform}},
        {"VOTE", {&D::decode_vote, Op::vote, Pipe::alu}},
        {"REDUX", {&D::decode_redux, Op::redux, Pipe::xu}},
        {"CREDUX", {&D::decode_redux, Op::redux, Pipe::alu}},
        {"SHFL", {&D::decode_shfl, Op::shfl, Pipe::lsu}},
        {"MATCH", {&D::decode_match, Op::match, Pipe::xu}},
        {"ELECT", {&D::decode_elect, Op::elect, Pipe::alu}},
        {"QSPC", {&D::decode_qspc, Op::qspc, Pipe::lsu}},
        {"LDC", {&D::decode_ldc, Op::ldc, Pipe::other}},
        {"ULDC", {&D::decode_ldc, Op::ldc, Pipe::uniform}},
        {"LDCU", {&D::decode_ldc, Op::ldc, Pipe::uniform}},
        {"LDG", {&D::decode_load, Op::load, Pipe::lsu}},
        {"LDS", {&D::decode_load, Op::load, Pipe::lsu}},
        {"LDL", {&D::decode_load, Op::load, Pipe::lsu}},
        {"LD", {&D::decode_load, Op::load, Pipe::lsu}},
        {"STG", {&D::decode_store, Op::store, Pipe::lsu}},
        {"STS", {&D::decode_store, Op::store, Pipe::lsu}},
        {"STL", {&D::decode_store, Op::store, Pipe::lsu}},
        {"ST", {&D::decode_store, Op::store, Pipe::lsu}},
        {"ATOM", {&D::decode_atomic, Op::atomic, Pipe::lsu}},
        {"ATOMG", {&D::decode_atomic, Op::atomic, Pipe::lsu}},
        {"ATOMS", {&D::decode_atomic, Op::atomic, Pipe::lsu}},
        {"RED", {&D::decode_red, Op::atomic, Pipe::lsu}},
        {"REDG", {&D::decode_red, Op::atomic, Pipe::lsu}},
        {"LDGSTS", {&D::decode_ldgsts, Op::ldgsts, Pipe::lsu}},
        {"LDSM", {&D::decode_ldsm, Op::ldsm, Pipe::lsu}},
        {"BRA", {&D::decode_bra, Op::bra, Pipe::control}},
        {"BRX", {&D::decode_brx, Op::brx, Pipe::control}},
        {"CALL", {&D::decode_call, Op::call, Pipe::control}},
        {"LEPC", {&D::decode_lepc, Op::mov64, Pipe::control}},
        {"RET", {&D::decode_ret, Op::ret, Pipe::control}},
        {"EXIT", {&D::decode_exit, Op::exit, Pipe::control}},
        {"BSSY", {&D::decode_bssy, Op::bssy, Pipe::control}},
        {"BSYNC", {&D::decode_bsync, Op::bsync, Pipe::control}},
        {"BREAK", {&D::decode_break, Op::breakb, Pipe::control}},
        {"BMOV", {&D::decode_bmov, Op::bmov_from, Pipe::control}},
        {"WARPSYNC", {&D::decode_warpsync, Op::warpsync, Pipe::control}},
        {"BAR", {&D::decode_bar, Op::bar, Pipe::control}},
        {"B2R", {&D::decode_b2r, Op::b2r, Pipe::other}},
        {"YIELD", {&D::ignore_operands, Op::yield, Pipe::other}},
        {"BPT", {&D::ignore_operands, Op::trap, Pipe::control}},
    };
    for (const std::string_view name :
         {"NOP",     "NANOSLEEP",     "MEMBAR",      "ERRBAR",      "CCTL",         "CCTLL",
          "CCTLT",   "FENCE",         "DEPBAR",      "LDGDEPBAR",   "LDDEPBAR",     "PREEXIT",
          "ACQBULK", "ENDCOLLECTIVE", "USETMAXREG",  "UCGABAR_ARV", "UCGABAR_WAIT", "CGAERRBAR",
          "PMTRIG",  "WARPGROUP",     "WARPGROUPSET"}) {
      map[name] = {&D::ignore_operands, Op::nop, name == "NOP" ? Pipe::other : Pipe::control};
    }
    for (const std::string_view name :
         {"HMMA",      "IMMA",   "BMMA",  "DMMA",     "QMMA",       "OMMA",     "HGMMA",
          "IGMMA",     "QGMMA",  "BGMMA", "UTCHMMA",  "UTCIMMA",    "UTCQMMA",  "UTCOMMA",
          "UTCMXQMMA", "UTCBAR", "UTCCP", "UTCSHIFT", "UTCATOMSWS", "UTCLDSWS", "UTCSTSWS"}) {
      map[name] = {&D::decode_not_computed, Op::not_computed, Pipe::tensor};
    }
    for (const std::string_view name :
         {"UTMALDG", "UTMASTG", "UTMAREDG", "UTMACCTL", "UTMAPF",   "UTMACMDFLUSH", "UBLKCP",
          "UBLKRED", "UBLKPF",  "SYNCS",    "LDTM",     "STTM",     "STSM",         "MOVM",
          "TEX",     "TLD",     "TLD4",     "TXQ",      "TXD",      "TMML",         "SULD",
          "SUST",    "SUATOM",  "SURED",    "SUQUERY",  "ST.ASYNC", "STAS",         "REDAS",
          "LDTRAM",  "ARRIVES", "USYNCS"}) {
      map[name] = {&D::decode_not_computed, Op::not_computed, Pipe::lsu};
    }
    return map;
  }();
  return entries;
}

}  // namespace

Code decode(const Function& function, int sm, const DecodeOptions& options) {
  return Decoder(function, sm, options).run();
}

}  // namespace perfmodel::sass
