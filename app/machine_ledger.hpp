#pragma once

#include <optional>
#include <string>

#include "app/commands.hpp"
#include "app/machine_options.hpp"
#include "app/output.hpp"
#include "model/sass/compare_ledgers.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/source_ledger.hpp"
#include "model/spec/catalog.hpp"
#include "reports/machine_ledger_report.hpp"

namespace perfmodel::app {

/// The ledgers of a kernel of the catalogue.
struct CatalogueLedger {
  const KernelSpec& spec;  ///< of the catalogue that was passed
  Shape shape;
  SourceLedger source;
  sass::MachineLedger machine;
  sass::LedgerComparison comparison;
  std::optional<reports::UniqueBytesView> unique;  ///< where it was asked for and can be told
  std::string origin;                              ///< where the machine code comes from
};

/// Counts the machine code that `options` name, with a progress line. `shape` as --shape has it;
/// empty: the default. Throws Error.
CatalogueLedger count_catalogue_kernel(spec::Catalog& catalog, const std::string& kernel,
                                       const std::string& shape, const MachineOptions& options);

/// The ledger of a kernel of a file.
struct CubinLedger {
  sass::MachineLedger machine;
  std::optional<reports::UniqueBytesView> unique;  ///< where it was asked for and can be told
  std::string origin;                              ///< where the machine code comes from
};

/// Counts the kernel and launch that `options` name, with a progress line. `specs` as --specs has
/// it. Throws Error.
CubinLedger count_cubin_kernel(const MachineOptions& options, const std::string& specs);

/// `ledger` with a kernel of the catalogue and --arch or --cubin: both ledgers side by side.
/// `shape` as --shape has it; empty: the default.
void run_catalogue_ledger(const std::string& kernel, const std::string& shape,
                          const MachineOptions& options, const OutputOptions& output,
                          const GlobalOptions& global);

/// `ledger --cubin`: lists, stores or counts a kernel of a file.
void run_cubin_ledger(const MachineOptions& options, const OutputOptions& output,
                      const GlobalOptions& global);

}  // namespace perfmodel::app
