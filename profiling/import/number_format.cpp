#include "profiling/import/number_format.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::profiling {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the digits off the front of `rest`.
std::string_view take_digits(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && is_digit(rest[count])) {
    ++count;
  }
  const std::string_view digits = rest.substr(0, count);
  rest.remove_prefix(count);
  return digits;
}

/// The mark between groups of digits that `rest` begins with, or nothing.
std::string_view group_mark(std::string_view rest, DecimalMark mark) {
  // No-break, narrow no-break, thin and figure space, right quotation mark; in Latin-1 the first.
  static constexpr std::array<std::string_view, 9> any = {
      "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "\xE2\x80\x87", "\xE2\x80\x99", "\xA0", " ", "'",
      "_"};
  const std::string_view other = mark == DecimalMark::point ? "," : ".";
  if (rest.starts_with(other)) {
    return rest.substr(0, 1);
  }
  for (const std::string_view one : any) {
    if (rest.starts_with(one)) {
      return rest.substr(0, one.size());
    }
  }
  return {};
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

std::optional<double> parse_number(std::string_view text, DecimalMark mark) {
  std::string_view rest = trimmed(text);
  std::string plain;
  if (rest.starts_with('-') || rest.starts_with('+')) {
    plain = rest.starts_with('-') ? "-" : "";
    rest.remove_prefix(1);
  }
  const std::string_view whole = take_digits(rest);
  plain += whole;
  const std::string_view between = group_mark(rest, mark);
  // A first group of 1 to 3 digits, not "0", then groups of 3, all parted alike.
  constexpr std::size_t group = 3;
  if (!between.empty() && (whole.empty() || whole.size() > group || whole.starts_with('0'))) {
    return std::nullopt;
  }
  while (!between.empty() && rest.starts_with(between)) {
    rest.remove_prefix(between.size());
    const std::string_view digits = take_digits(rest);
    if (digits.size() != group) {
      return std::nullopt;
    }
    plain += digits;
  }
  std::string_view fraction;
  if (rest.starts_with(mark == DecimalMark::point ? '.' : ',')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    plain += fmt::format(".{}", fraction);
  }
  if (whole.empty() && fraction.empty()) {
    return std::nullopt;
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    plain += 'e';
    if (rest.starts_with('-') || rest.starts_with('+')) {
      plain += rest.front();
      rest.remove_prefix(1);
    }
    const std::string_view exponent = take_digits(rest);
    if (exponent.empty()) {
      return std::nullopt;
    }
    plain += exponent;
  }
  double value = 0.0;
  const char* end = plain.data() + plain.size();
  const auto [stop, status] = std::from_chars(plain.data(), end, value);
  const bool read = rest.empty() && status == std::errc() && stop == end && std::isfinite(value);
  return read ? std::optional(value) : std::nullopt;
}

std::optional<DecimalMarkFinder::Example>* DecimalMarkFinder::slot_for(std::string_view text) {
  if (text.find_first_of(".,") == std::string_view::npos) {
    return nullptr;
  }
  const std::optional<double> as_point = parse_number(text, DecimalMark::point);
  const std::optional<double> as_comma = parse_number(text, DecimalMark::comma);
  if (as_point && as_comma) {
    return *as_point == *as_comma ? nullptr : &ambiguous_;
  }
  return as_point ? &point_ : as_comma ? &comma_ : nullptr;
}

DecimalMark DecimalMarkFinder::decide() const {
  if (point_ && comma_) {
    fail(fmt::format(
        "{}: '{}' has a decimal point, but '{}' at {} has a decimal comma; say which "
        "of them counts with --decimal point or --decimal comma",
        point_->where, printable(point_->text), printable(comma_->text), comma_->where));
  }
  if (ambiguous_ && !point_ && !comma_) {
    const double small = *parse_number(ambiguous_->text, DecimalMark::point);
    const double large = *parse_number(ambiguous_->text, DecimalMark::comma);
    fail(
        fmt::format("{}: '{}' may be {} or {}, and no figure of the file decides; say --decimal "
                    "point or --decimal comma",
                    ambiguous_->where, printable(ambiguous_->text), std::fmin(small, large),
                    std::fmax(small, large)));
  }
  return comma_ ? DecimalMark::comma : DecimalMark::point;
}

}  // namespace perfmodel::profiling
