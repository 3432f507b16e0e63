#include <fmt/format.h>

#include "reports/render.hpp"

namespace perfmodel::reports {
namespace {

/// Text from files stays text: characters that Markdown or HTML would interpret are escaped.
std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|").find(c) != std::string_view::npos) {
      out += '\\';
    }
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

class Markdown {
 public:
  explicit Markdown(const std::string& title) { out_ = fmt::format("# {}\n", escape(title)); }

  void operator()(const Heading& heading) {
    out_ += fmt::format("\n## {}\n", escape(heading.text));
  }

  void operator()(const Paragraph& paragraph) {
    out_ += fmt::format("\n{}\n", escape(paragraph.text));
  }

  void operator()(const Table& table) {
    if (!table.title.empty()) {
      out_ += fmt::format("\n### {}\n", escape(table.title));
    }
    out_ += "\n|";
    for (const Column& column : table.columns) {
      out_ += fmt::format(" {} |", escape(column.title));
    }
    out_ += "\n|";
    for (const Column& column : table.columns) {
      out_ += column.align == Align::right ? " ---: |" : " --- |";
    }
    out_ += '\n';
    for (const auto& row : table.rows) {
      out_ += '|';
      for (const Cell& cell : row) {
        out_ += fmt::format(" {} |", escape(cell.text));
      }
      out_ += '\n';
    }
  }

  void operator()(const Drawing& drawing) {
    out_ += fmt::format("\n### {}\n\n", escape(drawing.title));
    for (const std::string& line : drawing.lines) {
      out_ += fmt::format("    {}\n", line);
    }
    (*this)(Paragraph{drawing.caption});
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

std::string render_markdown(const Document& document) {
  Markdown markdown(document.title);
  for (const auto& part : document.parts) {
    std::visit(markdown, part);
  }
  return markdown.take();
}

}  // namespace perfmodel::reports
