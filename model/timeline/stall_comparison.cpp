#include "model/timeline/stall_comparison.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace perfmodel {
namespace {

/// To shares of their sum, the largest first; what never occurs is left out.
std::vector<StallReason> shares_of(std::vector<StallReason> reasons) {
  std::erase_if(reasons, [](const StallReason& one) { return !(one.share > 0); });
  double all = 0;
  for (const StallReason& one : reasons) {
    all += one.share;
  }
  for (StallReason& one : reasons) {
    one.share /= all;
  }
  std::ranges::stable_sort(reasons, std::ranges::greater(), &StallReason::share);
  return reasons;
}

}  // namespace

std::vector<StallReason> measured_stalls(const Counters& counters) {
  constexpr std::string_view beginning = "smsp__average_warps_issue_stalled_";
  constexpr std::string_view ending = "_per_issue_active.ratio";
  std::vector<StallReason> reasons;
  for (const auto& [metric, value] : counters.values) {
    std::string_view name = metric;
    if (!name.starts_with(beginning) || !name.ends_with(ending) ||
        name.size() <= beginning.size() + ending.size()) {
      continue;
    }
    name.remove_prefix(beginning.size());
    name.remove_suffix(ending.size());
    if (name != stall_name(Stall::selected)) {
      reasons.push_back({std::string(name), value});
    }
  }
  return shares_of(std::move(reasons));
}

std::vector<StallReason> predicted_stalls(const SmTimelineResult& result) {
  const std::array<double, stall_count> shares = stall_shares(result);
  std::vector<StallReason> reasons;
  for (std::size_t i = 0; i < stall_count; ++i) {
    const auto stall = static_cast<Stall>(i);
    if (stall != Stall::selected) {
      reasons.push_back({stall_name(stall), shares[i]});
    }
  }
  return shares_of(std::move(reasons));
}

double share_of(const std::vector<StallReason>& reasons, const std::string& name) {
  const auto found = std::ranges::find(reasons, name, &StallReason::name);
  return found == reasons.end() ? 0 : found->share;
}

bool TopStall::agrees() const {
  constexpr double near = 0.05;
  return measured_share_of_predicted >= measured.share - near;
}

std::optional<TopStall> compare_top_stalls(const std::vector<StallReason>& predicted,
                                           const std::vector<StallReason>& measured) {
  if (predicted.empty() || measured.empty()) {
    return std::nullopt;
  }
  return TopStall{predicted.front(), measured.front(), share_of(measured, predicted.front().name)};
}

}  // namespace perfmodel
