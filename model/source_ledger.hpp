#pragma once

#include "model/kernel_spec.hpp"
#include "model/rational.hpp"
#include "model/shape.hpp"

namespace perfmodel {

/// The useful work of a kernel at a shape. All figures are exact and at least 1.
struct Work {
  Rational outputs;
  Rational fmas;
  Rational required_bytes;
};

/// The three source ledgers of a kernel at a shape, counted per *useful* FMA: work on padding
/// raises the counts instead of hiding in them.
///
/// Instruction counts are those of all threads that run the loops (a lane masked off at an edge
/// still occupies its warp's slot); bytes are those of elements that exist. Source of the
/// definitions: docs/architecture.md, "Ledgers".
struct SourceLedger {
  Work work;
  Rational threads;
  Rational executed_fmas;  ///< useful ones and those on padding

  // Load-count ledger, instructions per FMA.
  Rational dist;   ///< distinct shared reads
  Rational bcast;  ///< broadcast shared reads
  Rational ldg;    ///< global loads

  // Byte ledger.
  Rational bytes_per_output;      ///< bytes loaded from and stored to global memory
  Rational arithmetic_intensity;  ///< FLOP per byte of the byte ledger

  // Request ledger: 128-byte lines that a warp's global loads touch, per FMA.
  Rational requests_per_fma;
  /// The part of them that gathers make, counted as if every lane touched a line of its own: an
  /// upper bound.
  Rational gather_requests_per_fma;
  /// What the same loads would touch if neighbouring lanes read neighbouring elements.
  Rational coalesced_requests_per_fma;

  [[nodiscard]] Rational loads_per_fma() const { return dist + bcast + ldg; }
  [[nodiscard]] Rational uncoalesced_requests_per_fma() const {
    return requests_per_fma - coalesced_requests_per_fma;
  }
};

/// Throws Error when a count is negative, fractional where it must be whole, or too large for the
/// 64-bit arithmetic of a program that would run this shape.
Work evaluate_work(const KernelSpec& kernel, const Shape& shape);

/// Throws Error as `evaluate_work` does, for a kernel without a source ledger, and when the
/// specification contradicts itself (fewer FMAs executed than the work needs, more elements moved
/// than the loads can carry, fewer outputs written than the work defines).
SourceLedger evaluate_source_ledger(const KernelSpec& kernel, const Shape& shape);

/// 128-byte lines touched by one warp-wide access of aligned `access_bytes` per lane with
/// `stride_bytes` from lane to lane.
Rational lines_per_warp(const Rational& stride_bytes, std::int64_t access_bytes);

}  // namespace perfmodel
