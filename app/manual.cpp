#include "app/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/text.hpp"

namespace perfmodel::app {
namespace {

/// Text that troff shows as it is.
std::string literal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";  // a minus that can be copied, no hyphen
    } else {
      // A dot or an apostrophe at the beginning of a line would be a request.
      const bool begins_line = out.empty() || out.back() == '\n';
      out += begins_line && (c == '.' || c == '\'') ? "\\&" : "";
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// The value's name alone, without what CLI11 appends of its checks.
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

/// "-k, --kernels REGEX", "kernel".
std::string synopsis(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) {
    names.push_back("\\fB" + literal("-" + name) + "\\fR");
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("\\fB" + literal("--" + name) + "\\fR");
  }
  if (names.empty()) {
    return "\\fI" + literal(option.get_name()) + "\\fR";
  }
  const std::string value = value_name(option);
  return join(names) + (value.empty() ? "" : " \\fI" + literal(value) + "\\fR");
}

void add_options(std::string& page, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options({})) {
    if (option != command.get_help_ptr() && !option->get_group().empty()) {
      page += ".TP\n" + synopsis(*option) + "\n" + literal(option->get_description()) + "\n";
    }
  }
}

/// A footer keeps its lines: they are examples.
void add_footer(std::string& page, const CLI::App& command) {
  if (!command.get_footer().empty()) {
    page += ".PP\n.nf\n" + literal(command.get_footer()) + "\n.fi\n";
  }
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  const std::string& name = app.get_name();
  std::string page = fmt::format(
      ".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n"
      ".SH NAME\n{} \\- {}\n"
      ".SH SYNOPSIS\n\\fB{}\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n",
      upper(name), name, literal(version), name, literal(app.get_description()), name);
  page += ".SH OPTIONS\n";
  add_options(page, app);
  page += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) {
      continue;
    }
    page += fmt::format(".SS {} {}\n{}\n", name, literal(command->get_name()),
                        literal(command->get_description()));
    add_options(page, *command);
    add_footer(page, *command);
  }
  page +=
      ".SH ENVIRONMENT\n"
      ".TP\n.B PERFMODEL_SPECS\nFolder of specifications, where \\-\\-specs is not given.\n"
      ".TP\n.B NO_COLOR\nIf set and not empty, terminals get no colours.\n"
      ".TP\n.B COLUMNS\nWidth of tables where the output is no terminal.\n";
  page += ".SH NOTES\n";
  add_footer(page, app);
  return page;
}

}  // namespace perfmodel::app
