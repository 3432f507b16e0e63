#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "model/sass/machine_ledger.hpp"

namespace perfmodel::sass::testing {

/// The first instruction or total in which two ledgers of the same code differ; empty: none.
/// Wavefronts may differ by a share: those of misses depend on where blocks lie in memory.
inline std::string different_counts(const MachineLedger& left, const MachineLedger& right,
                                    double wavefront_tolerance = 0) {
  if (left.lines.size() != right.lines.size()) {
    return "the number of instructions";
  }
  for (std::size_t i = 0; i < left.lines.size(); ++i) {
    InstructionCounts one = left.lines[i].counts;
    const InstructionCounts& other = right.lines[i].counts;
    if (std::abs(one.wavefronts - other.wavefronts) <= wavefront_tolerance * other.wavefronts) {
      one.wavefronts = other.wavefronts;
    }
    if (one != other) {
      return left.lines[i].text + " at " + std::to_string(left.lines[i].address) + ": " +
             std::to_string(one.executions) + " and " + std::to_string(other.executions) +
             " executions, " + std::to_string(one.wavefronts) + " and " +
             std::to_string(other.wavefronts) + " wavefronts, " + std::to_string(one.sectors) +
             " and " + std::to_string(other.sectors) + " sectors";
    }
  }
  if (left.totals.warp_instructions != right.totals.warp_instructions) {
    return "the number of warp instructions";
  }
  if (std::abs(left.unique_bytes_per_block - right.unique_bytes_per_block) >
      1e-9 * right.unique_bytes_per_block) {
    return "unique bytes: " + std::to_string(left.unique_bytes_per_block) + " and " +
           std::to_string(right.unique_bytes_per_block);
  }
  return {};
}

}  // namespace perfmodel::sass::testing
