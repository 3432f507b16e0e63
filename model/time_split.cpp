#include "model/time_split.hpp"

#include <algorithm>
#include <array>

namespace perfmodel {
namespace {

struct SplitPart {
  std::string_view resource;
  std::array<Stall, 3> stalls;  ///< a part with fewer repeats its last
};

constexpr std::array split_parts = {
    SplitPart{"issuing", {Stall::selected, Stall::selected, Stall::selected}},
    SplitPart{"issue slots", {Stall::not_selected, Stall::not_selected, Stall::not_selected}},
    SplitPart{"arithmetic pipes",
              {Stall::math_pipe_throttle, Stall::math_pipe_throttle, Stall::math_pipe_throttle}},
    SplitPart{"fixed latency", {Stall::wait, Stall::dispatch_stall, Stall::branch_resolving}},
    SplitPart{"shared memory", {Stall::short_scoreboard, Stall::mio_throttle, Stall::mio_throttle}},
    SplitPart{"global memory", {Stall::long_scoreboard, Stall::lg_throttle, Stall::drain}},
    SplitPart{"barrier", {Stall::barrier, Stall::barrier, Stall::barrier}}};

}  // namespace

std::vector<LimitShare> time_split(const LaunchAudit& audit) {
  const std::array<double, stall_count> by_reason = stall_shares(audit.timeline.sm);
  const double total_s = audit.measured_s.value_or(audit.predictions.front().seconds);
  const double launching = std::min(1.0, audit.launch_s / total_s);
  std::vector<LimitShare> split = {{"launching", launching}};
  for (const SplitPart& part : split_parts) {
    double share = 0;
    for (std::size_t i = 0; i < part.stalls.size(); ++i) {
      if (i == 0 || part.stalls[i] != part.stalls[i - 1]) {
        share += by_reason[static_cast<std::size_t>(part.stalls[i])];
      }
    }
    split.push_back({std::string(part.resource), share * (1 - launching)});
  }
  return split;
}

}  // namespace perfmodel
