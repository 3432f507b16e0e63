#pragma once

#include <nlohmann/json.hpp>

#include "model/sass/machine_ledger.hpp"
#include "reports/machine_ledger_report.hpp"

namespace perfmodel::reports {

/// A count as a JSON integer where it is whole, as people expect of executions.
nlohmann::ordered_json count_json(double count);

/// Schema perfmodel.machine-ledger/1.
nlohmann::ordered_json machine_ledger_json(const sass::MachineLedger& ledger,
                                           const MachineLedgerView& view);

}  // namespace perfmodel::reports
