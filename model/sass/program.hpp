#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace perfmodel::sass {

/// What a helper program left behind.
struct ProgramResult {
  int status = 0;      ///< exit status, or 128 + the number of the signal that ended it
  std::string output;  ///< all of its standard output
  std::string errors;  ///< all of its standard error
};

/// Runs a program to its end, without a shell, so that any byte may stand in a file name. Its
/// standard input is empty; `folder` becomes its current folder unless empty. Throws
/// Error(unavailable) where it cannot be started.
ProgramResult run_program(const std::filesystem::path& program,
                          std::span<const std::string> arguments,
                          const std::filesystem::path& folder = {});

/// The first line of `text` that is not blank, made harmless for a terminal, or "no message".
std::string first_line(const std::string& text);

}  // namespace perfmodel::sass
