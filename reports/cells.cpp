#include "reports/cells.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/sass/module.hpp"

namespace perfmodel::reports {

Cell text_cell(std::string_view text) { return {std::string(text), std::string(text)}; }

Cell verdict_cell(std::string_view text, Tone tone) {
  return {std::string(text), std::string(text), tone};
}

Cell fixed_cell(double value, int decimals, double scale) {
  return {fmt::format("{:.{}f}", value * scale, decimals), full_precision(value)};
}

Cell significant_cell(double value, int digits, double scale) {
  return {fmt::format("{:.{}g}", value * scale, digits), full_precision(value)};
}

Cell percent_cell(double fraction, bool is_signed) {
  constexpr double half_digit = 0.05;
  // A rounding error of the solver is not a negative deviation.
  const double percent = std::abs(100.0 * fraction) < half_digit ? 0.0 : 100.0 * fraction;
  return {is_signed ? fmt::format("{:+.1f} %", percent) : fmt::format("{:.1f} %", percent),
          full_precision(fraction)};
}

Cell count_cell(const Rational& count) {
  const double value = to_double(count);
  return {fmt::format("{:.5g}", value), full_precision(value)};
}

std::string address_text(std::uint32_t position) {
  return fmt::format("0x{:04x}", position * sass::instruction_bytes);
}

Cell no_cell() { return {}; }

std::string full_precision(double value) { return fmt::format("{}", value); }

}  // namespace perfmodel::reports
