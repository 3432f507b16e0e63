#include "model/source_ledger.hpp"

#include <fmt/format.h>

#include "model/device.hpp"
#include "model/error.hpp"

namespace perfmodel {
namespace {

constexpr int line_bytes = 128;

/// Evaluates a count that a program must be able to index with.
Rational whole_count(const KernelSpec& kernel, const Shape& shape, const Expression& expression,
                     std::string_view what) {
  Rational value = expression.evaluate(shape);
  if (value < 1) {
    fail(fmt::format("kernel {} at {}: {} = {} must be at least 1", kernel.name, shape.key(), what,
                     to_fraction(value)));
  }
  if (value.get_den() != 1) {
    fail(fmt::format("kernel {} at {}: {} = {} must be a whole number", kernel.name, shape.key(),
                     what, to_fraction(value)));
  }
  if (!fits_int64(value)) {
    fail(fmt::format("kernel {} at {}: {} = {} overflows 64 bits", kernel.name, shape.key(), what,
                     to_fraction(value)));
  }
  return value;
}

/// Sums the loops of one ledger over the whole launch.
class Totals {
 public:
  Totals(const KernelSpec& kernel, const SourceLedgerSpec& spec, const Shape& shape)
      : kernel_(kernel), spec_(spec), shape_(shape) {}

  void add(const Loop& loop, const Rational& outer_executions) {
    const Rational trips = loop.trips.evaluate(shape_);
    if (trips < 0) {
      fail(fmt::format("kernel {} at {}: loop '{}' makes {} trips", kernel_.name, shape_.key(),
                       loop.name, to_fraction(trips)));
    }
    const Rational executions = outer_executions * trips;
    fmas += executions * loop.fmas;
    dist += executions * loop.shared_dist;
    bcast += executions * loop.shared_bcast;
    for (const GlobalAccess& load : loop.global_loads) {
      const Rational instructions = executions * load.per_thread;
      ldg += instructions;
      bytes += access_bytes(load, instructions);
      const std::int64_t width_bytes = load.width * spec_.element_bytes;
      const Rational coalesced = lines_per_warp(width_bytes, width_bytes);
      requests += instructions * lines(load, width_bytes);
      if (!load.lane_stride) {
        gather_requests += instructions * lines(load, width_bytes);
      }
      coalesced_requests += instructions * std::min(coalesced, lines(load, width_bytes));
    }
    for (const Loop& inner : loop.loops) {
      add(inner, executions);
    }
  }

  /// Bytes of the elements that exist; refuses more of them than `instructions` can carry.
  [[nodiscard]] Rational access_bytes(const GlobalAccess& access,
                                      const Rational& instructions) const {
    const Rational elements =
        whole_count(kernel_, shape_, access.elements, fmt::format("elements of {}", access.array));
    if (elements > instructions * access.width) {
      fail(
          fmt::format("kernel {} at {}: {} elements of {} are more than its {} accesses of {} "
                      "carry; check 'elements', 'per_thread' and 'threads'",
                      kernel_.name, shape_.key(), to_fraction(elements), access.array,
                      to_fraction(instructions), access.width));
    }
    return elements * spec_.element_bytes;
  }

  Rational fmas;
  Rational dist;
  Rational bcast;
  Rational ldg;
  Rational bytes;
  Rational requests;
  Rational gather_requests;
  Rational coalesced_requests;

 private:
  [[nodiscard]] Rational lines(const GlobalAccess& load, std::int64_t width_bytes) const {
    if (!load.lane_stride) {
      return lines_per_warp(line_bytes, width_bytes);
    }
    const Rational stride = load.lane_stride->evaluate(shape_);
    if (stride < 0) {
      fail(fmt::format("kernel {} at {}: lane_stride of {} is {}; give its magnitude", kernel_.name,
                       shape_.key(), load.array, to_fraction(stride)));
    }
    return lines_per_warp(stride * spec_.element_bytes, width_bytes);
  }

  const KernelSpec& kernel_;
  const SourceLedgerSpec& spec_;
  const Shape& shape_;
};

}  // namespace

Rational lines_per_warp(const Rational& stride_bytes, std::int64_t access_bytes) {
  const Rational lines_of_one_lane = ceil(Rational(Rational(access_bytes) / line_bytes));
  if (stride_bytes >= line_bytes) {
    return warp_lanes * lines_of_one_lane;
  }
  const Rational last_byte = (warp_lanes - 1) * stride_bytes + access_bytes - 1;
  return floor(Rational(last_byte / line_bytes)) + 1;
}

Work evaluate_work(const KernelSpec& kernel, const Shape& shape) {
  return {whole_count(kernel, shape, kernel.outputs, "outputs"),
          whole_count(kernel, shape, kernel.fmas, "fmas"),
          whole_count(kernel, shape, kernel.required_bytes, "required_bytes")};
}

SourceLedger evaluate_source_ledger(const KernelSpec& kernel, const Shape& shape) {
  if (!kernel.ledger) {
    fail(fmt::format("kernel {} has no source ledger{}", kernel.name,
                     kernel.library ? ": it is " + *kernel.library + "'s" : ""));
  }
  const SourceLedgerSpec& spec = *kernel.ledger;
  SourceLedger ledger;
  ledger.work = evaluate_work(kernel, shape);
  ledger.threads = whole_count(kernel, shape, spec.threads, "threads");

  Totals totals(kernel, spec, shape);
  for (const Loop& loop : spec.loops) {
    totals.add(loop, ledger.threads);
  }
  for (const GlobalAccess& store : spec.global_stores) {
    totals.bytes += totals.access_bytes(store, ledger.threads * store.per_thread);
  }
  if (totals.fmas < ledger.work.fmas) {
    fail(fmt::format("kernel {} at {}: its loops execute {} FMAs, but the work needs {}",
                     kernel.name, shape.key(), to_fraction(totals.fmas),
                     to_fraction(ledger.work.fmas)));
  }
  if (ledger.threads * spec.outputs_per_thread < ledger.work.outputs) {
    fail(fmt::format("kernel {} at {}: {} threads with {} outputs each do not cover {} outputs",
                     kernel.name, shape.key(), to_fraction(ledger.threads), spec.outputs_per_thread,
                     to_fraction(ledger.work.outputs)));
  }

  const Rational& fmas = ledger.work.fmas;
  ledger.executed_fmas = totals.fmas;
  ledger.dist = totals.dist / fmas;
  ledger.bcast = totals.bcast / fmas;
  ledger.ldg = totals.ldg / fmas;
  ledger.bytes_per_output = totals.bytes / ledger.work.outputs;
  ledger.arithmetic_intensity = 2 * fmas / totals.bytes;
  ledger.requests_per_fma = totals.requests / fmas;
  ledger.gather_requests_per_fma = totals.gather_requests / fmas;
  ledger.coalesced_requests_per_fma = totals.coalesced_requests / fmas;
  if (!fits_int64(totals.bytes)) {
    fail(fmt::format("kernel {} at {}: {} bytes moved overflow 64 bits", kernel.name, shape.key(),
                     to_fraction(totals.bytes)));
  }
  return ledger;
}

}  // namespace perfmodel
