#pragma once

#include "model/kernel_spec.hpp"
#include "model/shape.hpp"
#include "model/source_ledger.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// The source ledgers of one kernel at one shape. JSON schema perfmodel.ledger/1.
Report ledger_report(const KernelSpec& kernel, const Shape& shape, const SourceLedger& ledger);

}  // namespace perfmodel::reports
