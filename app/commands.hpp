#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

namespace perfmodel::app {

/// Options that stand before the subcommand.
struct GlobalOptions {
  std::string specs;
};

/// Kernels became slower than the person who asked allows: an answer, not an error of the input.
class Regression : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each adds its subcommand, which runs when the command line is parsed. `global` outlives `app`.

void add_analyze(CLI::App& app, const GlobalOptions& global);
void add_audit(CLI::App& app, const GlobalOptions& global);
void add_calibrate(CLI::App& app, const GlobalOptions& global);
void add_compare(CLI::App& app, const GlobalOptions& global);
void add_doctor(CLI::App& app);
void add_import(CLI::App& app, const GlobalOptions& global);
void add_ledger(CLI::App& app, const GlobalOptions& global);
void add_audit_ledger(CLI::App& app, const GlobalOptions& global);
void add_list(CLI::App& app, const GlobalOptions& global);
void add_measure(CLI::App& app, const GlobalOptions& global);
void add_merge(CLI::App& app);
void add_study(CLI::App& app, const GlobalOptions& global);
void add_validate(CLI::App& app, const GlobalOptions& global);
void add_sweep(CLI::App& app, const GlobalOptions& global);

}  // namespace perfmodel::app
