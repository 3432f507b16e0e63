#pragma once

#include <string>

#include "model/analysis.hpp"
#include "model/launch_audit.hpp"
#include "model/what_if.hpp"
#include "reports/render.hpp"
#include "reports/stall_report.hpp"

namespace perfmodel::reports {

/// What stands around an audit.
struct LaunchAuditView {
  std::string title;   ///< "K5 at 4096x4096x4096 on NVIDIA H200"
  std::string kernel;  ///< name for programs
  std::string shape;   ///< of a kernel of the catalogue; else empty
  std::string origin;  ///< where the machine code comes from; empty: there is none
  /// Of the recording that has the kernel at this shape; null: none has.
  const Analysis* analysis = nullptr;
  const KernelAnalysis* analysed = nullptr;
  const StallView* stalls = nullptr;  ///< null: they were not asked for
  const WhatIf* what_if = nullptr;    ///< null: nothing was asked
};

/// A launch: its verdict and the evidence line by line, bounds, traffic and predictions, and what
/// the source ledger says where a recording has the kernel. `audit` null: there is no machine code,
/// and only the source ledger speaks. JSON schema perfmodel.audit/2.
Report launch_audit_report(const LaunchAudit* audit, const LaunchAuditView& view);

}  // namespace perfmodel::reports
