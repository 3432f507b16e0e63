#include "model/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

/// The kernels of a recording with every figure that needs no cost model.
class Measured {
 public:
  Measured(const Device& device, const Recording& recording, const KernelLookup& kernels,
           const AnalysisOptions& options, const Clock& clock)
      : device_(device), clock_(clock), options_(options) {
    for (const Measurement& entry : recording.entries) {
      if (!entry.foreign) {
        kernels_.push_back(describe(kernels(entry.kernel), entry));
      }
    }
    std::map<std::string, std::vector<KernelAnalysis*>> comparable;
    for (KernelAnalysis& kernel : kernels_) {
      comparable[kernel.family + " " + kernel.shape.key()].push_back(&kernel);
    }
    for (auto& [key, group] : comparable) {
      compare(group);
    }
  }

  [[nodiscard]] std::vector<KernelAnalysis>& kernels() { return kernels_; }
  [[nodiscard]] const std::vector<KernelAnalysis>& kernels() const { return kernels_; }

 private:
  [[nodiscard]] KernelAnalysis describe(const KernelSpec& spec, const Measurement& entry) const {
    KernelAnalysis kernel;
    kernel.name = spec.name;
    kernel.family = spec.family;
    kernel.library = spec.library.value_or("");
    kernel.summary = spec.summary;
    kernel.shape = entry.shape.ordered_as(spec.dimensions);
    kernel.median_s = entry.median_s;
    kernel.cache_mode = entry.cache_mode;
    kernel.work = evaluate_work(spec, kernel.shape);

    const double fmas = to_double(kernel.work.fmas);
    kernel.flop_per_s = 2.0 * fmas / entry.median_s;
    const double cycles =
        cycles_per_warp_fma(entry.median_s, fmas, device_.sm_count.value, clock_.hz);
    kernel.cycles_per_warp_fma = options_.rounded_to_decimals
                                     ? round_to_decimals(cycles, *options_.rounded_to_decimals)
                                     : cycles;
    kernel.compulsory_s = to_double(kernel.work.required_bytes) / device_.dram_bytes_per_s.value;
    kernel.share_of_peak = kernel.flop_per_s / device_.peak_flop_per_s(clock_.hz);
    for (const ClockBasis& basis : device_.clocks) {
      kernel.peak_shares.push_back(
          {{basis.name, basis.clock_hz.value},
           kernel.flop_per_s / device_.peak_flop_per_s(basis.clock_hz.value)});
    }
    if (spec.ledger) {
      kernel.ledger = evaluate_source_ledger(spec, kernel.shape);
      kernel.roofline = evaluate_roofline(to_double(kernel.ledger->arithmetic_intensity),
                                          device_.dram_bytes_per_s.value, kernel.flop_per_s);
      kernel.cycles_per_load = per(kernel.cycles_per_warp_fma, kernel.ledger->loads_per_fma());
      kernel.cycles_per_request = per(kernel.cycles_per_warp_fma, kernel.ledger->requests_per_fma);
    }
    return kernel;
  }

  static std::optional<double> per(double cycles, const Rational& count) {
    return count > 0 ? std::optional(cycles / to_double(count)) : std::nullopt;
  }

  static void compare(std::vector<KernelAnalysis*>& group) {
    std::ranges::stable_sort(
        group, [](const auto* a, const auto* b) { return a->flop_per_s > b->flop_per_s; });
    const auto library =
        std::ranges::find_if(group, [](const auto* kernel) { return !kernel->library.empty(); });
    for (std::size_t i = 0; i < group.size(); ++i) {
      group[i]->rank = i + 1;
      if (library != group.end()) {
        group[i]->share_of_library = group[i]->flop_per_s / (*library)->flop_per_s;
      }
    }
  }

  const Device& device_;
  const Clock& clock_;
  const AnalysisOptions& options_;
  std::vector<KernelAnalysis> kernels_;
};

void require_references_known(const std::vector<KernelAnalysis>& kernels,
                              const std::vector<std::string>& references,
                              const std::string& recording) {
  std::vector<std::string> measured;
  for (const KernelAnalysis& kernel : kernels) {
    if (kernel.ledger && std::ranges::find(measured, kernel.name) == measured.end()) {
      measured.push_back(kernel.name);
    }
  }
  if (measured.empty()) {
    fail(fmt::format("recording {} has no kernel with a source ledger to calibrate on", recording));
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    const std::string& name = references[i];
    if (std::ranges::find(measured, name) == measured.end()) {
      fail(
          fmt::format("reference '{}' has no measurement with a source ledger in recording {}{}; "
                      "there are {}",
                      printable(name), recording, did_you_mean(name, measured), join(measured)));
    }
    if (std::find(references.begin(), references.begin() + static_cast<std::ptrdiff_t>(i), name) !=
        references.begin() + static_cast<std::ptrdiff_t>(i)) {
      fail(fmt::format("reference {} is given twice; each may stand once", name));
    }
  }
}

/// The references at one shape: `preferred` if all were measured there, else the shape with the
/// most measurements among those that have all of them; the first of several in the recording.
std::vector<Observation> find_references(const std::vector<KernelAnalysis>& kernels,
                                         const std::vector<std::string>& references,
                                         const std::string& preferred,
                                         const std::string& recording) {
  require_references_known(kernels, references, recording);
  std::vector<std::string> shapes;  // in the order of the recording
  std::map<std::string, std::vector<const KernelAnalysis*>> by_shape;
  for (const KernelAnalysis& kernel : kernels) {
    const std::string key = kernel.shape.key();
    std::vector<const KernelAnalysis*>& group = by_shape[key];
    if (group.empty()) {
      shapes.push_back(key);
    }
    group.push_back(&kernel);
  }
  std::vector<Observation> best;
  std::size_t best_count = 0;
  for (const std::string& shape : shapes) {
    const std::vector<const KernelAnalysis*>& group = by_shape[shape];
    std::vector<Observation> found;
    for (const std::string& name : references) {
      const auto match = std::ranges::find_if(
          group, [&](const auto* kernel) { return kernel->name == name && kernel->ledger; });
      if (match != group.end()) {
        found.push_back({name, (*match)->shape, *(*match)->ledger, (*match)->cycles_per_warp_fma});
      }
    }
    const std::size_t count = shape == preferred ? kernels.size() + 1 : group.size();
    if (found.size() == references.size() && count > best_count) {
      best = std::move(found);
      best_count = count;
    }
  }
  if (best.empty()) {
    fail(fmt::format("recording {} has no shape at which all of {} were measured", recording,
                     join(references)));
  }
  return best;
}

/// The shape with the most measurements; the larger work wins a tie. There is at least one kernel.
Shape main_shape(const std::vector<KernelAnalysis>& kernels) {
  std::map<std::string, std::size_t> counts;
  for (const KernelAnalysis& kernel : kernels) {
    ++counts[kernel.shape.key()];
  }
  const auto best =
      std::ranges::max_element(kernels, [&](const KernelAnalysis& a, const KernelAnalysis& b) {
        return std::pair(counts[a.shape.key()], a.work.fmas) <
               std::pair(counts[b.shape.key()], b.work.fmas);
      });
  return best->shape;
}

std::vector<const CostModel*> chosen_models(const AnalysisOptions& options) {
  std::vector<const CostModel*> models;
  for (const std::string& name : options.models) {
    const CostModel* model = &find_cost_model(name);
    if (std::ranges::find(models, model) == models.end()) {
      models.push_back(model);
    }
  }
  if (models.empty()) {
    for (const CostModel& model : cost_models()) {
      models.push_back(&model);
    }
  }
  return models;
}

void warn_about_costs(Analysis& analysis, const CostTable& table) {
  for (const UnitCost& cost : table.costs) {
    if (cost.cycles < 0.0) {
      analysis.warnings.push_back(
          fmt::format("model {}: the price of {} is negative ({:.4g} cycles), which is not "
                      "physical; the references do not separate it",
                      table.model, cost.name, cost.cycles));
    }
  }
  if (table.basis.device != analysis.device.name) {
    analysis.warnings.push_back(fmt::format("model {}: its prices were calibrated on {}, not {}",
                                            table.model, table.basis.device, analysis.device.name));
  }
  if (table.basis.clock_hz != analysis.clock.hz) {
    analysis.warnings.push_back(fmt::format(
        "model {}: its prices were calibrated at {:.4g} GHz ({}), not {:.4g} GHz", table.model,
        table.basis.clock_hz / 1e9, table.basis.clock_basis, analysis.clock.hz / 1e9));
  }
}

void calibrate_models(Analysis& analysis, const std::vector<KernelAnalysis>& kernels,
                      const AnalysisOptions& options, const std::string& preferred_shape) {
  const CalibrationBasis basis{analysis.device.name, analysis.recording, analysis.clock.basis,
                               analysis.clock.hz, options.rounded_to_decimals};
  if (!options.references.empty()) {
    require_references_known(kernels, options.references, analysis.recording);
  }
  const std::vector<const CostModel*> models = chosen_models(options);
  for (const CostModel* model : models) {
    ModelAnalysis& result = analysis.models.emplace_back();
    result.name = model->name;
    // What was asked for must work: a model by name, or the first one with the given references.
    const bool may_be_missing =
        options.models.empty() && (options.references.empty() || model != models.front());
    try {
      const std::vector<std::string>& names =
          options.references.empty() ? model->default_references : options.references;
      result.costs = calibrate(
          *model, find_references(kernels, names, preferred_shape, analysis.recording), basis);
    } catch (const Error& error) {
      if (!may_be_missing) {
        throw;
      }
      result.why_not_calibrated = error.what();
    }
  }
}

void predict_kernel(KernelAnalysis& kernel, const std::vector<ModelAnalysis>& models,
                    const Analysis& analysis) {
  if (!kernel.ledger) {
    return;
  }
  for (const ModelAnalysis& model : models) {
    if (!model.costs) {
      continue;
    }
    Prediction prediction;
    prediction.model = model.name;
    prediction.shares = predict(*model.costs, *kernel.ledger);
    for (const CostShare& share : prediction.shares) {
      prediction.cycles_per_warp_fma += share.cycles;
    }
    prediction.error = (prediction.cycles_per_warp_fma / kernel.cycles_per_warp_fma) - 1.0;
    const CalibrationBasis& basis = model.costs->basis;
    const bool same_data =
        basis.device == analysis.device.name && basis.recording == analysis.recording;
    prediction.role = same_data && model.costs->has_reference(kernel.name, kernel.shape)
                          ? Role::reference
                          : Role::held_out;
    kernel.predictions.push_back(std::move(prediction));
  }
}

void summarize_held_out(Analysis& analysis) {
  for (ModelAnalysis& model : analysis.models) {
    std::vector<double> errors;
    for (const KernelAnalysis& kernel : analysis.kernels) {
      for (const Prediction& prediction : kernel.predictions) {
        if (prediction.model == model.name && prediction.role == Role::held_out) {
          errors.push_back(prediction.error);
        }
      }
    }
    model.held_out = summarize_absolute(errors);
  }
}

/// Moves the kernels at the wanted shapes into the analysis and lists the other shapes.
void select_shapes(Analysis& analysis, std::vector<KernelAnalysis> kernels,
                   const std::string& wanted_key) {
  for (KernelAnalysis& kernel : kernels) {
    if (wanted_key.empty() || kernel.shape.key() == wanted_key) {
      analysis.kernels.push_back(std::move(kernel));
    } else if (std::ranges::find(analysis.other_shapes, kernel.shape) ==
               analysis.other_shapes.end()) {
      analysis.other_shapes.push_back(kernel.shape);
    }
  }
}

/// The key of the one shape that `text` asks for. The dimensions are those of the first measured
/// kernel that such a shape fits.
std::string requested_shape_key(const std::string& text, const std::vector<KernelAnalysis>& kernels,
                                const std::string& recording) {
  std::vector<std::string> measured;
  std::string problem;
  for (const KernelAnalysis& kernel : kernels) {
    std::vector<std::string> dimensions;
    for (const auto& [name, extent] : kernel.shape.extents()) {
      dimensions.push_back(name);
    }
    try {
      if (Shape::parse(text, dimensions) == kernel.shape) {
        return kernel.shape.key();
      }
    } catch (const Error& error) {
      problem = error.what();
    }
    const std::string shape = kernel.shape.to_string();
    if (std::ranges::find(measured, shape) == measured.end()) {
      measured.push_back(shape);
    }
  }
  if (!problem.empty()) {
    fail(problem);
  }
  if (measured.empty()) {
    fail(fmt::format("recording {} has no kernel of the catalogue, so none at a shape", recording));
  }
  fail(fmt::format("recording {} has no measurement at shape {}; there are {}", recording,
                   printable(text), join(measured)));
}

}  // namespace

std::string_view to_string(Role role) {
  switch (role) {
    case Role::reference:
      return "reference";
    case Role::held_out:
      return "held-out";
  }
  return "";
}

Clock resolve_clock(const Device& device, std::string_view text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status == std::errc::invalid_argument) {
    const ClockBasis& basis = device.clock(text);
    return {basis.name, basis.clock_hz.value};
  }
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  static const std::map<std::string_view, double> scales = {
      {"", 1.0}, {"Hz", 1.0}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
  const auto scale = scales.find(unit);
  constexpr double slowest_hz = 1e6;
  if (status != std::errc() || scale == scales.end() || !std::isfinite(value) ||
      value * scale->second < slowest_hz) {
    fail(
        fmt::format("clock '{}' is not a frequency of at least 1 MHz; write it as 2.64GHz, "
                    "2640MHz or 2.64e9, or name a clock basis",
                    printable(text)));
  }
  return {"given", value * scale->second};
}

Analysis analyze(const Device& device, const Recording& recording, const KernelLookup& kernels,
                 const AnalysisOptions& options) {
  if (recording.device != device.name) {
    fail(fmt::format("recording {} was made on {}, not on {}", recording.name, recording.device,
                     device.name));
  }
  Analysis analysis;
  analysis.device = device;
  analysis.recording = recording.name;
  analysis.source = recording.source;
  analysis.source_kind = recording.source_kind;
  analysis.environment = recording.environment;
  analysis.clock = options.clock.empty() ? Clock{recording.clock_basis, recording.clock_hz}
                                         : resolve_clock(device, options.clock);
  if (analysis.clock.hz == 0.0) {
    const ClockBasis& basis = device.clocks.front();
    analysis.clock = {basis.name, basis.clock_hz.value};
    analysis.warnings.push_back(
        fmt::format("recording {} does not tell its clock; {} is the device's {}", recording.name,
                    fmt::format("{:.4g} GHz", analysis.clock.hz / 1e9), basis.name));
  }
  std::ranges::copy_if(recording.entries, std::back_inserter(analysis.foreign),
                       [](const Measurement& entry) { return entry.foreign.has_value(); });

  Measured measured(device, recording, kernels, options, analysis.clock);
  const bool one_shape = !options.shape.empty() && options.shape != "all";
  const std::string requested =
      one_shape ? requested_shape_key(options.shape, measured.kernels(), recording.name) : "";

  if (options.costs.empty()) {
    calibrate_models(analysis, measured.kernels(), options, requested);
  } else {
    for (const CostTable& table : options.costs) {
      analysis.models.push_back({table.model, table, "", std::nullopt});
    }
  }
  std::string shown = requested;
  const std::optional<CostTable>& costs = analysis.models.front().costs;
  if (options.shape.empty() && costs && !measured.kernels().empty()) {
    // Prices from elsewhere say nothing about which shape of this recording is meant.
    shown = options.costs.empty() ? costs->references.front().shape.key()
                                  : main_shape(measured.kernels()).key();
  }
  select_shapes(analysis, std::move(measured.kernels()), shown);
  for (const ModelAnalysis& model : analysis.models) {
    if (model.costs) {
      warn_about_costs(analysis, *model.costs);
    }
  }
  for (KernelAnalysis& kernel : analysis.kernels) {
    predict_kernel(kernel, analysis.models, analysis);
    kernel.verdict = judge(kernel, device);
  }
  summarize_held_out(analysis);
  return analysis;
}

}  // namespace perfmodel
