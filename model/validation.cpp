#include "model/validation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "model/statistics.hpp"

namespace perfmodel {
namespace {

std::vector<double> ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> result(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      ++end;
    }
    for (std::size_t i = begin; i < end; ++i) {
      result[order[i]] = static_cast<double>(begin + end - 1) / 2;
    }
    begin = end;
  }
  return result;
}

ValidationGroup summarize_group(const std::string& name, const ValidationCase& first,
                                std::span<const ValidationCase> cases) {
  ValidationGroup group;
  group.name = name;
  group.model = first.model;
  group.role = first.role;
  std::vector<double> errors;
  std::vector<double> predicted;
  std::vector<double> measured;
  double inside = 0;
  for (const ValidationCase& one : cases) {
    errors.push_back(std::abs(one.error()));
    predicted.push_back(one.predicted_s);
    measured.push_back(one.measured_s);
    inside += one.is_inside() ? 1 : 0;
  }
  const AbsoluteSummary summary = *summarize_absolute(errors);
  constexpr double ninety = 0.9;
  group.count = summary.count;
  group.mean_abs_error = summary.mean;
  group.median_abs_error = summary.median;
  group.p90_abs_error = *quantile(errors, ninety);
  group.max_abs_error = summary.max;
  group.spearman = rank_correlation(predicted, measured);
  group.inside_share = inside / static_cast<double>(summary.count);
  return group;
}

}  // namespace

std::optional<double> rank_correlation(std::span<const double> left,
                                       std::span<const double> right) {
  constexpr std::size_t fewest = 3;
  if (left.size() != right.size() || left.size() < fewest) {
    return std::nullopt;
  }
  const std::vector<double> x = ranks(left);
  const std::vector<double> y = ranks(right);
  const double mean = static_cast<double>(x.size() - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) {
    return std::nullopt;
  }
  return xy / std::sqrt(xx * yy);
}

std::vector<ValidationGroup> summarize(std::span<const ValidationCase> cases) {
  using Key = std::tuple<std::string, std::string, Role>;
  std::vector<std::pair<Key, std::vector<ValidationCase>>> groups;
  const auto add = [&](const std::string& name, const ValidationCase& one) {
    const Key key{name, one.model, one.role};
    auto found = std::ranges::find(groups, key, [](const auto& group) { return group.first; });
    if (found == groups.end()) {
      groups.emplace_back(key, std::vector<ValidationCase>{});
      found = groups.end() - 1;
    }
    found->second.push_back(one);
  };
  for (const ValidationCase& one : cases) {
    add(one.group, one);
  }
  for (const ValidationCase& one : cases) {
    add("all", one);
  }
  std::vector<ValidationGroup> summaries;
  for (const auto& [key, members] : groups) {
    summaries.push_back(summarize_group(std::get<0>(key), members.front(), members));
  }
  return summaries;
}

}  // namespace perfmodel
