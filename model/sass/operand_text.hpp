#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/sass/instruction.hpp"

namespace perfmodel::sass {

// How the disassembler writes operands. What a text does not match is std::nullopt.

/// Splits at commas outside brackets; blanks around a piece are dropped.
std::vector<std::string_view> split_operands(std::string_view text);

/// "B5" behind "B" is 5; `limit`: the first number too large.
std::optional<unsigned> number_behind(std::string_view text, std::string_view prefix,
                                      unsigned limit);

/// What a register operand names, without its modifiers.
struct RegisterName {
  bool uniform = false;
  bool zero = false;
  unsigned number = 0;
};

/// "R4", "UR4", "RZ" or "URZ".
std::optional<RegisterName> register_name(std::string_view text);

/// "P0", "!UP3" or "PT".
std::optional<PredicateSource> predicate_name(std::string_view text);

/// Decimal or hexadecimal, modulo 2^64.
std::optional<std::int64_t> integer_value(std::string_view text);

/// Decimal, or infinite or no number by name.
std::optional<double> float_value(std::string_view text);

/// "c[0x3][0x28]" with a fixed offset.
struct ConstantName {
  std::uint8_t bank = 0;
  std::uint32_t offset_bytes = 0;
};
std::optional<ConstantName> constant_name(std::string_view text);

}  // namespace perfmodel::sass
