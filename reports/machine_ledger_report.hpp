#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "model/kernel_spec.hpp"
#include "model/sass/compare_ledgers.hpp"
#include "model/sass/footprint.hpp"
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

/// Distinct bytes of global memory, by how many blocks touch them together.
struct UniqueBytesView {
  /// The blocks that a device runs at first, all at a time.
  struct Wave {
    std::string device;
    std::int64_t sm_count = 0;
    std::int64_t blocks_per_sm = 0;
    sass::Footprint footprint;
  };
  sass::Footprint block;     ///< in the middle of the grid
  std::optional<Wave> wave;  ///< nothing: no device is known to run the code
  sass::Footprint launch;
};

/// What a machine ledger is shown with.
struct MachineLedgerView {
  std::string kernel;  ///< name for people; empty: the function's
  std::string origin;  ///< where the code comes from: "specs/listings/sm_90.json.gz"
  const MachineLedgerSource* source = nullptr;    ///< null where there is none
  const UniqueBytesView* unique_bytes = nullptr;  ///< null where not asked for
  bool annotate = false;                          ///< with the whole listing
  std::size_t top_opcodes = 12;                   ///< shown to people; programs get all
};

/// The machine ledger of one launch. JSON schema perfmodel.machine-ledger/1 (docs/json.md). CSV has
/// a line per figure; with `annotate` a line per instruction.
Report machine_ledger_report(const sass::MachineLedger& ledger, const MachineLedgerView& view);

}  // namespace perfmodel::reports
