#pragma once

#include <cstddef>
#include <string>

#include "model/kernel_spec.hpp"
#include "model/sass/compare_ledgers.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/shape.hpp"
#include "model/source_ledger.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// The source side of a kernel of the catalogue. What it refers to must outlive the report's
/// making.
struct MachineLedgerSource {
  const KernelSpec& kernel;
  const Shape& shape;
  const SourceLedger& ledger;
  const sass::LedgerComparison& comparison;
};

/// What a machine ledger is shown with.
struct MachineLedgerView {
  std::string kernel;  ///< name for people; empty: the function's
  std::string origin;  ///< where the code comes from: "specs/listings/sm_90.json.gz"
  const MachineLedgerSource* source = nullptr;  ///< null where there is none
  bool annotate = false;                        ///< with the whole listing
  std::size_t top_opcodes = 12;                 ///< shown to people; programs get all
};

/// The machine ledger of one launch. JSON schema perfmodel.machine-ledger/1 (docs/json.md). CSV has
/// a line per figure; with `annotate` a line per instruction.
Report machine_ledger_report(const sass::MachineLedger& ledger, const MachineLedgerView& view);

}  // namespace perfmodel::reports
