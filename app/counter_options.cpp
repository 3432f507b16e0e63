#include "app/counter_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/output.hpp"
#include "app/progress.hpp"
#include "model/error.hpp"
#include "model/text.hpp"
#include "profiling/counter_campaign.hpp"

namespace perfmodel::app {

void CounterOptions::add_to(CLI::App& command) {
  const char* group = "Hardware counters";
  command
      .add_option("--counters", mode,
                  "off (default); auto: where they are permitted; on: or fail (exit code 3); only: "
                  "no times and no verification")
      ->check(CLI::IsMember({"off", "auto", "on", "only"}))
      ->group(group)
      ->type_name("MODE");
  command
      .add_option("--metrics", metrics,
                  "sets (see 'perfmodel list metrics') or metrics of the chip; default: all sets. "
                  "Alone it means --counters auto")
      ->delimiter(',')
      ->group(group)
      ->type_name("NAME,...");
  command
      .add_option("--replay", replay,
                  "who repeats a kernel for further passes: user (perfmodel, default) or kernel "
                  "(CUPTI, saves and restores memory)")
      ->check(CLI::IsMember({"user", "kernel"}))
      ->group(group)
      ->type_name("WHO");
}

std::vector<MetricChoice> find_metrics(const std::vector<std::string>& names,
                                       const std::vector<MetricSet>& sets) {
  std::vector<MetricChoice> found;
  const auto add = [&](const MetricChoice& choice) {
    const bool known = std::ranges::any_of(
        found, [&](const MetricChoice& other) { return other.name == choice.name; });
    if (!known) {
      found.push_back(choice);
    }
  };
  std::vector<std::string> set_names;
  for (const MetricSet& set : sets) {
    set_names.push_back(set.name);
    if (names.empty()) {
      std::ranges::for_each(set.metrics, add);
    }
  }
  for (const std::string& name : names) {
    const auto set = std::ranges::find(sets, name, &MetricSet::name);
    if (set != sets.end()) {
      std::ranges::for_each(set->metrics, add);
    } else if (name.find("__") != std::string::npos) {
      if (name.find('.') == std::string::npos) {
        fail(fmt::format("metric '{}' lacks its roll-up, such as {}.sum", printable(name),
                         printable(name)));
      }
      add({name, "", ""});
    } else {
      fail(
          fmt::format("there is no set of metrics '{}'{}; there are {}, and the metrics of the "
                      "chip such as smsp__inst_executed.sum",
                      printable(name), did_you_mean(name, set_names), join(set_names)));
    }
  }
  return found;
}

void count_with_progress(LiveSession& session, std::vector<profiling::ProblemTasks> tasks,
                         Recording& recording, const std::filesystem::path& file,
                         const CounterOptions& options, const spec::Catalog& catalog) {
  const std::vector<MetricChoice> metrics = find_metrics(options.metrics, catalog.metric_sets());
  std::unique_ptr<profiling::CounterCollector> collector;
  std::vector<profiling::Refusal> opening;
  try {
    collector = profiling::open_collector(
        session.ordinal, metrics,
        options.replay == "kernel" ? profiling::ReplayMode::kernel : profiling::ReplayMode::user);
  } catch (const profiling::CounterRefused& refused) {
    opening.push_back(refused.refusal());
  }
  std::size_t total = 0;
  for (const profiling::ProblemTasks& task : tasks) {
    total += task.kernels.size();
  }
  Progress progress(total, standard_error_terminal());
  profiling::CounterCampaignOptions campaign;
  campaign.cache_mode = session.planned.settings.value().cache_mode;
  campaign.add_entries = options.only();
  campaign.file = file;
  campaign.progress = [&](std::size_t done, std::size_t, const std::string& label) {
    progress.update(done, label);
  };
  const profiling::CounterCampaignResult result = profiling::collect_counters(
      *session.runner, std::move(tasks), recording, collector.get(), opening, campaign);
  std::vector<std::string> warnings;
  for (const std::string& metric : result.not_known) {
    warnings.push_back(fmt::format("this chip has no metric {}", metric));
  }
  for (const profiling::Refusal& refusal : result.refusals) {
    warnings.push_back(
        fmt::format("no hardware counters ({}): {}", to_string(refusal.kind), refusal.paragraph()));
  }
  if (options.required() && !result.refusals.empty()) {
    throw profiling::CounterRefused(result.refusals.front());
  }
  print_warnings(warnings);
}

}  // namespace perfmodel::app
