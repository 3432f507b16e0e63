#include "app/performance_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "app/model_inputs.hpp"
#include "app/progress.hpp"
#include "kernels/catalog.hpp"
#include "kernels/spmv/matrix.hpp"
#include "model/error.hpp"
#include "profiling/build_info.hpp"
#include "reports/html_report.hpp"
#include "reports/svg_roofline.hpp"

namespace perfmodel::app {
namespace {

std::string version_text() {
  const std::string_view commit = profiling::build_commit();
  return fmt::format("{}{}", profiling::build_version(),
                     commit.empty() ? "" : fmt::format(" ({})", commit));
}

/// --format, or the ending of --out where there is none.
std::string page_format(const OutputOptions& options) {
  if (!options.format.empty()) {
    return options.format;
  }
  const std::string ending = std::filesystem::path(options.out).extension().string();
  return ending.empty() ? "" : ending.substr(1);
}

/// Audits the kernels of an analysis one by one, from any thread.
class Auditor {
 public:
  Auditor(const Analysis& analysis, spec::Catalog& catalog, const ModelInputs& inputs,
          const std::vector<CeilingSet>& ceilings)
      : analysis_(analysis),
        catalog_(catalog),
        inputs_(inputs),
        ceilings_(ceilings),
        arch_(stored_architecture(catalog, analysis.device)) {}

  KernelFigures figures(const KernelAnalysis& kernel) {
    KernelFigures figures;
    try {
      figures = audit(kernel);
    } catch (const Error& error) {
      figures.name = kernel.name;
      figures.why_not_audited = error.what();
    }
    figures.shape = kernel.shape.to_string();
    figures.analysed = kernel;
    return figures;
  }

 private:
  KernelFigures audit(const KernelAnalysis& kernel) {
    if (arch_.empty() || !kernel.library.empty()) {
      throw Error(ErrorKind::unavailable,
                  kernel.library.empty() ? fmt::format("no machine code for {} is stored",
                                                       analysis_.device.architecture)
                                         : fmt::format("the code is that of {}", kernel.library));
    }
    const LoadedLaunch loaded = load(kernel);
    sass::EmulationOptions emulation;
    emulation.find_defects = false;
    emulation.threads = 1;
    const LaunchProfile profile = profile_launch(*loaded.module, *loaded.function, loaded.launch,
                                                 analysis_.device, emulation);
    AuditOptions options;
    options.emulation = std::move(emulation);
    options.measured_s = kernel.median_s;
    options.l2 = l2_state_of(kernel.cache_mode);
    KernelFigures figures = audited_figures(
        kernel.name, profile,
        audit_launch(profile, analysis_.device, inputs_.constants ? &*inputs_.constants : nullptr,
                     inputs_.coefficients, analysis_.clock.hz, options),
        ceilings_);
    figures.code = loaded.origin;
    return figures;
  }

  LoadedLaunch load(const KernelAnalysis& kernel) {
    // The catalogue keeps what it has read.
    const std::scoped_lock lock(catalog_mutex_);
    MachineOptions machine;
    machine.arch = arch_;
    if (kernel.family == "spmv") {
      machine.matrix = kernels::built_in_matrix(kernel.shape.extent("nnz"));
      return load_catalogue_launch(catalog_, kernel.name, "", machine);
    }
    return load_catalogue_launch(catalog_, kernel.name, kernel.shape.to_string(), machine);
  }

  const Analysis& analysis_;
  spec::Catalog& catalog_;
  std::mutex catalog_mutex_;
  const ModelInputs& inputs_;
  const std::vector<CeilingSet>& ceilings_;
  std::string arch_;
};

void audit_all(PerformanceReport& report, const Analysis& analysis, Auditor& auditor) {
  const std::size_t total = analysis.kernels.size();
  report.kernels.resize(total);
  Progress progress(total, standard_error_terminal());
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex mutex;
  const auto work = [&] {
    std::size_t i = 0;
    while ((i = next.fetch_add(1)) < total) {
      report.kernels[i] = auditor.figures(analysis.kernels[i]);
      const std::scoped_lock lock(mutex);
      progress.update(++done, analysis.kernels[i].name);
    }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    workers.emplace_back(work);
  }
  work();
}

}  // namespace

PerformanceReport empty_report(const Device& device, const Clock& clock,
                               const std::optional<HardwareConstants>& constants,
                               const ThroughputCoefficients& coefficients) {
  return report_of_device(device, clock,
                          {constants ? &*constants : nullptr, &coefficients, version_text()});
}

PerformanceReport report_of_analysis(const Analysis& analysis, spec::Catalog& catalog) {
  const ModelInputs inputs =
      load_model_inputs(catalog, analysis.device, analysis.clock.hz, "", false);
  PerformanceReport report =
      empty_report(analysis.device, analysis.clock, inputs.constants, inputs.coefficients);
  report.title = fmt::format("{} on {}", analysis.recording, analysis.device.title);
  add_recording(report, analysis);
  report.warnings.insert(report.warnings.end(), inputs.warnings.begin(), inputs.warnings.end());
  Auditor auditor(analysis, catalog, inputs, report.ceilings);
  audit_all(report, analysis, auditor);
  std::ranges::transform(analysis.foreign, std::back_inserter(report.kernels), foreign_figures);
  complete(report, inputs.coefficients);
  return report;
}

bool is_page(const OutputOptions& options) {
  return page_format(options) == "html" || is_picture(options);
}

bool is_picture(const OutputOptions& options) { return page_format(options) == "svg"; }

void write_page(const PerformanceReport& report, const OutputOptions& options) {
  write_text(
      page_format(options) == "html" ? reports::html_report(report) : reports::svg_roofline(report),
      options);
}

}  // namespace perfmodel::app
