#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace perfmodel::testing {

/// What a finished program left behind.
struct ProgramResult {
  int exit_code = 0;  ///< 128 + signal for one that was killed
  std::string out;
  std::string err;
};

/// How `run_perfmodel` starts the program.
struct ProgramOptions {
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to a minimal one
  std::filesystem::path stdout_file;   ///< instead of capturing, such as /dev/full
  std::filesystem::path folder;        ///< working folder; empty: the current one
  std::filesystem::path stdin_file{};  ///< empty: that of the test
};

/// Runs the perfmodel program of this build with COLUMNS unset and waits for it.
ProgramResult run_perfmodel(const std::vector<std::string>& arguments,
                            const ProgramOptions& options = {});

}  // namespace perfmodel::testing
