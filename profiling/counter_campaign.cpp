#include "profiling/counter_campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "model/statistics.hpp"
#include "profiling/recording_file.hpp"

namespace perfmodel::profiling {
namespace {

constexpr const char* source = "cupti-range";
constexpr std::string_view duration_metric = "gpu__time_duration.sum";

Measurement* find_entry(Recording& recording, std::string_view kernel, const Shape& shape) {
  const auto found = std::ranges::find_if(recording.entries, [&](const Measurement& entry) {
    return entry.kernel == kernel && entry.shape == shape;
  });
  return found == recording.entries.end() ? nullptr : &*found;
}

void note(const Refusal& refusal, CounterCampaignResult& result) {
  if (std::ranges::find(result.refusals, refusal) == result.refusals.end()) {
    result.refusals.push_back(refusal);
  }
}

/// Counters and durations of one launch; what is refused is noted in the entry.
void observe(const ObservedLaunch& launch, CounterCollector& collector,
             const CounterCampaignOptions& options, Measurement& entry,
             CounterCampaignResult& result) {
  bool has_duration = false;
  try {
    Counters counters{source, "", collector.collect(launch)};
    // A ratio over nothing is no number.
    std::erase_if(counters.values, [](const auto& one) { return !std::isfinite(one.second); });
    has_duration = counters.values.contains(duration_metric);
    if (counters.values.empty()) {
      counters.refused = "none of the metrics asked for exists on this chip";
    } else {
      ++result.counted;
    }
    entry.counters = std::move(counters);
  } catch (const CounterRefused& refused) {
    note(refused.refusal(), result);
    entry.counters = Counters{source, refused.refusal().paragraph(), {}};
  }
  if (options.add_entries && has_duration) {
    // Tracing takes longer to start than all else; the counters tell the time as well.
    entry.samples_s = {entry.counters->values.find(duration_metric)->second};
  } else {
    try {
      entry.kernel_durations_s = collector.kernel_durations_s(launch, options.traced_launches);
    } catch (const CounterRefused& refused) {
      note(refused.refusal(), result);
    }
  }
  for (const std::string& metric : collector.not_known()) {
    if (std::ranges::find(result.not_known, metric) == result.not_known.end()) {
      result.not_known.push_back(metric);
    }
  }
}

}  // namespace

CounterCampaignResult collect_counters(Runner& runner, std::vector<ProblemTasks> tasks,
                                       Recording& recording, CounterCollector* collector,
                                       const std::vector<Refusal>& opening,
                                       const CounterCampaignOptions& options) {
  CounterCampaignResult result;
  result.refusals = opening;
  std::size_t total = 0;
  for (const ProblemTasks& task : tasks) {
    total += task.kernels.size();
  }
  std::size_t done = 0;
  for (ProblemTasks& task : tasks) {
    for (const kernels::Kernel* kernel : task.kernels) {
      if (options.progress) {
        options.progress(done, total,
                         fmt::format("counters of {} at {}", kernel->name, task.label));
      }
      ++done;
      const kernels::Plan plan = kernel->plan(task.problem->shape(), runner.limits());
      if (plan.skipped() || plan.nothing_to_do()) {
        continue;
      }
      const Shape shape = kernels::recorded_shape(*kernel, task.problem->shape());
      Measurement* entry = find_entry(recording, kernel->name, shape);
      if (entry != nullptr && entry->counters && entry->counters->refused.empty()) {
        continue;  // of an interrupted run
      }
      std::optional<Measurement> added;
      if (entry == nullptr) {
        if (!options.add_entries) {
          continue;
        }
        entry = &added.emplace();
        entry->kernel = kernel->name;
        entry->shape = shape;
        entry->cache_mode = options.cache_mode;
        entry->note = task.label == shape.to_string() ? "" : task.label;
        entry->verification =
            Verification{VerificationStatus::skipped, "only counters were asked for", std::nullopt,
                         std::nullopt, std::nullopt};
      }
      if (collector == nullptr) {
        entry->counters = Counters{source, opening.empty() ? "" : opening.front().paragraph(), {}};
      } else {
        runner.observe(*kernel, task.problem, options.cache_mode,
                       [&](const ObservedLaunch& launch) {
                         observe(launch, *collector, options, *entry, result);
                       });
      }
      if (added && added->samples_s.empty()) {
        added->samples_s = added->kernel_durations_s;
      }
      if (added && !added->samples_s.empty()) {
        added->median_s = median(added->samples_s).value();
        recording.entries.push_back(std::move(*added));
      }
      if (!options.file.empty()) {
        set_clock(recording);
        write_recording(options.file, recording);
      }
    }
    task.problem.reset();
  }
  return result;
}

}  // namespace perfmodel::profiling
