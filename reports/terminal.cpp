#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>

#include "model/text.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {
namespace {

constexpr std::string_view gap = "  ";
constexpr std::size_t narrowest_columns = 20;

/// Columns that a UTF-8 text takes on a terminal, for the scripts that names are written in.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string pad(std::string_view text, std::size_t text_width, std::size_t width, Align align) {
  const std::string space(width - std::min(width, text_width), ' ');
  return align == Align::right ? space + std::string(text) : std::string(text) + space;
}

std::string pad(std::string_view text, std::size_t width, Align align) {
  return pad(text, display_width(text), width, align);
}

/// The colours are those of the terminal's own theme.
fmt::text_style style_of(Tone tone) {
  switch (tone) {
    case Tone::plain:
      break;
    case Tone::good:
      return fmt::fg(fmt::terminal_color::green);
    case Tone::settled:
      return fmt::fg(fmt::terminal_color::cyan);
    case Tone::attention:
      return fmt::fg(fmt::terminal_color::yellow);
    case Tone::bad:
      return fmt::fg(fmt::terminal_color::red);
    case Tone::open: {
      const fmt::text_style faint(fmt::emphasis::faint);
      return faint;
    }
  }
  return {};
}

/// Breaks text at spaces into lines of at most `width` columns; a longer word gets its own line.
std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    std::string current;
    for (const std::string& word : split(line, ' ')) {
      if (!current.empty() && display_width(current) + 1 + display_width(word) > width) {
        lines.push_back(std::move(current));
        current = word;
      } else {
        current += (current.empty() ? "" : " ") + word;
      }
    }
    lines.push_back(std::move(current));
  }
  return lines;
}

class Terminal {
 public:
  explicit Terminal(const TerminalStyle& style)
      : width_(std::max(style.width_columns, narrowest_columns)), colour_(style.colour) {}

  void title(const std::string& text) { strong(text); }

  void operator()(const Heading& heading) {
    out_ += '\n';
    strong(heading.text, heading.tone);
  }

  void operator()(const Paragraph& paragraph) {
    for (const std::string& line : wrap(paragraph.text, width_)) {
      line_out(line);
    }
  }

  void operator()(const Table& table) {
    out_ += '\n';
    if (!table.title.empty()) {
      strong(table.title);
    }
    std::vector<std::size_t> widths = column_widths(table);
    // As many columns as fit beside the first, then the rest in further panels.
    std::size_t begin = 1;
    do {
      std::size_t end = begin;
      std::size_t used = widths[0];
      while (end < widths.size() && used + gap.size() + widths[end] <= width_) {
        used += gap.size() + widths[end];
        ++end;
      }
      if (end == begin && end < widths.size()) {
        // A column of prose takes what is left and wraps.
        const std::size_t left =
            width_ > widths[0] + gap.size() ? width_ - widths[0] - gap.size() : 0;
        widths[end] = std::max(left, narrowest_columns / 2);
        ++end;
      } else if (end + 1 == widths.size() && table.columns[end].align == Align::left &&
                 width_ >= used + gap.size() + narrowest_columns) {
        widths[end] = width_ - used - gap.size();
        ++end;
      }
      panel(table, widths, begin, end);
      begin = end;
      if (begin < widths.size()) {
        out_ += '\n';
      }
    } while (begin < widths.size());
  }

  void operator()(const Drawing& drawing) {
    const bool fits = std::ranges::all_of(
        drawing.lines, [&](const std::string& line) { return display_width(line) <= width_; });
    if (!fits) {
      return;
    }
    out_ += '\n';
    strong(drawing.title);
    for (const std::string& line : drawing.lines) {
      line_out(line);
    }
    (*this)(Paragraph{drawing.caption});
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void strong(const std::string& text, Tone tone = Tone::plain) {
    for (const std::string& line : wrap(text, width_)) {
      line_out(painted(line, fmt::emphasis::bold | style_of(tone)));
    }
  }

  [[nodiscard]] std::string painted(const std::string& text, const fmt::text_style& style) const {
    const bool is_plain = !style.has_foreground() && !style.has_emphasis();
    return !colour_ || is_plain || text.empty() ? text : fmt::format(style, "{}", text);
  }

  void line_out(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line;
    out_ += '\n';
  }

  static std::vector<std::size_t> column_widths(const Table& table) {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      std::size_t width = display_width(table.columns[i].title);
      for (const auto& row : table.rows) {
        width = std::max(width, display_width(row[i].text));
      }
      widths.push_back(width);
    }
    return widths;
  }

  void panel(const Table& table, const std::vector<std::size_t>& widths, std::size_t begin,
             std::size_t end) {
    std::vector<std::size_t> shown = {0};
    for (std::size_t i = begin; i < end; ++i) {
      shown.push_back(i);
    }
    std::string header;
    std::string rule;
    for (const std::size_t i : shown) {
      header += std::string(i == 0 ? "" : gap) +
                pad(table.columns[i].title, widths[i], table.columns[i].align);
      rule += std::string(i == 0 ? "" : gap) + std::string(widths[i], '-');
    }
    line_out(header);
    line_out(rule);
    for (const auto& row : table.rows) {
      row_out(table, row, widths, shown);
    }
  }

  /// A row takes as many lines as its longest wrapped cell.
  void row_out(const Table& table, const std::vector<Cell>& row,
               const std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const std::size_t i : shown) {
      cells.push_back(wrap(row[i].text, widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t line = 0; line < height; ++line) {
      std::string text;
      for (std::size_t at = 0; at < shown.size(); ++at) {
        const std::size_t i = shown[at];
        const std::string& part = line < cells[at].size() ? cells[at][line] : std::string();
        text += std::string(at == 0 ? "" : gap) + pad(painted(part, style_of(row[i].tone)),
                                                      display_width(part), widths[i],
                                                      table.columns[i].align);
      }
      line_out(std::move(text));
    }
  }

  std::size_t width_;
  bool colour_;
  std::string out_;
};

}  // namespace

std::string render_terminal(const Document& document, const TerminalStyle& style) {
  Terminal terminal(style);
  terminal.title(document.title);
  for (const auto& part : document.parts) {
    std::visit(terminal, part);
  }
  return terminal.take();
}

}  // namespace perfmodel::reports
