#include "app/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "model/error.hpp"
#include "model/spec/write_file.hpp"
#include "model/text.hpp"

namespace perfmodel::app {
namespace {

const std::vector<std::pair<std::string, reports::Format>>& formats() {
  static const std::vector<std::pair<std::string, reports::Format>> all = {
      {"table", reports::Format::table},
      {"markdown", reports::Format::markdown},
      {"csv", reports::Format::csv},
      {"json", reports::Format::json}};
  return all;
}

/// The width of the terminal; where there is none, COLUMNS or 80.
reports::TerminalStyle terminal_style() {
  reports::TerminalStyle style;
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize size{};
  if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width_columns = size.ws_col;
  } else if (const char* columns = std::getenv("COLUMNS")) {
    std::size_t width = 0;
    const char* end = columns + std::strlen(columns);
    const auto [stop, status] = std::from_chars(columns, end, width);
    if (status == std::errc() && stop == end && width > 0) {
      style.width_columns = width;
    }
  }
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = (no_colour != nullptr && *no_colour != '\0') ||
                       (terminal != nullptr && std::string_view(terminal) == "dumb");
  style.colour = is_terminal && !refused;
  return style;
}

}  // namespace

void OutputOptions::add_to(CLI::App& command, const std::vector<std::string>& more_formats) {
  const std::string more = more_formats.empty() ? "" : "; also " + join(more_formats, " or ");
  add_format_to(
      command,
      fmt::format("table, markdown, csv or json; default: by the ending of --out, else table{}",
                  more),
      more_formats);
  command.add_option("-o,--out", out, "write to this file instead of standard output")
      ->type_name("FILE");
}

void OutputOptions::add_format_to(CLI::App& command, const std::string& description,
                                  const std::vector<std::string>& more_formats) {
  std::vector<std::string> names = more_formats;
  for (const auto& [name, value] : formats()) {
    names.push_back(name);
  }
  command.add_option("-f,--format", format, description)
      ->check(CLI::IsMember(names))
      ->type_name("FORMAT");
}

reports::Format OutputOptions::resolved_format() const {
  for (const auto& [name, value] : formats()) {
    if (name == format) {
      return value;
    }
  }
  const std::string ending = std::filesystem::path(out).extension().string();
  if (ending == ".md") {
    return reports::Format::markdown;
  }
  if (ending == ".csv") {
    return reports::Format::csv;
  }
  return ending == ".json" ? reports::Format::json : reports::Format::table;
}

void write_report(const reports::Report& report, const OutputOptions& options) {
  write_text(reports::render(report, options.resolved_format(),
                             options.out.empty() ? terminal_style() : reports::TerminalStyle{}),
             options);
}

void write_text(const std::string& text, const OutputOptions& options) {
  if (options.out.empty()) {
    write_stdout(text);
  } else {
    spec::write_file(options.out, text);
  }
}

void write_stdout(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written) {
    fail(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  }
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    fmt::print(stderr, "perfmodel: warning: {}\n", warning);
  }
}

}  // namespace perfmodel::app
