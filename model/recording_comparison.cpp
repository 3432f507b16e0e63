#include "model/recording_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "model/error.hpp"
#include "model/roofline.hpp"
#include "model/source_ledger.hpp"
#include "model/text.hpp"

namespace perfmodel {
namespace {

/// Counters that differ by less are the same: those of memory vary from launch to launch.
constexpr double same_count = 0.01;
/// Clocks closer than this are the same: a driver tells them in whole MHz.
constexpr double same_clock = 0.001;

std::string identity(const std::string& kernel, const Shape& shape,
                     const std::optional<ForeignKernel>& foreign) {
  return foreign ? "function " + foreign->label() : "kernel " + kernel + " " + shape.key();
}

template <typename Entry>
std::string identity(const Entry& entry) {
  return identity(entry.kernel, entry.shape, entry.foreign);
}

std::optional<std::int64_t> threads(const ForeignKernel& kernel) {
  if (!kernel.grid || !kernel.block) {
    return std::nullopt;
  }
  std::int64_t count = 1;
  for (const Extents* extents : {&*kernel.grid, &*kernel.block}) {
    for (const std::int64_t extent : *extents) {
      if (__builtin_mul_overflow(count, extent, &count)) {
        return std::nullopt;
      }
    }
  }
  return count;
}

/// What stays of a function when its blocks change size: empty where it cannot be told.
std::string resized_identity(const Measurement& entry) {
  const std::optional<std::int64_t> count =
      entry.foreign ? threads(*entry.foreign) : std::optional<std::int64_t>();
  if (!count) {
    return {};
  }
  ForeignKernel plain = *entry.foreign;
  plain.grid.reset();
  plain.block.reset();
  return fmt::format("{} {}", *count, plain.label());
}

struct Pair {
  const Measurement* a;
  const Measurement* b;
};

/// Which entries stand for the same work, and which are left.
class Matching {
 public:
  Matching(const Recording& a, const Recording& b) {
    std::unordered_map<std::string, const Measurement*> of_b;
    for (const Measurement& entry : b.entries) {
      of_b.emplace(identity(entry), &entry);
    }
    for (const Measurement& entry : a.entries) {
      const auto found = of_b.find(identity(entry));
      if (found == of_b.end()) {
        only_a_.push_back(&entry);
        continue;
      }
      pairs_.push_back({&entry, found->second});
      of_b.erase(found);
    }
    for (const Measurement& entry : b.entries) {
      if (of_b.contains(identity(entry))) {
        only_b_.push_back(&entry);
      }
    }
    pair_resized();
  }

  [[nodiscard]] const std::vector<Pair>& pairs() const { return pairs_; }
  [[nodiscard]] const std::vector<const Measurement*>& only_a() const { return only_a_; }
  [[nodiscard]] const std::vector<const Measurement*>& only_b() const { return only_b_; }

 private:
  using Entries = std::vector<const Measurement*>;

  static std::map<std::string, Entries> by_resized_identity(const Entries& entries) {
    std::map<std::string, Entries> groups;
    for (const Measurement* entry : entries) {
      groups[resized_identity(*entry)].push_back(entry);
    }
    groups.erase("");
    return groups;
  }

  /// Only where there is one candidate on either side: a guess would compare different work.
  void pair_resized() {
    const std::map<std::string, Entries> of_a = by_resized_identity(only_a_);
    const std::map<std::string, Entries> of_b = by_resized_identity(only_b_);
    for (const auto& [key, entries] : of_a) {
      const auto found = of_b.find(key);
      if (entries.size() == 1 && found != of_b.end() && found->second.size() == 1) {
        pairs_.push_back({entries.front(), found->second.front()});
        std::erase(only_a_, entries.front());
        std::erase(only_b_, found->second.front());
      }
    }
  }

  std::vector<Pair> pairs_;
  Entries only_a_;
  Entries only_b_;
};

/// What differs around the kernels.
class Conditions {
 public:
  void add(std::string_view what, const std::optional<std::string>& a,
           const std::optional<std::string>& b, std::string_view consequence) {
    found_.push_back({std::string(what), shown(a), shown(b), std::string(consequence)});
  }

  void add_if_different(std::string_view what, const std::optional<std::string>& a,
                        const std::optional<std::string>& b, std::string_view consequence) {
    if (a != b) {
      add(what, a, b, consequence);
    }
  }

  [[nodiscard]] std::vector<ConditionDifference> take() { return std::move(found_); }

 private:
  static std::string shown(const std::optional<std::string>& value) {
    return value && !value->empty() ? printable(*value) : "unknown";
  }

  std::vector<ConditionDifference> found_;
};

std::optional<std::string> board(const Recording& recording) {
  return recording.device_attributes ? recording.device_attributes->uuid : std::nullopt;
}

bool on_one_board(const Recording& a, const Recording& b) {
  return a.device == b.device && board(a) && board(a) == board(b);
}

std::optional<std::string> clock_text(const Recording& recording) {
  return recording.clock_hz > 0.0
             ? std::optional(fmt::format("{:.4g} GHz", recording.clock_hz * 1e-9))
             : std::nullopt;
}

std::vector<ConditionDifference> find_conditions(const Recording& a, const Recording& b) {
  Conditions conditions;
  constexpr std::string_view part = "part of the change that is seen";
  conditions.add_if_different("device", a.device, b.device,
                              "verdicts are of the devices as much as of the code");
  if (a.device == b.device) {
    if (!on_one_board(a, b)) {
      conditions.add("board", board(a), board(b),
                     "two boards of one type differ by some 3 %: wider margins");
    }
    conditions.add_if_different("clock", clock_text(a), clock_text(b),
                                "what a kernel's clock can explain is no change of its code");
  }
  const Environment of_a = a.environment.value_or(Environment{});
  const Environment of_b = b.environment.value_or(Environment{});
  conditions.add_if_different("driver", of_a.driver, of_b.driver, part);
  conditions.add_if_different("CUDA runtime", of_a.cuda_runtime, of_b.cuda_runtime, part);
  conditions.add_if_different("perfmodel version", of_a.perfmodel_version, of_b.perfmodel_version,
                              part);
  conditions.add_if_different("code version", of_a.git_commit, of_b.git_commit, part);
  conditions.add_if_different("source", std::string(to_string(a.source_kind)),
                              std::string(to_string(b.source_kind)),
                              "tools time differently; measure both with one");
  const auto cache = [](const Recording& recording) {
    return recording.settings
               ? std::optional(std::string(to_string(recording.settings->cache_mode)))
               : std::nullopt;
  };
  conditions.add_if_different("L2 before a sample", cache(a), cache(b),
                              "kernels timed with another L2 state stay UNSURE");
  return conditions.take();
}

std::string percent(double ratio) { return fmt::format("{:+.1f} %", 100.0 * (ratio - 1.0)); }

std::optional<double> clock_ratio(const Measurement& a, const Measurement& b) {
  if (!a.clocks || !b.clocks || !a.clocks->sm_clock_hz || !b.clocks->sm_clock_hz) {
    return std::nullopt;
  }
  return *b.clocks->sm_clock_hz / *a.clocks->sm_clock_hz;
}

TimeSamples time_samples(const Measurement& entry) {
  return {entry.samples_s, entry.launches_per_sample.value_or(1)};
}

/// Why no interval follows from the samples, or from the way in which they were taken; else empty.
std::string hindrance(const Measurement& a, const Measurement& b) {
  for (const auto& [entry, side] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    const std::size_t count = entry->samples_s.size();
    if (count == 0) {
      return fmt::format("{} has no raw samples, only a {}", side,
                         entry->is_mean ? "mean" : "median");
    }
    if (count < fewest_compared_samples) {
      return fmt::format("{} has {} sample{}; {} of each are needed", side, count,
                         count == 1 ? "" : "s", fewest_compared_samples);
    }
  }
  if (a.cache_mode && b.cache_mode && a.cache_mode != b.cache_mode) {
    return fmt::format("L2 was {} in A and {} in B", to_string(*a.cache_mode),
                       to_string(*b.cache_mode));
  }
  return {};
}

void judge(KernelComparison& kernel, const Measurement& a, const Measurement& b,
           const ComparisonMargins& margins, bool one_device) {
  kernel.reason = hindrance(a, b);
  kernel.ratio = compare_times(time_samples(a), time_samples(b), margins.between_runs);
  if (!kernel.ratio || !kernel.reason.empty()) {
    return;
  }
  const std::optional<double> clocks = clock_ratio(a, b);
  const Change by_samples = judge_change(*kernel.ratio, margins.same);
  if (one_device && clocks) {
    kernel.ratio = allow_for_clock(*kernel.ratio, *clocks);
  }
  kernel.change = judge_change(*kernel.ratio, margins.same);
  if (kernel.change == Change::unsure) {
    kernel.reason = by_samples != Change::unsure
                        ? "the clock differed, which may be the reason"
                        : fmt::format("{} to {} is possible, the margin is {:.3g} %",
                                      percent(kernel.ratio->low), percent(kernel.ratio->high),
                                      100.0 * margins.same);
  }
}

void note_conditions(KernelComparison& kernel, const Measurement& a, const Measurement& b,
                     bool one_device) {
  const std::optional<double> clocks = clock_ratio(a, b);
  if (one_device && clocks && std::abs(*clocks - 1.0) > same_clock) {
    kernel.notes.push_back(fmt::format("clock {:.4g} GHz in A, {:.4g} GHz in B",
                                       *a.clocks->sm_clock_hz * 1e-9,
                                       *b.clocks->sm_clock_hz * 1e-9));
  }
  if (a.is_mean != b.is_mean) {
    kernel.notes.emplace_back(a.is_mean ? "mean in A, median in B" : "median in A, mean in B");
  }
  const std::int64_t launches_a = a.launches_per_sample.value_or(1);
  const std::int64_t launches_b = b.launches_per_sample.value_or(1);
  if (launches_a != launches_b) {
    kernel.notes.push_back(
        fmt::format("{} launches a sample in A, {} in B: they share the cost of events", launches_a,
                    launches_b));
  }
  for (const auto& [entry, side] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    if (entry->noisy.value_or(false)) {
      kernel.notes.push_back(fmt::format("noisy in {}", side));
    }
    if (entry->clocks && entry->clocks->throttled.value_or(false)) {
      kernel.notes.push_back(fmt::format("clock held down in {}: {}", side,
                                         printable(join(entry->clocks->throttle_reasons))));
    }
    if (entry->verification && entry->verification->status == VerificationStatus::skipped) {
      kernel.notes.push_back(fmt::format("result not verified in {}", side));
    }
  }
}

/// Counters of work; those of time follow the times.
bool counts_work(std::string_view metric) {
  constexpr std::array<std::string_view, 9> of_time = {
      "cycles", "per_second", "pct", "time", "duration", "throughput", "ratio", "clock", "/bw/"};
  return std::ranges::none_of(
      of_time, [&](std::string_view word) { return metric.find(word) != std::string_view::npos; });
}

class LedgerChanges {
 public:
  /// Of the same kernel at the same shape: nothing differs.
  void source_ledger() { bases_.emplace_back("source ledger (equal by kernel and shape)"); }

  void launch(const Measurement& a, const Measurement& b) {
    if (a.foreign && b.foreign) {
      extents("grid", a.foreign->grid, b.foreign->grid);
      extents("block", a.foreign->block, b.foreign->block);
    }
    figure("shared bytes per block", a.shared_bytes_per_block, b.shared_bytes_per_block);
    figure("blocks per SM", a.blocks_per_sm, b.blocks_per_sm);
    figure("occupancy", a.occupancy, b.occupancy);
    if (launch_known_) {
      bases_.emplace_back("launch figures");
    }
  }

  void machine_code(const LaunchCounts& a, const LaunchCounts& b,
                    const std::string& architectures) {
    bases_.push_back("machine code of " + architectures);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i].second != b[i].second) {
        changes_.push_back({a[i].first, a[i].second, b[i].second});
      }
    }
  }

  void counters(const std::optional<Counters>& a, const std::optional<Counters>& b) {
    if (!a || !b) {
      return;
    }
    bool known = false;
    for (const auto& [metric, value] : a->values) {
      const auto other = b->values.find(metric);
      if (other == b->values.end() || !counts_work(metric)) {
        continue;
      }
      known = true;
      const double larger = std::max(std::abs(value), std::abs(other->second));
      if (std::abs(value - other->second) > same_count * larger) {
        changes_.push_back({metric, value, other->second});
      }
    }
    if (known) {
      bases_.emplace_back("counters");
    }
  }

  /// Hands what was found to the kernel.
  void put_into(KernelComparison& kernel) && {
    kernel.ledger_changes = std::move(changes_);
    kernel.ledger_basis =
        bases_.empty() ? "none, no ledger is known and no counters are in both" : join(bases_);
  }

 private:
  template <typename Figure>
  void figure(const std::string& name, const std::optional<Figure>& a,
              const std::optional<Figure>& b) {
    if (a && b) {
      launch_known_ = true;
      if (*a != *b) {
        changes_.push_back({name, static_cast<double>(*a), static_cast<double>(*b)});
      }
    }
  }

  void extents(const std::string& name, const std::optional<Extents>& a,
               const std::optional<Extents>& b) {
    constexpr std::array<char, 3> axes = {'x', 'y', 'z'};
    for (std::size_t i = 0; a && b && i < axes.size(); ++i) {
      figure(fmt::format("{}.{}", name, axes[i]), std::optional((*a)[i]), std::optional((*b)[i]));
    }
  }

  std::vector<LedgerChange> changes_;
  std::vector<std::string> bases_;
  bool launch_known_ = false;
};

ComparedTime compared_time(const Measurement& entry) {
  ComparedTime time;
  time.time_s = entry.median_s;
  time.samples = entry.samples_s.size();
  time.sm_clock_hz = entry.clocks ? entry.clocks->sm_clock_hz : std::nullopt;
  return time;
}

/// Where a kernel of known work stands under the roofs of a device.
void place_under_roofs(ComparedTime& time, double flop, const std::optional<double>& intensity,
                       const Device* device, double clock_hz) {
  time.flop_per_s = flop / time.time_s;
  if (device == nullptr) {
    return;
  }
  const double clock = clock_hz > 0.0 ? clock_hz : device->clocks.front().clock_hz.value;
  time.share_of_peak = *time.flop_per_s / device->peak_flop_per_s(clock);
  if (intensity) {
    time.share_of_roof =
        evaluate_roofline(*intensity, device->dram_bytes_per_s.value, *time.flop_per_s).attainment;
  }
}

class RecordingComparer {
 public:
  RecordingComparer(const Recording& a, const Recording& b, const CompareOptions& options,
                    const ComparisonSpecs& specs)
      : a_(a),
        b_(b),
        specs_(specs),
        device_a_(specs.device(a.device)),
        device_b_(specs.device(b.device)) {
    result_.name_a = a.name;
    result_.name_b = b.name;
    result_.device_a = a.device;
    result_.device_b = b.device;
    result_.fail_slower = options.fail_slower;
    const ComparisonMargins& usual = on_one_board(a, b) ? one_board_margins : two_boards_margins;
    result_.margins = {options.between_runs.value_or(usual.between_runs),
                       options.same_margin.value_or(usual.same)};
  }

  RecordingComparison run() {
    result_.conditions = find_conditions(a_, b_);
    const Matching matching(a_, b_);
    for (const Pair& pair : matching.pairs()) {
      result_.kernels.push_back(compare(*pair.a, *pair.b));
    }
    sort_kernels();
    list_uncompared(matching);
    require_common();
    warn();
    return std::move(result_);
  }

 private:
  KernelComparison compare(const Measurement& a, const Measurement& b) {
    KernelComparison kernel;
    const bool one_device = a_.device == b_.device;
    kernel.label = a.label();
    kernel.a = compared_time(a);
    kernel.b = compared_time(b);
    judge(kernel, a, b, result_.margins, one_device);
    note_conditions(kernel, a, b, one_device);
    kernel.is_regression = result_.fail_slower && kernel.change == Change::slower &&
                           kernel.ratio->low > 1.0 + *result_.fail_slower;
    LedgerChanges changes;
    const KernelSpec* spec = a.foreign ? nullptr : specs_.kernel(a.kernel);
    if (spec != nullptr) {
      compare_work(kernel, changes, *spec, a.shape);
    }
    changes.launch(a, b);
    changes.counters(a.counters, b.counters);
    std::move(changes).put_into(kernel);
    return kernel;
  }

  /// Times can be compared also where a specification does not know the shape.
  void compare_work(KernelComparison& kernel, LedgerChanges& changes, const KernelSpec& spec,
                    const Shape& recorded_shape) {
    try {
      const Shape shape = recorded_shape.ordered_as(spec.dimensions);
      add_work(kernel, spec, shape);
      if (spec.ledger) {
        changes.source_ledger();
      }
      compare_machine_code(changes, spec, shape);
    } catch (const Error& error) {
      kernel.notes.push_back(fmt::format("no ledger: {}", printable(error.what(), 200)));
    }
  }

  void add_work(KernelComparison& kernel, const KernelSpec& spec, const Shape& shape) {
    double fmas = 0.0;
    if (spec.ledger) {
      const SourceLedger ledger = evaluate_source_ledger(spec, shape);
      kernel.arithmetic_intensity = to_double(ledger.arithmetic_intensity);
      fmas = to_double(ledger.work.fmas);
    } else {
      fmas = to_double(evaluate_work(spec, shape).fmas);
    }
    const double flop = 2.0 * fmas;
    place_under_roofs(kernel.a, flop, kernel.arithmetic_intensity, device_a_, a_.clock_hz);
    place_under_roofs(kernel.b, flop, kernel.arithmetic_intensity, device_b_, b_.clock_hz);
  }

  /// Devices of one architecture run the same code.
  void compare_machine_code(LedgerChanges& changes, const KernelSpec& spec, const Shape& shape) {
    if (!specs_.machine || device_a_ == nullptr || device_b_ == nullptr ||
        device_a_->architecture == device_b_->architecture) {
      return;
    }
    const std::optional<LaunchCounts> of_a = specs_.machine(*device_a_, spec, shape);
    const std::optional<LaunchCounts> of_b = specs_.machine(*device_b_, spec, shape);
    if (of_a && of_b) {
      changes.machine_code(*of_a, *of_b,
                           device_a_->architecture + " and " + device_b_->architecture);
    }
  }

  void sort_kernels() {
    const auto order = [](const KernelComparison& kernel) {
      constexpr std::array<Change, 4> by_urgency = {Change::slower, Change::unsure, Change::faster,
                                                    Change::same};
      const auto* const place = std::ranges::find(by_urgency, kernel.change);
      const double size = kernel.ratio ? std::abs(std::log(kernel.ratio->value)) : 0.0;
      return std::pair(place - by_urgency.begin(), -size);
    };
    std::ranges::stable_sort(result_.kernels, {}, order);
  }

  void list_uncompared(const Matching& matching) {
    std::unordered_map<std::string, std::pair<const SkippedMeasurement*, const SkippedMeasurement*>>
        skipped;
    for (const SkippedMeasurement& entry : a_.skipped) {
      skipped[identity(entry)].first = &entry;
    }
    for (const SkippedMeasurement& entry : b_.skipped) {
      skipped[identity(entry)].second = &entry;
    }
    const auto take = [&](const auto& entry) {
      const auto node = skipped.extract(identity(entry));
      return node.empty() ? std::pair<const SkippedMeasurement*, const SkippedMeasurement*>()
                          : node.mapped();
    };
    for (const Measurement* entry : matching.only_a()) {
      add_uncompared(entry->label(), nullptr, take(*entry).second, "only in A");
    }
    for (const Measurement* entry : matching.only_b()) {
      add_uncompared(entry->label(), take(*entry).first, nullptr, "only in B");
    }
    for (const Recording* recording : {&a_, &b_}) {
      for (const SkippedMeasurement& entry : recording->skipped) {
        const auto [of_a, of_b] = take(entry);
        if (of_a != nullptr || of_b != nullptr) {
          add_uncompared(entry.label(), of_a, of_b, "");
        }
      }
    }
  }

  static bool is_wrong(const SkippedMeasurement* entry) {
    return entry != nullptr && entry->verification &&
           entry->verification->status == VerificationStatus::failed;
  }

  void add_uncompared(const std::string& label, const SkippedMeasurement* of_a,
                      const SkippedMeasurement* of_b, const std::string& otherwise) {
    UncomparedKernel kernel;
    kernel.label = label;
    kernel.wrong_in_a = is_wrong(of_a);
    kernel.wrong_in_b = is_wrong(of_b);
    std::vector<std::string> reasons;
    for (const auto& [entry, side] : {std::pair(of_a, "A"), std::pair(of_b, "B")}) {
      if (entry != nullptr) {
        reasons.push_back(fmt::format("{} in {}: {}", is_wrong(entry) ? "wrong results" : "skipped",
                                      side, printable(entry->reason, 200)));
      }
    }
    kernel.reason = reasons.empty() ? otherwise : join(reasons, "; ");
    result_.uncompared.push_back(std::move(kernel));
  }

  void require_common() const {
    const bool is_wrong_result = std::ranges::any_of(
        result_.uncompared,
        [](const UncomparedKernel& kernel) { return kernel.wrong_in_a || kernel.wrong_in_b; });
    if (!result_.kernels.empty() || is_wrong_result) {
      return;
    }
    const auto example = [](const Recording& recording) {
      return recording.entries.empty()
                 ? std::string("nothing")
                 : fmt::format("{} kernel{} such as {}", recording.entries.size(),
                               recording.entries.size() == 1 ? "" : "s",
                               printable(recording.entries.front().label()));
    };
    fail(
        fmt::format("recordings {} and {} have no kernel at one shape in common: A has {}, B has "
                    "{}; measure the same kernels and shapes",
                    a_.name, b_.name, example(a_), example(b_)));
  }

  void warn() {
    if (a_.entries == b_.entries && a_.environment == b_.environment) {
      result_.warnings.emplace_back(
          "A and B hold the same samples: one recording is compared with itself");
    }
    for (const auto& [recording, side] : {std::pair(&a_, "A"), std::pair(&b_, "B")}) {
      if (!recording->complete) {
        result_.warnings.push_back(fmt::format(
            "{} ({}) was interrupted, kernels are missing; measure again with the same --record",
            side, recording->name));
      }
    }
    const std::size_t unsure = result_.count(Change::unsure);
    if (result_.fail_slower && unsure + result_.uncompared.size() > 0) {
      result_.warnings.push_back(
          fmt::format("{} UNSURE and {} not compared: --fail-slower says nothing of them", unsure,
                      result_.uncompared.size()));
    }
  }

  const Recording& a_;
  const Recording& b_;
  const ComparisonSpecs& specs_;
  const Device* device_a_;
  const Device* device_b_;
  RecordingComparison result_;
};

}  // namespace

std::size_t RecordingComparison::count(Change change) const {
  return static_cast<std::size_t>(std::ranges::count(kernels, change, &KernelComparison::change));
}

std::size_t RecordingComparison::regressions() const {
  return static_cast<std::size_t>(
      std::ranges::count(kernels, true, &KernelComparison::is_regression));
}

std::size_t RecordingComparison::wrong_in_b() const {
  return static_cast<std::size_t>(
      std::ranges::count(uncompared, true, &UncomparedKernel::wrong_in_b));
}

RecordingComparison compare_recordings(const Recording& a, const Recording& b,
                                       const CompareOptions& options,
                                       const ComparisonSpecs& specs) {
  return RecordingComparer(a, b, options, specs).run();
}

}  // namespace perfmodel
