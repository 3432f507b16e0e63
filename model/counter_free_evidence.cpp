#include "model/counter_free_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace perfmodel {
namespace {

/// Below and above this ratio of times per FMA two shapes behave differently.
constexpr double same_within = 0.10;

const Measurement* find(const Recording& recording, const std::string& kernel, const Shape& shape) {
  const auto found = std::ranges::find_if(recording.entries, [&](const Measurement& one) {
    return one.kernel == kernel && one.shape == shape;
  });
  return found == recording.entries.end() ? nullptr : &*found;
}

Shape grown(const Shape& shape, std::int64_t by) {
  std::vector<std::pair<std::string, std::int64_t>> extents(shape.extents().begin(),
                                                            shape.extents().end());
  for (auto& [name, extent] : extents) {
    extent += by;
  }
  return Shape(std::move(extents));
}

class Evidences {
 public:
  Evidences(const Recording& recording, const Measurement& entry, const Device& device,
            const std::function<double(const Shape&)>& fmas)
      : recording_(recording), entry_(entry), device_(device), fmas_(fmas) {}

  void add_requests(const sass::MachineLedger& ledger) {
    const sass::MachineTotals& totals = ledger.totals;
    const double clock_hz = clock();
    const double cycles_per_sm = entry_.median_s * clock_hz;
    const double wavefronts_per_sm =
        totals.lsu_wavefronts / static_cast<double>(device_.sm_count.value);
    add(FigureKind::counted, "requests",
        fmt::format("{:.4g} sectors per global load request (4 where 32 lanes read 32 neighbouring "
                    "floats); its {:.4g} LSU wavefronts per SM are {:.1f} % of the measured cycles",
                    totals.global_load_requests > 0
                        ? totals.global_load_sectors / totals.global_load_requests
                        : 0.0,
                    wavefronts_per_sm, 100 * wavefronts_per_sm / cycles_per_sm));
  }

  void add_neighbour(const char* topic, std::int64_t from, std::int64_t to, const char* slower,
                     const char* faster) {
    const Shape first = grown(entry_.shape, from);
    const Shape second = grown(entry_.shape, to);
    const Measurement* const a = find(recording_, entry_.kernel, first);
    const Measurement* const b = find(recording_, entry_.kernel, second);
    if (a == nullptr || b == nullptr) {
      add_gap(topic, a == nullptr ? first : second);
      return;
    }
    const double ratio = per_fma(*b) / per_fma(*a);
    const char* const meaning = ratio > 1 + same_within         ? slower
                                : ratio < 1 / (1 + same_within) ? faster
                                                                : "the step makes no difference";
    add(FigureKind::measured, topic,
        fmt::format("{} takes {:.3g} times the time per FMA of {}: {}", second.to_string(), ratio,
                    first.to_string(), meaning));
  }

  void add_occupancy(const sass::MachineLedger* ledger) {
    if (!entry_.occupancy || !entry_.blocks_per_sm) {
      add(FigureKind::measured, "occupancy limit",
          fmt::format("not recorded; 'perfmodel measure --kernels {} --record FILE' notes it",
                      entry_.kernel));
      return;
    }
    std::string limits;
    if (ledger != nullptr) {
      limits = fmt::format("; a block takes {} registers per thread and {} bytes of shared memory",
                           ledger->registers, ledger->shared_bytes);
    }
    add(FigureKind::measured, "occupancy limit",
        fmt::format("{} blocks per SM are resident, {:.1f} % of the threads{}",
                    *entry_.blocks_per_sm, 100 * *entry_.occupancy, limits));
  }

  void add_size() {
    const double work = fmas_(entry_.shape);
    const Measurement* nearest = nullptr;
    double nearest_step = 0;
    for (const Measurement& other : recording_.entries) {
      if (other.kernel != entry_.kernel) {
        continue;
      }
      const double step = std::abs(std::log(fmas_(other.shape) / work));
      constexpr double least_step = 0.7;  // about twice the work
      if (step > least_step && (nearest == nullptr || step < nearest_step)) {
        nearest = &other;
        nearest_step = step;
      }
    }
    if (nearest == nullptr) {
      add_gap("time against size", grown(entry_.shape, first_extent()));
      return;
    }
    const double exponent =
        std::log(entry_.median_s / nearest->median_s) / std::log(work / fmas_(nearest->shape));
    const char* const meaning =
        exponent < 1 - same_within   ? "it grows slower than the work: a part is fixed, or SMs idle"
        : exponent > 1 + same_within ? "it grows faster than the work: data fall out of a cache"
                                     : "it grows with the work: a throughput limits it";
    add(FigureKind::measured, "time against size",
        fmt::format("from {} to {} time grows as work^{:.2f}; {}", nearest->shape.to_string(),
                    entry_.shape.to_string(), exponent, meaning));
  }

  void add_clock(std::span<const Recording> others) {
    const std::optional<double> here = clock_of(entry_);
    if (here) {
      for (const Recording& other : others) {
        const Measurement* const same = find(other, entry_.kernel, entry_.shape);
        const std::optional<double> there = same == nullptr ? std::nullopt : clock_of(*same);
        constexpr double least_difference = 0.03;
        if (!there || std::abs(*there / *here - 1) < least_difference) {
          continue;
        }
        const double share = std::log(same->median_s / entry_.median_s) / std::log(*here / *there);
        add(FigureKind::measured, "time against clock",
            fmt::format(
                "at {:.0f} instead of {:.0f} MHz it takes {:.3g} times as long: {:.0f} % of "
                "what the SM clock alone explains",
                *there / 1e6, *here / 1e6, same->median_s / entry_.median_s, 100 * share));
        return;
      }
    }
    add(FigureKind::measured, "time against clock",
        fmt::format("no recording of it at another SM clock; 'nvidia-smi --lock-gpu-clocks' and "
                    "'perfmodel measure --kernels {} --shape {} --record FILE' make one",
                    entry_.kernel, entry_.shape.to_string()));
  }

  std::vector<Evidence> take() { return std::move(evidence_); }

 private:
  void add(FigureKind kind, const char* topic, std::string finding) {
    evidence_.push_back({kind, topic, std::move(finding)});
  }
  void add_gap(const char* topic, const Shape& shape) {
    add(FigureKind::measured, topic,
        fmt::format("not measured; 'perfmodel measure --kernels {} --shape {} --record FILE' does",
                    entry_.kernel, shape.to_string()));
  }
  [[nodiscard]] double per_fma(const Measurement& one) const {
    return one.median_s / fmas_(one.shape);
  }
  [[nodiscard]] std::int64_t first_extent() const {
    return entry_.shape.extents().empty() ? 1 : entry_.shape.extents().front().second;
  }
  static std::optional<double> clock_of(const Measurement& one) {
    return one.clocks ? one.clocks->sm_clock_hz : std::nullopt;
  }
  [[nodiscard]] double clock() const { return clock_of(entry_).value_or(recording_.clock_hz); }

  const Recording& recording_;
  const Measurement& entry_;
  const Device& device_;
  const std::function<double(const Shape&)>& fmas_;
  std::vector<Evidence> evidence_;
};

}  // namespace

std::vector<Evidence> counter_free_evidence(const Recording& recording, const Measurement& entry,
                                            std::span<const Recording> others, const Device& device,
                                            const sass::MachineLedger* ledger,
                                            const std::function<double(const Shape&)>& fmas) {
  Evidences evidences(recording, entry, device, fmas);
  if (ledger != nullptr) {
    evidences.add_requests(*ledger);
  }
  constexpr std::int64_t one_element = 1;
  constexpr std::int64_t aligned_elements = 4;
  evidences.add_neighbour("N against N+1", 0, one_element,
                          "ragged edges or misaligned rows cost time",
                          "the stride of N alone cost the difference");
  evidences.add_neighbour("alignment", aligned_elements, one_element,
                          "rows that begin off 16-byte boundaries cost time",
                          "the aligned shape is the slower one");
  evidences.add_occupancy(ledger);
  evidences.add_size();
  evidences.add_clock(others);
  return evidences.take();
}

}  // namespace perfmodel
