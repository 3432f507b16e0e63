#pragma once

#include <string>
#include <vector>

#include "model/launch_profile.hpp"
#include "model/timeline/sm_costs.hpp"
#include "model/traffic.hpp"

namespace perfmodel {

/// The least time that one resource needs for its part of a launch, if nothing ever holds it up.
struct ResourceBound {
  std::string resource;  ///< "issue", "FMA", "LSU data pipe", "DRAM"
  double seconds = 0;
};

/// One bound for each resource that the launch uses, the largest first. Work of an SM is that of
/// the SM with the most blocks; L2 and DRAM serve all of them.
std::vector<ResourceBound> resource_bounds(const LaunchProfile& profile, const Traffic& traffic,
                                           const SmCosts& costs);

}  // namespace perfmodel
