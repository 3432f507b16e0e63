#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace perfmodel::app {

/// The manual page in the man macros of troff: every command with its options and examples, as
/// `--help` tells them.
std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace perfmodel::app
