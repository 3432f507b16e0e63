#include "reports/render.hpp"

namespace perfmodel::reports {
namespace {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') {
      quoted += '"';
    }
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string render_csv(const Table& table) {
  std::string out;
  const auto end_record = [&] {
    out.back() = '\r';  // in place of the last comma
    out += '\n';
  };
  for (const Column& column : table.columns) {
    out += field(column.key) + ',';
  }
  end_record();
  for (const auto& row : table.rows) {
    for (const Cell& cell : row) {
      out += field(cell.raw) + ',';
    }
    end_record();
  }
  return out;
}

}  // namespace perfmodel::reports
