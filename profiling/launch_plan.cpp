#include "profiling/launch_plan.hpp"

#include <algorithm>
#include <cmath>

namespace perfmodel::profiling {

LaunchPlan plan_launches(double launch_s, CacheMode cache_mode) {
  if (cache_mode == CacheMode::cold) {
    return {1, 0};
  }
  constexpr auto most = static_cast<double>(most_launches_per_sample);
  const double wanted = launch_s > 0.0 ? std::ceil(shortest_span_s / launch_s) : most;
  const auto launches = static_cast<std::size_t>(std::clamp(wanted, 1.0, most));
  return {launches, launch_s < longest_runway_launch_s ? launches : 0};
}

}  // namespace perfmodel::profiling
