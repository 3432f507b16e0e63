#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "model/launch_audit.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/timeline/stall_profile.hpp"
#include "reports/document.hpp"

namespace perfmodel::reports {

/// What an audit shows of where the warps of its timeline spend their cycles.
struct StallView {
  StallProfile profile;
  std::span<const sass::LedgerLine> lines;  ///< of the function, by position
  bool all = false;                         ///< every instruction, not only the hottest
};

/// Utilisation of every unit, reasons beside those measured, loops and the hottest instructions.
void add_stalls(Document& document, const LaunchAudit& audit, const StallView& view);

/// One row for each instruction shown, by loop, the hottest first.
Table stall_instruction_table(const StallView& view);

/// The members `utilisation` and `stalls` of an audit.
void add_stalls_json(nlohmann::ordered_json& json, const LaunchAudit& audit, const StallView& view);

}  // namespace perfmodel::reports
