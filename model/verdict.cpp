#include "model/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/analysis.hpp"

namespace perfmodel {
namespace {

/// Builds the evidence line by line, then the class and its reason from the same figures.
class Judge {
 public:
  Judge(const KernelAnalysis& kernel, const Device& device) : kernel_(kernel), device_(device) {}

  Verdict verdict() {
    describe_work();
    describe_compute();
    if (kernel_.ledger) {
      describe_roof();
      describe_requests();
      describe_predictions();
      describe_padding();
    }
    describe_library();
    conclude();
    return std::move(verdict_);
  }

 private:
  void add(FigureKind kind, std::string topic, std::string finding) {
    verdict_.evidence.push_back({kind, std::move(topic), std::move(finding)});
  }

  void conclude_with(VerdictClass verdict_class, std::string reason) {
    verdict_.verdict_class = verdict_class;
    verdict_.reason = std::move(reason);
  }

  void describe_work() {
    add(FigureKind::measured, "compulsory bytes",
        fmt::format("reading each input and writing each output once ({:.4g} MB) takes {:.4g} ms "
                    "of DRAM bandwidth, {:.3g} % of the measured {:.4g} ms",
                    to_double(kernel_.work.required_bytes) / 1e6, kernel_.compulsory_s * 1e3,
                    100.0 * kernel_.compulsory_s / kernel_.median_s, kernel_.median_s * 1e3));
  }

  void describe_compute() {
    const double floor = device_.min_cycles_per_warp_fma();
    const double cycles = kernel_.cycles_per_warp_fma;
    add(FigureKind::measured, "FMA pipe",
        cycles < floor
            ? fmt::format("{:.4g} cycles per warp-FMA are below the floor of {:.4g}: the time, "
                          "the clock or the work is wrong",
                          cycles, floor)
            : fmt::format("{:.4g} cycles per warp-FMA against a floor of {:.4g}: the FMA pipe is "
                          "busy {:.3g} % of the time",
                          cycles, floor, 100.0 * floor / cycles));
  }

  void describe_roof() {
    const Roofline& roof = *kernel_.roofline;
    std::string meaning;
    if (roof.flag == AttainmentFlag::above_roof) {
      meaning = "caches served bytes that the ledger counts, so DRAM is not the wall";
    } else if (at_roof()) {
      meaning = "DRAM delivers these bytes about as fast as it can";
    } else {
      meaning = "DRAM could deliver these bytes faster, the wall is elsewhere";
    }
    add(FigureKind::counted, "DRAM roof",
        fmt::format("{:.5g} bytes per output give {:.4g} FLOP/byte and a roof of {:.5g} GFLOP/s; "
                    "measured {:.5g} GFLOP/s is {:.4g} % of it: {}",
                    to_double(kernel_.ledger->bytes_per_output), roof.arithmetic_intensity,
                    roof.roof_flop_per_s / 1e9, kernel_.flop_per_s / 1e9, 100.0 * roof.attainment,
                    meaning));
  }

  void describe_requests() {
    const SourceLedger& ledger = *kernel_.ledger;
    const double requests = to_double(ledger.requests_per_fma);
    const double coalesced = to_double(ledger.coalesced_requests_per_fma);
    const std::string gathers = ledger.gather_requests_per_fma > 0
                                    ? fmt::format("; {:.4g} of them are gathers, an upper bound",
                                                  to_double(ledger.gather_requests_per_fma))
                                    : "";
    add(FigureKind::counted, "requests",
        requests > coalesced
            ? fmt::format("a warp makes {:.4g} memory requests per FMA where coalesced loads would "
                          "make {:.4g}{}",
                          requests, coalesced, gathers)
            : fmt::format("a warp makes {:.4g} memory requests per FMA, no more than coalesced "
                          "loads need",
                          requests));
  }

  void describe_predictions() {
    for (const Prediction& prediction : kernel_.predictions) {
      std::string parts;
      for (const CostShare& share : prediction.shares) {
        if (share.count != 0.0) {
          parts += fmt::format("{}{} {:.4g}", parts.empty() ? "" : " + ", share.name, share.cycles);
        }
      }
      const bool reference = prediction.role == Role::reference;
      add(reference ? FigureKind::calibrated : FigureKind::predicted, prediction.model,
          fmt::format("{} = {:.4g} of {:.4g} measured cycles ({})", parts,
                      prediction.cycles_per_warp_fma, kernel_.cycles_per_warp_fma,
                      reference ? "a reference, so exact or fitted"
                                : fmt::format("{:+.1f} %, held-out", 100.0 * prediction.error)));
    }
  }

  void describe_padding() {
    const SourceLedger& ledger = *kernel_.ledger;
    if (ledger.executed_fmas > ledger.work.fmas) {
      add(FigureKind::counted, "padding",
          fmt::format("{:.3g} % of the executed FMAs fall outside the matrices",
                      100.0 * (1.0 - to_double(ledger.work.fmas / ledger.executed_fmas))));
    }
  }

  void describe_library() {
    if (kernel_.share_of_library && kernel_.library.empty()) {
      add(FigureKind::measured, "yardstick",
          fmt::format("{:.4g} % of the library's speed at this shape",
                      100.0 * *kernel_.share_of_library));
    }
  }

  [[nodiscard]] bool at_roof() const {
    const double attainment = kernel_.roofline->attainment;
    return attainment >= bandwidth_bound_min_attainment &&
           attainment <= bandwidth_bound_max_attainment;
  }

  void conclude() {
    if (!kernel_.ledger) {
      conclude_with(VerdictClass::model_not_applicable,
                    fmt::format("{}'s kernel has no source ledger; it is the yardstick of its "
                                "family",
                                kernel_.library));
      return;
    }
    if (at_roof()) {
      conclude_with(VerdictClass::bandwidth_bound,
                    fmt::format("{:.4g} % of the DRAM roof of its byte ledger is reached",
                                100.0 * kernel_.roofline->attainment));
      return;
    }
    // Gathers are an upper bound, so they convict nobody.
    const SourceLedger& ledger = *kernel_.ledger;
    const Rational certain = ledger.requests_per_fma - ledger.gather_requests_per_fma;
    const double requests = to_double(certain);
    const double coalesced = to_double(ledger.coalesced_requests_per_fma);
    if (coalesced > 0.0 && requests >= uncoalesced_min_request_ratio * coalesced) {
      conclude_with(VerdictClass::uncoalesced,
                    fmt::format("a warp makes {:.4g} memory requests per FMA where coalesced "
                                "loads would make {:.4g}",
                                requests, coalesced));
      return;
    }
    if (kernel_.predictions.empty()) {
      conclude_with(VerdictClass::model_not_applicable, "no cost model is calibrated for it");
      return;
    }
    conclude_from_prices(kernel_.predictions.front());
  }

  void conclude_from_prices(const Prediction& prediction) {
    const double explained = prediction.cycles_per_warp_fma / kernel_.cycles_per_warp_fma;
    if (std::abs(prediction.error) > explained_max_error) {
      conclude_with(VerdictClass::model_not_applicable,
                    fmt::format("load instructions at their {} prices make up {:.3g} % of the "
                                "measured cycles",
                                prediction.model, 100.0 * explained));
      return;
    }
    const CostShare& largest = *std::ranges::max_element(
        prediction.shares,
        [](const CostShare& a, const CostShare& b) { return a.cycles < b.cycles; });
    const std::string share = fmt::format("{} loads alone are {:.3g} %", largest.name,
                                          100.0 * largest.cycles / kernel_.cycles_per_warp_fma);
    conclude_with(
        VerdictClass::instruction_bound,
        prediction.role == Role::reference
            ? fmt::format("DRAM is not the wall ({:.4g} % of the roof) and load instructions price "
                          "its cycles, by construction as it is a reference; {}",
                          100.0 * kernel_.roofline->attainment, share)
            : fmt::format("load instructions at their {} prices make up {:.3g} % of the measured "
                          "cycles; {}",
                          prediction.model, 100.0 * explained, share));
  }

  const KernelAnalysis& kernel_;
  const Device& device_;
  Verdict verdict_;
};

}  // namespace

std::string_view to_string(VerdictClass verdict_class) {
  switch (verdict_class) {
    case VerdictClass::bandwidth_bound:
      return "bandwidth-bound";
    case VerdictClass::instruction_bound:
      return "instruction-bound";
    case VerdictClass::uncoalesced:
      return "uncoalesced";
    case VerdictClass::model_not_applicable:
      return "model-not-applicable";
  }
  return "";
}

std::string_view to_string(FigureKind kind) {
  switch (kind) {
    case FigureKind::counted:
      return "counted";
    case FigureKind::measured:
      return "measured";
    case FigureKind::calibrated:
      return "calibrated";
    case FigureKind::predicted:
      return "predicted";
  }
  return "";
}

Verdict judge(const KernelAnalysis& kernel, const Device& device) {
  return Judge(kernel, device).verdict();
}

}  // namespace perfmodel
