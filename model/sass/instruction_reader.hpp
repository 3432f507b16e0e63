#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/sass/instruction.hpp"
#include "model/sass/module.hpp"
#include "model/sass/operand_text.hpp"

namespace perfmodel::sass {

/// Thrown where a part of an instruction is not known: "modifier .X", "operand 'R1'".
struct NotKnown {
  std::string part;
};
[[noreturn]] void unsupported(std::string part);

/// How an immediate is written for an instruction.
enum class Immediates : std::uint8_t { integer, f32, f64, f16x2, bf16x2 };

/// Registers that hold one value.
unsigned rows_of(Number number);

/// Reads the instructions of a function piece by piece: modifiers by name, operands from left to
/// right. Whatever does not fit throws NotKnown.
class InstructionReader {
 public:
  explicit InstructionReader(const Function& function);

  /// Turns to the instruction at an index; its guard is read already. Throws Error bad_input where
  /// that is no predicate.
  void start(std::size_t position);
  /// Throws NotKnown where anything is left except hints, which change neither results nor counts.
  void require_no_rest() const;
  /// Keeps nothing but the guard, and what the instruction may write: the first register.
  void make_unknown();
  /// Adds `instruction` to the code.
  void add() { code_.instructions.push_back(instruction); }
  /// The code, with every operand's row settled.
  Code take_code();

  /// What becomes of the current instruction.
  Instruction instruction;

  [[nodiscard]] const Function& function() const { return function_; }
  /// Index of the current instruction.
  [[nodiscard]] std::size_t position() const { return position_; }
  /// The opcode without modifiers.
  [[nodiscard]] const std::string& base() const { return base_; }
  /// The function has subroutines or indirect jumps.
  void note_calls() { code_.calls = true; }

  // Modifiers

  [[nodiscard]] bool has(std::string_view modifier) const;
  /// Whether the modifier was there; it is dropped.
  bool take(std::string_view modifier);
  void ignore_modifiers() { modifiers_.clear(); }
  std::optional<Rounding> take_rounding();
  /// .FTZ, .SAT and the rounding.
  void float_modifiers();
  /// The comparison, and how it is combined with a predicate.
  void comparison();
  /// The first in the order written.
  std::optional<Number> take_integer_type();
  std::optional<Number> take_float_type();

  // Operands

  [[nodiscard]] std::size_t remaining() const { return operands_.size() - next_; }
  [[nodiscard]] bool more() const { return remaining() != 0; }
  /// The next operand; empty where there is none.
  [[nodiscard]] std::string_view peek() const { return more() ? operands_[next_] : ""; }
  std::string_view next();
  /// Makes a part of an operand the next one.
  void put_back(std::string_view operand);
  void skip_operands() { next_ = operands_.size(); }

  [[nodiscard]] bool at_predicate() const { return predicate_name(peek()).has_value(); }
  PredicateSource next_predicate();
  void predicate_destinations(std::size_t least, std::size_t most);
  void predicate_source(std::size_t slot);
  void optional_predicate_source(std::size_t slot);

  /// `rows`: consecutive registers written.
  void destination(unsigned rows = 1);
  void set_destination(const RegisterName& name, unsigned rows);

  /// Register, constant or immediate. `rows`: consecutive registers read, 2 for 64-bit operands.
  Source source(Immediates kind = Immediates::integer, unsigned rows = 1);
  /// Fills the first `count` sources.
  void sources(std::size_t count, Immediates kind = Immediates::integer, unsigned rows = 1);
  Source register_source(const RegisterName& name, unsigned rows);
  Source immediate(std::uint32_t value);
  Source immediate64(std::uint64_t value);
  /// An operand that must be an integer.
  std::int64_t immediate_operand();

 private:
  std::optional<Source> literal(std::string_view text, Immediates kind, unsigned rows);
  std::uint16_t note_register(const RegisterName& name, unsigned rows);
  Source pool_source(const std::vector<PoolEntry>& entries);
  bool take_compare(Compare& compare);
  void settle_rows();

  const Function& function_;
  Code code_;
  std::size_t position_ = 0;
  std::string base_;
  std::vector<std::string> modifiers_;
  std::vector<std::string_view> operands_;
  std::size_t next_ = 0;
  unsigned general_used_ = 0;
  unsigned uniform_used_ = 0;
};

}  // namespace perfmodel::sass
