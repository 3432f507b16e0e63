#include "profiling/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/error.hpp"
#include "model/text.hpp"
#include "profiling/campaign.hpp"
#include "profiling/resume.hpp"

namespace perfmodel::profiling {
namespace {

constexpr std::size_t most_named_conflicts = 10;

bool is_wrong(const SkippedMeasurement& skipped) {
  return skipped.verification && skipped.verification->status == VerificationStatus::failed;
}

class Merge {
 public:
  explicit Merge(const Recording& first) : first_(first) {
    result_.recording = first;
    result_.recording.entries.clear();
    result_.recording.skipped.clear();
  }

  void add(const Recording& part) {
    add_device(part);
    Recording& all = result_.recording;
    if (!part.complete) {
      all.complete = false;
      result_.warnings.push_back(
          fmt::format("{} is partial: its run was interrupted", printable(part.name)));
    }
    for (const Measurement& entry : part.entries) {
      add_entry(entry, part.name);
    }
    for (const SkippedMeasurement& skipped : part.skipped) {
      add_skipped(skipped, part.name);
    }
    if (all.environment && part.environment) {
      all.environment->date_utc = std::max(all.environment->date_utc, part.environment->date_utc);
    }
    ++parts_;
  }

  Merged finish() {
    settle_skipped();
    if (!conflicts_.empty()) {
      const std::size_t count = std::min(conflicts_.size(), most_named_conflicts);
      std::string text = join(std::span(conflicts_).first(count), "; ");
      if (count < conflicts_.size()) {
        text += fmt::format("; and {} more", conflicts_.size() - count);
      }
      fail(fmt::format("these recordings cannot be merged: {}", text));
    }
    Recording& all = result_.recording;
    if (parts_ > 1) {
      all.source = fmt::format("{}, merged from {} recordings", first_.source, parts_);
    }
    if (all.source_kind == SourceKind::measured) {
      set_clock(all);
    }
    return std::move(result_);
  }

 private:
  void add_device(const Recording& part) {
    for (const Difference& one : differences(first_, part)) {
      if (one.what == device_uuid) {
        // The parts are of several devices, so the whole is of none in particular.
        result_.recording.device_attributes->uuid.reset();
        result_.recording.device_attributes->pci_bus_id.reset();
      } else {
        conflicts_.push_back(fmt::format("the {} is {} in {} and {} in {}", one.what,
                                         shown(one.before), first_.name, shown(one.now),
                                         part.name));
      }
    }
    if (part.source_kind != SourceKind::measured && part.clock_hz != first_.clock_hz) {
      conflicts_.push_back(fmt::format("the clock is {:.6g} GHz in {} and {:.6g} GHz in {}",
                                       first_.clock_hz / 1e9, first_.name, part.clock_hz / 1e9,
                                       part.name));
    }
  }

  void add_entry(const Measurement& entry, const std::string& part) {
    const std::string label = entry.label();
    const auto [known, is_new] = measured_in_.try_emplace(label, part);
    if (is_new) {
      result_.recording.entries.push_back(entry);
      return;
    }
    if (std::ranges::find(result_.recording.entries, entry) == result_.recording.entries.end()) {
      conflicts_.push_back(
          fmt::format("{} was measured in {} and in {}", printable(label), known->second, part));
    }
  }

  /// The first reason stands; that a result was wrong is kept before any other.
  void add_skipped(const SkippedMeasurement& skipped, const std::string& part) {
    const auto [known, is_new] = skipped_in_.try_emplace(skipped.label(), Skipped{skipped, part});
    if (!is_new && is_wrong(skipped) && !is_wrong(known->second.measurement)) {
      known->second = {skipped, part};
    }
  }

  void settle_skipped() {
    for (const auto& [label, skipped] : skipped_in_) {
      const auto measured = measured_in_.find(label);
      if (measured == measured_in_.end()) {
        result_.recording.skipped.push_back(skipped.measurement);
      } else if (is_wrong(skipped.measurement)) {
        conflicts_.push_back(fmt::format("{} was measured in {} and is wrong in {}",
                                         printable(label), measured->second, skipped.part));
      }
    }
  }

  struct Skipped {
    SkippedMeasurement measurement;
    std::string part;
  };

  const Recording& first_;
  Merged result_;
  std::size_t parts_ = 0;
  std::map<std::string, std::string> measured_in_;  ///< part by label
  std::map<std::string, Skipped> skipped_in_;       ///< by label
  std::vector<std::string> conflicts_;
};

}  // namespace

Merged merge_recordings(std::span<const Recording> parts) {
  if (parts.empty()) {
    fail("there is no recording to merge; name at least one");
  }
  Merge merge(parts.front());
  for (const Recording& part : parts) {
    merge.add(part);
  }
  return merge.finish();
}

}  // namespace perfmodel::profiling
