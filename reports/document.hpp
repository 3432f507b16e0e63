#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace perfmodel::reports {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;  ///< for people: "ms"
  std::string key;    ///< for programs, with its unit: "median_s"
  Align align = Align::right;
};

/// What a verdict means to its reader; a terminal shows it as a colour.
enum class Tone : std::uint8_t {
  plain,
  good,       ///< passed, or better than before
  settled,    ///< what limits the kernel is known
  attention,  ///< something could be gained, or should be looked at
  bad,        ///< wrong, or worse than before
  open,       ///< nothing can be said
};

/// One figure twice: as people read it, and in full precision and SI units for programs.
struct Cell {
  std::string text;
  std::string raw;
  Tone tone = Tone::plain;
};

struct Table {
  std::string title;
  std::vector<Column> columns;          ///< the first one names the row
  std::vector<std::vector<Cell>> rows;  ///< as many cells as columns
};

struct Paragraph {
  std::string text;
};

struct Heading {
  std::string text;
  Tone tone = Tone::plain;
};

/// A picture in characters. A terminal that is too narrow leaves it out.
struct Drawing {
  std::string title;
  std::vector<std::string> lines;
  std::string caption;
};

/// A report between its figures and its formats: the terminal and the Markdown view show the same
/// parts in the same order.
struct Document {
  std::string title;
  std::vector<std::variant<Heading, Paragraph, Table, Drawing>> parts;
};

}  // namespace perfmodel::reports
