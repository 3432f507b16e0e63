#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/rational.hpp"
#include "reports/document.hpp"

namespace perfmodel::reports {

/// The same text for people and programs.
Cell text_cell(std::string_view text);

/// The same of a verdict.
Cell verdict_cell(std::string_view text, Tone tone);

/// `value * scale` with `decimals` places for people, `value` in full precision for programs.
Cell fixed_cell(double value, int decimals, double scale = 1.0);

/// `value * scale` with `digits` significant digits for people.
Cell significant_cell(double value, int digits, double scale = 1.0);

/// A fraction as percent, "77.0 %"; with a sign where `is_signed`.
Cell percent_cell(double fraction, bool is_signed = false);

/// A count per FMA: exact where it is short, otherwise five significant digits.
Cell count_cell(const Rational& count);

/// "0x01a0": where the instruction at `position` of a function lies.
std::string address_text(std::uint32_t position);

/// An empty cell: the figure does not exist for this row.
Cell no_cell();

/// Full precision, the shortest text that reads back as the same double.
std::string full_precision(double value);

}  // namespace perfmodel::reports
