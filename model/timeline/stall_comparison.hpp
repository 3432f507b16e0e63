#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/measurement.hpp"
#include "model/timeline/sm_timeline.hpp"

namespace perfmodel {

/// One reason for which warps do not issue, of all cycles in which they do not.
struct StallReason {
  std::string name;  ///< as counters call it: "long_scoreboard", "imc_miss"
  double share = 0;
};

/// What the hardware's counters say of each reason, the largest share first; empty where there are
/// no such counters.
std::vector<StallReason> measured_stalls(const Counters& counters);

/// The same of a timeline.
std::vector<StallReason> predicted_stalls(const SmTimelineResult& result);

/// The share of the reason of that name; 0: it does not occur.
double share_of(const std::vector<StallReason>& reasons, const std::string& name);

/// The largest predicted and the largest measured reason.
struct TopStall {
  StallReason predicted;
  StallReason measured;
  double measured_share_of_predicted = 0;

  /// Both are one, or as measured within five points of each other.
  [[nodiscard]] bool agrees() const;
};

/// Nothing where either side has no stalls.
std::optional<TopStall> compare_top_stalls(const std::vector<StallReason>& predicted,
                                           const std::vector<StallReason>& measured);

}  // namespace perfmodel
