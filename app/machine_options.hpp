#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "model/sass/emulate.hpp"
#include "model/spec/launch_reader.hpp"

namespace perfmodel::app {

/// The options of `ledger` that concern machine code.
struct MachineOptions {
  std::string arch;
  std::string matrix;
  std::string cubin;
  std::string function;  ///< --kernel
  std::string launch_file;
  spec::LaunchFlags flags;
  bool list = false;
  bool annotate = false;
  bool unique_bytes = false;
  std::string device;
  std::string save_listing;
  bool all_blocks = false;
  bool count_unknown = false;
  bool no_defects = false;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  std::uint64_t max_instructions = 1'000'000'000;

  void add_to(CLI::App& command);
  /// Only those that say which code and launch, and how to emulate it.
  void add_code_to(CLI::App& command);

  /// Whether machine code is asked for at all.
  [[nodiscard]] bool wanted() const { return !arch.empty() || !cubin.empty(); }
  /// Whether a launch is described by file or flags.
  [[nodiscard]] bool has_launch() const { return !launch_file.empty() || has_launch_flags(); }

  /// Throws Error for options that contradict each other or lack what they belong to; `kernel` and
  /// `shape` are the positional argument and --shape, which may be empty.
  void check(const std::string& kernel, const std::string& shape) const;

  /// The launch by file or flags; --dynamic-shared-bytes and --arg need --grid and --block.
  [[nodiscard]] spec::LaunchDescription launch() const;

  /// How to emulate, without the progress.
  [[nodiscard]] sass::EmulationOptions emulation() const;

 private:
  [[nodiscard]] bool has_launch_flags() const;

  CLI::App* command_ = nullptr;
};

}  // namespace perfmodel::app
