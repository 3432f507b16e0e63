#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/measurement.hpp"
#include "reports/render.hpp"

namespace perfmodel::reports {

/// A measurement with the work it did.
struct MeasuredRow {
  Measurement measurement;
  double flop{};
  double required_bytes{};  ///< each input read once, each output written once
};

/// Times of a recording: minimum, quartiles, speed, clock, verification; skipped kernels with their
/// reasons. JSON schema perfmodel.measurements/1.
Report measure_report(const Recording& recording, std::span<const MeasuredRow> rows,
                      std::span<const std::string> empty);

/// The design space of the sweep kernel, fastest first. JSON schema perfmodel.sweep/1.
Report sweep_report(const Recording& recording, std::span<const MeasuredRow> rows);

/// The scaling study; its CSV has the columns kernel, size, ms, gflops, bytes_gb, ai, bw_gbs,
/// occup_theory, check. JSON schema perfmodel.study/1.
Report study_report(const Recording& recording, std::span<const MeasuredRow> rows);

}  // namespace perfmodel::reports
