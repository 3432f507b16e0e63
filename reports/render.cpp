#include "reports/render.hpp"

namespace perfmodel::reports {

std::string render(const Report& report, Format format, const TerminalStyle& style) {
  switch (format) {
    case Format::table:
      return render_terminal(report.document, style);
    case Format::markdown:
      return render_markdown(report.document);
    case Format::csv:
      return render_csv(report.data);
    case Format::json:
      return render_json(report.json);
  }
  return {};
}

}  // namespace perfmodel::reports
