#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/sass/ledger_audit.hpp"
#include "model/shape.hpp"
#include "model/verdict.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// The audit of one kernel at one shape, or of one launch that another tool measured.
struct AuditedKernel {
  std::string label;  ///< "K3 at 4096x4096x4096"
  std::vector<sass::AuditFigure> figures;
  /// Where the counters come from, or why there are none.
  std::string source;
  std::string refused;
  std::vector<Evidence> evidence;  ///< without counters, instead of them
};

/// One instruction, by emulation and by the hardware.
struct AuditedInstruction {
  std::uint32_t address = 0;
  std::string text;
  sass::AuditFigure executions;
  std::optional<sass::AuditFigure> wavefronts;  ///< of shared memory
  std::optional<sass::AuditFigure> sectors;     ///< of global memory
};

/// Source ledger, machine ledger and counters side by side, each with its difference and a mark.
/// JSON schema perfmodel.ledger-audit/1.
Report ledger_audit_report(const std::string& device, const std::string& recording,
                           std::span<const AuditedKernel> kernels);

/// The same by instruction, for one launch.
Report instruction_audit_report(const std::string& kernel, const Shape& shape,
                                const std::string& device,
                                std::span<const AuditedInstruction> instructions);

}  // namespace perfmodel::reports
