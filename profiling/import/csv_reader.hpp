#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel::profiling {

/// One record of a CSV file.
struct CsvRecord {
  std::size_t line = 0;  ///< of its beginning, counted from 1
  std::vector<std::string> fields;
};

/// Reads RFC 4180 text record by record: fields in double quotes may hold delimiters, line ends and
/// doubled quotes; lines end in LF, CRLF or CR. Between records, lines that belong to something
/// else can be looked at and skipped. The text must outlive it.
class CsvReader {
 public:
  /// `file` names the text in messages.
  CsvReader(std::string_view text, std::string_view file, char delimiter)
      : rest_(text), file_(file), delimiter_(delimiter) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  /// The line that begins here, without its end.
  [[nodiscard]] std::string_view line() const;
  [[nodiscard]] std::size_t line_number() const { return line_; }
  void set_delimiter(char delimiter) { delimiter_ = delimiter; }

  void skip_line();
  /// The record that begins here. Throws Error where a quote is not closed.
  CsvRecord record();

 private:
  std::string quoted();
  std::string_view unquoted();
  void end_line();

  std::string_view rest_;
  std::string_view file_;
  char delimiter_;
  std::size_t line_ = 1;
};

}  // namespace perfmodel::profiling
