#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/sass/machine_ledger.hpp"
#include "model/source_ledger.hpp"

namespace perfmodel::sass {

/// One count of the source beside the machine code's. Everything is per useful FMA, counted for
/// whole warps: 32 x executions / useful FMAs, as the source ledger counts masked lanes too.
struct LedgerComparisonRow {
  std::string name;              ///< "dist", "bcast", "ldg", "fma", "lines", "other"
  std::string meaning;           ///< "distinct shared reads"
  std::optional<double> source;  ///< nothing where the source ledger does not count it
  double instructions = 0;       ///< of the machine code
  double elements = 0;           ///< array elements that they move per lane; 0 where none are
  /// Why the machine's counts differ from the source's; each follows from the machine ledger.
  std::vector<std::string> reasons;
};

/// A source ledger and a machine ledger of the same work.
struct LedgerComparison {
  double useful_fmas = 0;
  std::int64_t element_bytes = 4;
  std::vector<LedgerComparisonRow> rows;
};

/// Compares what the source asks for with what the machine code does. `element_bytes` is the size
/// of the arrays' elements (`SourceLedgerSpec::element_bytes`). Both ledgers must be of the same
/// problem. Throws Error when `element_bytes` is not positive.
LedgerComparison compare_ledgers(const SourceLedger& source, std::int64_t element_bytes,
                                 const MachineLedger& machine);

}  // namespace perfmodel::sass
