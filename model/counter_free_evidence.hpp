#pragma once

#include <functional>
#include <span>
#include <vector>

#include "model/device.hpp"
#include "model/measurement.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/verdict.hpp"

namespace perfmodel {

/// What can be said of a kernel's limits without hardware counters: its requests and wavefronts as
/// emulated, the step from N to N+1, aligned against misaligned rows, the occupancy limit, time
/// against size and time against clock. A line for each; where the measurements for one are
/// missing, the line says which command makes them.
///
/// `entry` is one of `recording`; `others` are more recordings of the same device, for other
/// clocks. `fmas` gives the useful multiply-adds of the kernel at a shape. `ledger` may be null.
std::vector<Evidence> counter_free_evidence(const Recording& recording, const Measurement& entry,
                                            std::span<const Recording> others, const Device& device,
                                            const sass::MachineLedger* ledger,
                                            const std::function<double(const Shape&)>& fmas);

}  // namespace perfmodel
