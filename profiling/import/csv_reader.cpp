#include "profiling/import/csv_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"

namespace perfmodel::profiling {

std::string_view CsvReader::line() const { return rest_.substr(0, rest_.find_first_of("\r\n")); }

void CsvReader::skip_line() {
  rest_.remove_prefix(line().size());
  end_line();
}

void CsvReader::end_line() {
  if (rest_.empty()) {
    return;
  }
  rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
  ++line_;
}

std::string CsvReader::quoted() {
  const std::size_t begins_at = line_;
  rest_.remove_prefix(1);
  std::string field;
  while (true) {
    const std::size_t quote = rest_.find('"');
    if (quote == std::string_view::npos) {
      fail(fmt::format("{}:{}: a quote is opened here and never closed: the file is truncated",
                       file_, begins_at));
    }
    const std::string_view part = rest_.substr(0, quote);
    field += part;
    line_ += static_cast<std::size_t>(std::ranges::count(part, '\n'));
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) {
      return field;
    }
    field += '"';
    rest_.remove_prefix(1);
  }
}

std::string_view CsvReader::unquoted() {
  const std::string_view line_rest = line();
  const std::string_view field = line_rest.substr(0, line_rest.find(delimiter_));
  rest_.remove_prefix(field.size());
  return field;
}

CsvRecord CsvReader::record() {
  CsvRecord record;
  record.line = line_;
  while (true) {
    std::string field = rest_.starts_with('"') ? quoted() : std::string();
    field += unquoted();  // what follows a closing quote is kept rather than lost
    record.fields.push_back(std::move(field));
    if (!rest_.starts_with(delimiter_)) {
      break;
    }
    rest_.remove_prefix(1);
  }
  end_line();
  return record;
}

}  // namespace perfmodel::profiling
