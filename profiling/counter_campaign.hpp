#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/measurement.hpp"
#include "profiling/campaign.hpp"
#include "profiling/counters/counters.hpp"
#include "profiling/counters/refusal.hpp"
#include "profiling/runner.hpp"

namespace perfmodel::profiling {

struct CounterCampaignOptions {
  CacheMode cache_mode = CacheMode::cold;
  /// Launches whose own duration is taken, apart from those that are counted.
  std::size_t traced_launches = 5;
  /// Kernels that the recording has no entry of get one, not verified, with the time that the
  /// counters tell (gpu__time_duration.sum) or else their own durations. Otherwise they are passed
  /// over.
  bool add_entries = false;
  /// Written after every kernel; empty: not written.
  std::filesystem::path file;
  std::function<void(std::size_t done, std::size_t total, const std::string& label)> progress;
};

/// What became of a counter campaign.
struct CounterCampaignResult {
  std::size_t counted = 0;             ///< entries with counters now
  std::vector<std::string> not_known;  ///< metrics that the chip does not have
  std::vector<Refusal> refusals;       ///< different ones, in the order in which they came
};

/// Adds counters and kernel durations to the entries of a recording, in passes apart from the timed
/// ones, so that times stay undisturbed. A refusal is written into the entry and does not end the
/// campaign. `collector` may be null where opening it was refused; `opening` says why then.
CounterCampaignResult collect_counters(Runner& runner, std::vector<ProblemTasks> tasks,
                                       Recording& recording, CounterCollector* collector,
                                       const std::vector<Refusal>& opening,
                                       const CounterCampaignOptions& options);

}  // namespace perfmodel::profiling
