#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "reports/render.hpp"

namespace perfmodel::app {

/// Where a report goes and in which format: --format and --out.
struct OutputOptions {
  std::string format;  ///< empty: by the ending of `out`, else a table
  std::string out;     ///< empty: standard output

  /// `more_formats` are the command's own: it writes them itself, with `write_text`.
  void add_to(CLI::App& command, const std::vector<std::string>& more_formats = {});
  /// Adds --format alone, for a command whose --out is something else.
  void add_format_to(CLI::App& command, const std::string& description,
                     const std::vector<std::string>& more_formats = {});
  [[nodiscard]] reports::Format resolved_format() const;
};

/// Renders the report and writes it to `options.out` or standard output.
void write_report(const reports::Report& report, const OutputOptions& options);

/// Writes text that is already in its format to `options.out` or standard output.
void write_text(const std::string& text, const OutputOptions& options);

/// Throws Error if standard output cannot take the text (a full disk, a closed descriptor).
void write_stdout(const std::string& text);

/// "perfmodel: warning: ..." on standard error, a line each.
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace perfmodel::app
