#include "model/performance_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/text.hpp"
#include "model/time_split.hpp"

namespace perfmodel {
namespace {

template <typename T>
Provenance sourced(std::string topic, std::string figure, const Sourced<T>& value) {
  return {std::move(topic), std::move(figure), std::string(to_string(value.origin)), value.source};
}

void add_device(PerformanceReport& report) {
  const Device& device = report.device;
  std::vector<Provenance>& lines = report.provenance;
  lines.push_back({"device", fmt::format("{} ({})", device.title, device.architecture), "", ""});
  lines.push_back(sourced("SMs", std::to_string(device.sm_count.value), device.sm_count));
  lines.push_back(sourced("fp32 FMAs per cycle and SM",
                          std::to_string(device.fma_per_clk_per_sm.value),
                          device.fma_per_clk_per_sm));
  lines.push_back(sourced("DRAM bandwidth",
                          fmt::format("{:.4g} GB/s", device.dram_bytes_per_s.value / 1e9),
                          device.dram_bytes_per_s));
  if (device.l2_bytes) {
    constexpr double mib = 1024.0 * 1024.0;
    lines.push_back(
        sourced("L2", fmt::format("{:.4g} MiB", static_cast<double>(device.l2_bytes->value) / mib),
                *device.l2_bytes));
  }
  for (const ClockBasis& basis : device.clocks) {
    lines.push_back(sourced(fmt::format("clock, {}", basis.name),
                            fmt::format("{:.4g} GHz", basis.clock_hz.value / 1e9), basis.clock_hz));
  }
  lines.push_back({"clock of this report", fmt::format("{:.4g} GHz", report.clock.hz / 1e9), "",
                   report.clock.basis});
}

std::string environment_summary(const Environment& environment) {
  std::vector<std::string> parts;
  const auto note = [&](const char* what, const std::optional<std::string>& value) {
    if (value) {
      parts.push_back(fmt::format("{} {}", what, *value));
    }
  };
  note("driver", environment.driver);
  note("CUDA", environment.cuda_runtime);
  note("on", environment.date_utc);
  note("commit", environment.git_commit);
  return join(parts);
}

void add_constants(PerformanceReport& report, const HardwareConstants& constants) {
  report.provenance.push_back(
      {"constants",
       fmt::format("{} measured, {} skipped", constants.constants.size(), constants.skipped.size()),
       "measured",
       fmt::format("micro-benchmarks on {}{}{}", constants.device,
                   environment_summary(constants.environment).empty() ? "" : ", ",
                   environment_summary(constants.environment))});
}

void add_coefficients(PerformanceReport& report, const ThroughputCoefficients& coefficients) {
  report.provenance.push_back(
      {"overlap of work and latency",
       fmt::format("{:.3g} ± {:.2g}", coefficients.exposed_share, coefficients.std_error),
       "calibrated", fmt::format("on {}: {}", coefficients.device, join(coefficients.references))});
}

}  // namespace

std::optional<double> KernelFigures::measured_s() const {
  if (analysed) {
    return analysed->median_s;
  }
  return audit ? audit->measured_s : recorded_s;
}

KernelFigures foreign_figures(const Measurement& entry) {
  KernelFigures figures;
  figures.name = entry.label();
  figures.recorded_s = entry.median_s;
  figures.why_not_audited = "another tool measured it, and no ledger says what it does";
  return figures;
}

KernelFigures audited_figures(std::string name, const LaunchProfile& profile, LaunchAudit audit,
                              std::vector<CeilingSet> const& ceilings) {
  KernelFigures figures;
  figures.name = std::move(name);
  const LaunchWork work = launch_work(profile.ledger.totals, audit.traffic);
  const double seconds = audit.measured_s.value_or(audit.predictions.front().seconds);
  figures.points = roofline_points(work, seconds, ceilings);
  figures.uncounted_products = work.uncounted_products;
  figures.instructions = instruction_points(work, seconds, ceilings);
  figures.time_split = time_split(audit);
  figures.hot_loop = hottest_loop(profile.ledger, audit.timeline.sm);
  figures.audit = std::move(audit);
  return figures;
}

PerformanceReport report_of_device(const Device& device, const Clock& clock,
                                   const ReportBasis& basis) {
  PerformanceReport report;
  report.device = device;
  report.clock = clock;
  report.ceilings = ceiling_sets(device, basis.constants);
  // What was measured is what a kernel can reach; else the clock of this report.
  for (std::size_t i = 0; i < report.ceilings.size(); ++i) {
    if (report.ceilings[i].is_measured || report.ceilings[i].clock_hz == clock.hz) {
      report.first_ceiling = i;
    }
  }
  add_device(report);
  if (basis.constants != nullptr) {
    add_constants(report, *basis.constants);
  }
  if (basis.coefficients != nullptr) {
    add_coefficients(report, *basis.coefficients);
  }
  report.provenance.push_back({"perfmodel", basis.version, "", ""});
  return report;
}

void add_recording(PerformanceReport& report, const Analysis& analysis) {
  report.recording = analysis.recording;
  const std::string environment =
      analysis.environment ? environment_summary(*analysis.environment) : "";
  report.provenance.push_back({"times", fmt::format("recording {}", analysis.recording),
                               std::string(to_string(analysis.source_kind)),
                               environment.empty()
                                   ? analysis.source
                                   : fmt::format("{}; {}", analysis.source, environment)});
  for (const ModelAnalysis& model : analysis.models) {
    if (model.held_out) {
      report.provenance.push_back(
          {fmt::format("model {}", model.name),
           fmt::format("median error {:.1f} %", 100 * model.held_out->median), "calibrated",
           fmt::format("absolute error of {} held-out kernels, largest {:.1f} %",
                       model.held_out->count, 100 * model.held_out->max)});
    }
  }
  report.warnings.insert(report.warnings.end(), analysis.warnings.begin(), analysis.warnings.end());
}

void complete(PerformanceReport& report, const ThroughputCoefficients& coefficients) {
  std::vector<LadderRung> rungs;
  for (KernelFigures& kernel : report.kernels) {
    const std::string label = fmt::format("{} at {}", kernel.name, kernel.shape);
    const bool is_reference =
        coefficients.device == report.device.name &&
        std::ranges::find(coefficients.references, label) != coefficients.references.end();
    kernel.role = is_reference ? Role::reference : Role::held_out;
    if (!kernel.audit && kernel.analysed) {
      kernel.points = source_points(*kernel.analysed, report.ceilings);
    }
    if (kernel.analysed) {
      rungs.push_back({&*kernel.analysed, kernel.audit ? &*kernel.audit : nullptr});
    }
  }
  report.ladder = ladder_steps(rungs);
}

}  // namespace perfmodel
