#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "model/measurement.hpp"
#include "reports/document.hpp"

namespace perfmodel::reports {

/// Why a kernel that is none of the catalogue can only be listed, and what helps.
inline constexpr std::string_view no_ledger =
    "no ledger: have its machine code counted with perfmodel ledger --cubin FILE --kernel NAME "
    "--launch FILE";

/// One row per foreign kernel: launch, times and the counters that say most. CSV has their full
/// names and all that a table can hold.
Table foreign_kernel_table(std::span<const Measurement> entries);

/// The table, and below it what is missing. Nothing where there are no entries.
void append_foreign_kernels(Document& document, std::span<const Measurement> entries);

/// One object per foreign kernel, with all of its counters.
nlohmann::ordered_json foreign_kernels_json(std::span<const Measurement> entries);

}  // namespace perfmodel::reports
