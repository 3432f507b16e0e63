#include "model/launch_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ranges>

#include "model/error.hpp"
#include "model/text.hpp"
#include "model/timeline/mechanism.hpp"

namespace perfmodel {
namespace {

/// From this share of the time on, a unit is what limits a launch; the profiler's guides draw the
/// line at the same place.
constexpr double busy_share = 0.6;
/// Of the time, spent starting a kernel or its blocks.
constexpr double launch_share = 0.5;
/// Of the SMs' time, without a block.
constexpr double idle_share = 0.25;
/// Models that differ by more have nothing to say together.
constexpr double most_disagreement = 1.6;
/// Of a bound on counted work, even where its cost was measured.
constexpr double least_doubt = 0.02;
/// What models leave open where constants were measured on the device itself: nine of ten kernels
/// that they were not calibrated on are nearer (docs/model.md).
constexpr double open_share = 0.20;

struct StallGroup {
  std::string_view resource;
  std::vector<Stall> stalls;
};

/// Why warps wait, grouped by what would help.
const std::array<StallGroup, 4>& stall_groups() {
  static const std::array<StallGroup, 4> groups = {
      StallGroup{"memory latency", {Stall::long_scoreboard, Stall::drain}},
      StallGroup{"barrier", {Stall::barrier}},
      StallGroup{"dependences", {Stall::wait, Stall::short_scoreboard, Stall::branch_resolving}},
      StallGroup{"contention",
                 {Stall::math_pipe_throttle, Stall::mio_throttle, Stall::lg_throttle,
                  Stall::dispatch_stall, Stall::not_selected}}};
  return groups;
}

/// Shares of the time that warps spend in each group, the largest first; contention left out.
std::vector<LimitShare> waits(const SmTimelineResult& sm) {
  const std::array<double, stall_count> by_reason = stall_shares(sm);
  std::vector<LimitShare> shares;
  for (const StallGroup& group : stall_groups()) {
    if (group.resource == "contention") {
      continue;
    }
    double share = 0;
    for (const Stall stall : group.stalls) {
      share += by_reason[static_cast<std::size_t>(stall)];
    }
    shares.push_back({std::string(group.resource), share});
  }
  std::ranges::stable_sort(shares, std::ranges::greater(), &LimitShare::share);
  return shares;
}

std::string advice_on(std::string_view resource, const LaunchAudit& audit) {
  if (resource == "DRAM") {
    return audit.traffic.dram_bytes() > 1.3 * audit.traffic.compulsory_bytes()
               ? "let blocks that run at the same time share their data: order or enlarge tiles so "
                 "that each byte comes from DRAM once"
               : "every byte already comes from DRAM about once: move fewer bytes (smaller types, "
                 "fused kernels)";
  }
  if (resource == "L2") {
    return "keep more in registers and shared memory: larger tiles per block ask L2 for less";
  }
  if (resource == "LSU data pipe") {
    return "make each load bring more: wider loads, conflict-free and coalesced addresses, more "
           "results per loaded value";
  }
  if (resource == "L1 tags") {
    return "let neighbouring lanes read neighbouring addresses: every line of a warp's access is "
           "looked up by itself";
  }
  if (resource == "MIO") {
    return "fewer shared-memory, global and shuffle instructions: wider accesses, 32-bit offsets";
  }
  if (resource == "register banks") {
    return "let consecutive instructions share an operand, so that the operand cache serves it";
  }
  if (resource == "issue") {
    return "execute fewer instructions: unroll, hoist address arithmetic, widen accesses";
  }
  if (resource == "memory latency") {
    return "have more loads under way: more resident warps, more independent loads per thread, "
           "asynchronous copies";
  }
  if (resource == "barrier") {
    return "more resident blocks or double buffering, so that other warps work while some wait at "
           "a barrier";
  }
  if (resource == "dependences") {
    return "more independent work per thread or more resident warps";
  }
  if (resource == "launching") {
    return "more work per launch, or fewer, larger blocks";
  }
  if (resource == "idle SMs") {
    return "a grid that divides evenly among the SMs, or smaller blocks";
  }
  return fmt::format("fewer instructions of the {} pipe, or another pipe for some of them",
                     resource);
}

class AuditJudge {
 public:
  explicit AuditJudge(LaunchAudit& audit) : audit_(audit) {}

  void judge() {
    audit_.verdict = {};
    audit_.warnings.clear();
    time_s_ = audit_.measured_s.value_or(audit_.predictions.front().seconds);
    describe();
    decide();
    audit_.verdict.advice = audit_.verdict.limit_class == LimitClass::inconclusive
                                ? "measure the launch, and counters where they are permitted"
                                : advice_on(audit_.verdict.limiting.resource, audit_);
  }

 private:
  void add(FigureKind kind, std::string topic, std::string finding) {
    audit_.verdict.evidence.push_back({kind, std::move(topic), std::move(finding)});
  }

  [[nodiscard]] double percent_of_time(double seconds) const { return 100 * seconds / time_s_; }

  void describe() {
    for (const std::string& fallback : audit_.fallbacks) {
      add(FigureKind::calibrated, "constants", fallback);
    }
    add(FigureKind::counted, "machine code",
        fmt::format("{:.4g} warp instructions, {:.4g} wavefronts of the LSU data pipe, {:.4g} MB "
                    "asked of L1",
                    audit_.warp_instructions, audit_.lsu_wavefronts,
                    audit_.traffic.l1_bytes() / 1e6));
    for (const TimePrediction& prediction : audit_.predictions) {
      add(FigureKind::predicted, prediction.model,
          fmt::format("{:.4g} us, {:.4g} to {:.4g} us in nine of ten cases",
                      prediction.seconds * 1e6, prediction.low_s * 1e6, prediction.high_s * 1e6));
    }
    if (audit_.measured_s) {
      add(FigureKind::measured, "time",
          fmt::format("{:.4g} us, {:+.1f} % of the prediction", *audit_.measured_s * 1e6,
                      100 * (*audit_.measured_s / audit_.predictions.front().seconds - 1)));
    }
    constexpr std::size_t most_shown = 4;
    for (std::size_t i = 0; i < std::min(audit_.bounds.size(), most_shown); ++i) {
      const ResourceBound& bound = audit_.bounds[i];
      add(FigureKind::predicted, bound.resource,
          fmt::format("busy {:.4g} us, {:.3g} % of the time", bound.seconds * 1e6,
                      percent_of_time(bound.seconds)));
    }
    add(FigureKind::predicted, "latency",
        fmt::format("a block alone with no unit busy, as often as an SM runs its {} resident "
                    "block{}: {:.4g} us, {:.3g} % of the time",
                    audit_.resident_blocks, audit_.resident_blocks == 1 ? "" : "s",
                    audit_.terms.latency_s * 1e6, percent_of_time(audit_.terms.latency_s)));
    add(FigureKind::predicted, "traffic",
        fmt::format("L1 {:.4g} MB, L2 {:.4g} MB, DRAM {:.4g} MB; {:.4g} MB are compulsory",
                    audit_.traffic.l1_bytes() / 1e6, audit_.traffic.l2_bytes() / 1e6,
                    audit_.traffic.dram_bytes() / 1e6, audit_.traffic.compulsory_bytes() / 1e6));
    add(FigureKind::counted, "occupancy",
        fmt::format("{} block{} of {} threads per SM, {:.3g} % of the warps that fit; {} blocks on "
                    "{} SMs",
                    audit_.resident_blocks, audit_.resident_blocks == 1 ? "" : "s",
                    audit_.threads_per_block, 100 * audit_.occupancy, audit_.blocks,
                    audit_.sm_count));
    const std::vector<LimitShare> waiting = waits(audit_.timeline.sm);
    add(FigureKind::predicted, "stalls",
        fmt::format("warps spend {:.3g} % of their time on {}, {:.3g} % on {}, {:.3g} % on {}",
                    100 * waiting[0].share, waiting[0].resource, 100 * waiting[1].share,
                    waiting[1].resource, 100 * waiting[2].share, waiting[2].resource));
    if (audit_.measured_units && !audit_.measured_units->utilisation.empty()) {
      const LimitShare& most = audit_.measured_units->utilisation.front();
      add(FigureKind::measured, "counters",
          fmt::format("the busiest unit is {}, {:.3g} % of its peak", most.resource,
                      100 * most.share));
    }
    if (const auto top =
            compare_top_stalls(predicted_stalls(audit_.timeline.sm), audit_.measured_stalls)) {
      add(FigureKind::measured, "stalls",
          fmt::format("warps that do not issue mostly do so for {}, {:.3g} % of their time; "
                      "predicted was {}, {:.3g} %",
                      printable(top->measured.name), 100 * top->measured.share, top->predicted.name,
                      100 * top->predicted.share));
    }
  }

  void conclude(LimitClass limit_class, LimitShare limiting, LimitShare runner_up,
                std::string reason) {
    audit_.verdict.limit_class = limit_class;
    audit_.verdict.limiting = std::move(limiting);
    audit_.verdict.runner_up = std::move(runner_up);
    audit_.verdict.reason = std::move(reason);
  }

  void decide() {
    const auto blocks = static_cast<double>(audit_.blocks);
    const auto sms = static_cast<double>(audit_.sm_count);
    const double idle = blocks < sms ? 0 : 1 - blocks / sms / std::ceil(blocks / sms);
    const ResourceBound most = audit_.bounds.empty() ? ResourceBound{} : audit_.bounds[0];
    const ResourceBound second = audit_.bounds.size() < 2 ? ResourceBound{} : audit_.bounds[1];
    const LimitShare busiest{most.resource, most.seconds / time_s_};
    const LimitShare next{second.resource, second.seconds / time_s_};
    const std::vector<LimitShare> waiting = waits(audit_.timeline.sm);
    const auto [low, high] =
        std::ranges::minmax(audit_.predictions | std::views::transform(&TimePrediction::seconds));
    if (high / low > most_disagreement && !audit_.measured_s) {
      conclude(LimitClass::inconclusive, busiest, next,
               fmt::format("the models disagree: {:.4g} and {:.4g} us", low * 1e6, high * 1e6));
      return;
    }
    // What L2 and DRAM move is predicted; only bounds on counted work are hard.
    const auto hard = std::ranges::find_if(audit_.bounds, [](const ResourceBound& bound) {
      return class_of_resource(bound.resource) == LimitClass::instruction_bound;
    });
    const double doubt = std::max(least_doubt, audit_.relative_uncertainty);
    if (hard != audit_.bounds.end() && time_s_ < hard->seconds * (1 - doubt)) {
      audit_.warnings.push_back(fmt::format(
          "the measured {:.4g} us are less than the {:.4g} us that {} needs at least: the time is "
          "of another launch, shape or clock, the data was in L2, or the code is not what ran",
          time_s_ * 1e6, hard->seconds * 1e6, hard->resource));
      conclude(LimitClass::inconclusive, busiest, next,
               "the measured time contradicts a bound that holds for any schedule");
      return;
    }
    if (audit_.launch_s / time_s_ >= launch_share) {
      conclude(LimitClass::launch_bound, {"launching", audit_.launch_s / time_s_}, busiest,
               fmt::format("starting the kernel takes {:.3g} % of the time",
                           percent_of_time(audit_.launch_s)));
      return;
    }
    if (busiest.resource == "block launch" && busiest.share >= busy_share) {
      conclude(LimitClass::launch_bound, {"launching", busiest.share}, next,
               fmt::format("starting {} blocks takes {:.3g} % of the time", audit_.blocks,
                           100 * busiest.share));
      return;
    }
    if (idle >= idle_share && audit_.terms.latency_s < time_s_ * (1 - idle_share)) {
      conclude(LimitClass::tail_bound, {"idle SMs", idle}, busiest,
               fmt::format("{} blocks on {} SMs leave SMs without work for {:.3g} % of the time",
                           audit_.blocks, audit_.sm_count, 100 * idle));
      return;
    }
    if (busiest.share >= busy_share) {
      conclude(
          class_of_resource(busiest.resource), busiest, next,
          fmt::format("{} is busy {:.3g} % of the time", busiest.resource, 100 * busiest.share));
      return;
    }
    conclude(
        LimitClass::latency_bound, waiting[0], busiest,
        fmt::format("no unit is busy even {:.0f} % of the time ({} is, {:.3g} %), and warps "
                    "wait for {}",
                    100 * busy_share, busiest.resource, 100 * busiest.share, waiting[0].resource));
  }

  LaunchAudit& audit_;
  double time_s_ = 0;
};

}  // namespace

std::string_view to_string(LimitClass limit_class) {
  switch (limit_class) {
    case LimitClass::bandwidth_bound:
      return "bandwidth-bound";
    case LimitClass::instruction_bound:
      return "instruction-bound";
    case LimitClass::latency_bound:
      return "latency-bound";
    case LimitClass::launch_bound:
      return "launch-bound";
    case LimitClass::tail_bound:
      return "tail-bound";
    case LimitClass::inconclusive:
      break;
  }
  return "inconclusive";
}

std::optional<double> LaunchAudit::prediction_error() const {
  return measured_s ? std::optional(predictions.front().seconds / *measured_s - 1) : std::nullopt;
}

bool LaunchAudit::is_inside() const {
  return *measured_s >= predictions.front().low_s && *measured_s <= predictions.front().high_s;
}

LimitClass class_of_resource(std::string_view resource) {
  return resource == "DRAM" || resource == "L2" ? LimitClass::bandwidth_bound
                                                : LimitClass::instruction_bound;
}

MeasuredUnits measured_units(const Counters& counters) {
  struct UnitMetric {
    std::string_view metric;
    std::string_view resource;
  };
  constexpr std::array metrics = {
      UnitMetric{"sm__inst_issued.avg.pct_of_peak_sustained_elapsed", "issue"},
      UnitMetric{"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed", "FMA"},
      UnitMetric{"sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed", "ALU"},
      UnitMetric{"sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed", "XU"},
      UnitMetric{"sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed", "FP64"},
      UnitMetric{"l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
                 "LSU data pipe"},
      UnitMetric{"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2"},
      UnitMetric{"dram__throughput.avg.pct_of_peak_sustained_elapsed", "DRAM"}};
  MeasuredUnits units;
  for (const UnitMetric& one : metrics) {
    const auto found = counters.values.find(one.metric);
    if (found != counters.values.end()) {
      units.utilisation.push_back({std::string(one.resource), found->second / 100});
    }
  }
  std::ranges::stable_sort(units.utilisation, std::ranges::greater(), &LimitShare::share);
  return units;
}

void predict_again(LaunchAudit& audit, const ThroughputCoefficients& coefficients) {
  const double timeline_s = audit.timeline.seconds;
  const double throughput_s = predict_throughput(audit.terms, coefficients);
  const auto [low, high] = std::minmax(timeline_s, throughput_s);
  constexpr double ninety_percent_sigmas = 1.645;
  const double open = std::hypot(open_share, ninety_percent_sigmas * audit.relative_uncertainty,
                                 ninety_percent_sigmas * coefficients.std_error);
  const auto prediction = [&](std::string model, double seconds) {
    // Where the models differ, the truth is about as likely near either.
    return TimePrediction{std::move(model), audit.launch_s + seconds,
                          audit.launch_s + std::max(audit.terms.bound_s, low * (1 - open)),
                          audit.launch_s + high * (1 + open)};
  };
  // One model sees every instruction of a slice, the other all of the launch in two figures: their
  // errors are hardly related, and their mean is nearer than either.
  audit.predictions = {prediction("combined", (timeline_s + throughput_s) / 2),
                       prediction("timeline", timeline_s), prediction("throughput", throughput_s)};
  AuditJudge(audit).judge();
}

bool agrees(const LaunchAudit& audit) {
  constexpr double near = 0.1;
  const std::vector<LimitShare>& units = audit.measured_units->utilisation;
  const LimitShare& busiest = units.front();
  if (audit.verdict.limit_class == LimitClass::latency_bound) {
    return busiest.share < busy_share + near;
  }
  if (busiest.share < busy_share - near) {
    return false;
  }
  if (audit.verdict.limit_class == class_of_resource(busiest.resource)) {
    return true;
  }
  const auto own = std::ranges::find(units, audit.verdict.limiting.resource, &LimitShare::resource);
  return own != units.end() && own->share > busiest.share - near;
}

LaunchAudit audit_launch(const LaunchProfile& profile, const Device& device,
                         const HardwareConstants* constants,
                         const ThroughputCoefficients& coefficients, double clock_hz,
                         const AuditOptions& options) {
  SmCostSources sources = sm_costs(device, constants, options.costs_clock_hz.value_or(clock_hz));
  if (options.costs_clock_hz) {
    sources.costs = at_clock(sources.costs, clock_hz);
  }
  for (const std::string& mechanism : options.left_out) {
    leave_out(sources.costs, mechanism);
  }
  const SmCosts& costs = sources.costs;
  LaunchAudit audit;
  audit.kernel = profile.function->name;
  audit.device = device.name;
  audit.clock_hz = clock_hz;
  audit.sm_count = device.sm_count.value;
  audit.blocks = profile.launch->blocks();
  audit.threads_per_block = profile.block.threads;
  audit.warp_instructions = profile.ledger.totals.warp_instructions;
  audit.lsu_wavefronts = profile.ledger.totals.lsu_wavefronts;
  audit.resident_blocks = profile.resident_blocks;
  const std::int64_t warps = (profile.block.threads + warp_lanes - 1) / warp_lanes;
  audit.occupancy =
      static_cast<double>(profile.resident_blocks * warps) /
      (static_cast<double>(device.threads_per_sm.value) / static_cast<double>(warp_lanes));
  audit.launch_s = costs.launch_s;
  audit.measured_s = options.measured_s;
  audit.fallbacks = sources.fallbacks;
  audit.relative_uncertainty = sources.relative_uncertainty;
  if (options.counters != nullptr) {
    audit.measured_units = measured_units(*options.counters);
    audit.measured_stalls = measured_stalls(*options.counters);
  }

  TimelineOptions timeline_options;
  timeline_options.work_budget = options.work_budget;
  timeline_options.l2 = options.l2;
  timeline_options.emulation = options.emulation;
  const TimelinePrediction timeline = predict_timeline(profile, device, costs, timeline_options);
  audit.traffic = timeline.traffic;
  audit.timeline = timeline.run;
  audit.bounds = resource_bounds(profile, audit.traffic, costs);
  const double sms = costs.sm_count;
  const double turns =
      std::max(1.0, profile.blocks() / sms / static_cast<double>(profile.resident_blocks));
  audit.terms.bound_s = audit.bounds.empty() ? 0 : audit.bounds.front().seconds;
  audit.terms.latency_s = timeline.lone_block_s * turns;
  predict_again(audit, coefficients);
  return audit;
}

}  // namespace perfmodel
