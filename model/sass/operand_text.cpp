#include "model/sass/operand_text.hpp"

#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>

namespace perfmodel::sass {

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

std::optional<PredicateSource> predicate_name(std::string_view text) {
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

std::optional<ConstantName> constant_name(std::string_view text) {
  const std::size_t close = text.find(']');
  if (!text.starts_with("c[") || close == std::string_view::npos ||
      !text.substr(close).starts_with("][") || !text.ends_with(']')) {
    return std::nullopt;
  }
  const auto bank = integer_value(text.substr(2, close - 2));
  const auto offset = integer_value(text.substr(close + 2, text.size() - close - 3));
  if (!bank || !offset || *bank < 0 || *bank > 31 || *offset < 0 || *offset > 0xffff) {
    return std::nullopt;
  }
  return ConstantName{static_cast<std::uint8_t>(*bank), static_cast<std::uint32_t>(*offset)};
}

}  // namespace perfmodel::sass
