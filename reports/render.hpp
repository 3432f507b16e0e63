#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reports/document.hpp"

namespace perfmodel::reports {

/// One report in every form that a format can need.
struct Report {
  Document document;  ///< terminal and Markdown
  Table data;         ///< CSV: one flat table of everything
  nlohmann::ordered_json json;
};

enum class Format : std::uint8_t { table, markdown, csv, json };

/// How text for a terminal is laid out.
struct TerminalStyle {
  std::size_t width_columns = 80;
  bool colour = false;
};

std::string render(const Report& report, Format format, const TerminalStyle& style);

// The formats one by one.

/// Plain text. A table wider than the terminal continues below with its first column repeated.
std::string render_terminal(const Document& document, const TerminalStyle& style);
/// GitHub-flavoured Markdown.
std::string render_markdown(const Document& document);
/// RFC 4180: CRLF line ends, a header line, quotes where a field needs them.
std::string render_csv(const Table& table);
/// Indented JSON with a final newline; bytes that are no UTF-8 are replaced, figures that are
/// not finite are null.
std::string render_json(const nlohmann::ordered_json& json);

}  // namespace perfmodel::reports
