#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/analysis.hpp"
#include "model/hardware_constants.hpp"
#include "model/hot_loop.hpp"
#include "model/ladder.hpp"
#include "model/launch_audit.hpp"
#include "model/roofline_chart.hpp"
#include "model/throughput_model.hpp"
#include "model/what_if.hpp"

namespace perfmodel {

/// Everything that a page shows of one kernel. Both `analysed` and `audit` are missing where
/// nothing tells what it does.
struct KernelFigures {
  std::string name;
  std::string shape;  ///< of a kernel of the catalogue; else empty
  std::string code;   ///< where its machine code comes from; empty: there is none
  std::optional<KernelAnalysis> analysed;
  std::optional<LaunchAudit> audit;
  std::optional<WhatIf> what_if;                ///< what changes asked for would bring to `audit`
  std::optional<double> recorded_s;             ///< of a kernel that only has a time
  std::string why_not_audited;                  ///< where `audit` is empty
  Role role = Role::held_out;                   ///< of the audit's predictions
  std::vector<RooflinePoint> points;            ///< of the type with most FLOP first
  std::vector<std::string> uncounted_products;  ///< see LaunchWork
  std::vector<RooflinePoint> instructions;
  std::vector<LimitShare> time_split;
  std::optional<HotLoop> hot_loop;

  [[nodiscard]] std::optional<double> measured_s() const;
};

/// A figure that the report rests on, and where it comes from.
struct Provenance {
  std::string topic;   ///< "DRAM bandwidth"
  std::string figure;  ///< "4814 GB/s"
  std::string origin;  ///< "datasheet", "measured", "derived", "calibrated"
  std::string source;
};

/// One device, its ceilings, and kernels on it.
struct PerformanceReport {
  std::string title;
  Device device;
  Clock clock;
  std::string recording;  ///< empty: nothing was recorded
  std::vector<CeilingSet> ceilings;
  std::size_t first_ceiling = 0;  ///< the set to show first
  std::vector<KernelFigures> kernels;
  std::vector<LadderStep> ladder;
  std::vector<Provenance> provenance;
  std::vector<std::string> warnings;
};

/// What a report is made from; `constants` may be null.
struct ReportBasis {
  const HardwareConstants* constants = nullptr;
  const ThroughputCoefficients* coefficients = nullptr;
  std::string version;  ///< of perfmodel
};

/// The figures of a launch that was audited. `profile` and `audit` belong together.
KernelFigures audited_figures(std::string name, const LaunchProfile& profile, LaunchAudit audit,
                              std::vector<CeilingSet> const& ceilings);

/// A report without kernels: ceilings and provenance of the device.
PerformanceReport report_of_device(const Device& device, const Clock& clock,
                                   const ReportBasis& basis);

/// A kernel of another tool's recording, of which only the time is known.
KernelFigures foreign_figures(const Measurement& entry);

/// Adds what a recording's analysis says to the provenance and the warnings.
void add_recording(PerformanceReport& report, const Analysis& analysis);

/// Fills in what follows from the kernels together: points of those without machine code, roles and
/// the ladder.
void complete(PerformanceReport& report, const ThroughputCoefficients& coefficients);

}  // namespace perfmodel
