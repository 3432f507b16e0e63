#pragma once

#include <string>

#include "app/commands.hpp"
#include "app/machine_options.hpp"
#include "app/output.hpp"

namespace perfmodel::app {

/// `ledger` with a kernel of the catalogue and --arch or --cubin: both ledgers side by side.
/// `shape` as --shape has it; empty: the default.
void run_catalogue_ledger(const std::string& kernel, const std::string& shape,
                          const MachineOptions& options, const OutputOptions& output,
                          const GlobalOptions& global);

/// `ledger --cubin`: lists, stores or counts a kernel of a file.
void run_cubin_ledger(const MachineOptions& options, const OutputOptions& output,
                      const GlobalOptions& global);

}  // namespace perfmodel::app
