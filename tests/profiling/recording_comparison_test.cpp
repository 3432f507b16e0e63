// The comparison of recordings, on recordings made by hand and on those that ship with the project.

#include "model/recording_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/spec/catalog.hpp"
#include "profiling/recording_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using testing::error_of;

Shape cube(std::int64_t extent) { return Shape({{"m", extent}, {"n", extent}, {"k", extent}}); }

Measurement measured(const std::string& kernel, double seconds, std::size_t samples = 30) {
  Measurement entry;
  entry.kernel = kernel;
  entry.shape = cube(1024);
  for (std::size_t i = 0; i < samples; ++i) {
    entry.samples_s.push_back(seconds * (1.0 + 1e-4 * static_cast<double>(i % 7)));
  }
  entry.median_s = seconds * 1.0003;
  entry.cache_mode = CacheMode::cold;
  ClockConditions clocks;
  clocks.readings = 5;
  clocks.sm_clock_hz = 1.98e9;
  entry.clocks = clocks;
  return entry;
}

Measurement function(const std::string& name, std::int64_t blocks, std::int64_t threads,
                     double seconds = 1e-3) {
  Measurement entry = measured("", seconds);
  entry.foreign = ForeignKernel{name, Extents{blocks, 1, 1}, Extents{threads, 1, 1}, {}};
  return entry;
}

Recording recording(std::vector<Measurement> entries) {
  Recording made;
  made.name = "run";
  made.device = "h200";
  made.clock_basis = "measured";
  made.clock_hz = 1.98e9;
  made.source_kind = SourceKind::measured;
  made.device_attributes = DeviceAttributes{};
  made.device_attributes->uuid = "GPU-1";
  made.entries = std::move(entries);
  return made;
}

const ComparisonSpecs no_specs = {
    [](const std::string&) { return nullptr; }, [](const std::string&) { return nullptr; }, {}};

RecordingComparison compared(const Recording& a, const Recording& b,
                             const CompareOptions& options = {}) {
  return compare_recordings(a, b, options, no_specs);
}

KernelComparison only_kernel(const Recording& a, const Recording& b) {
  const RecordingComparison comparison = compared(a, b);
  EXPECT_EQ(comparison.kernels.size(), 1U);
  return comparison.kernels.at(0);
}

SkippedMeasurement skipped(const std::string& kernel, VerificationStatus status) {
  SkippedMeasurement entry;
  entry.kernel = kernel;
  entry.shape = cube(1024);
  entry.reason = "off by 3";
  entry.verification = Verification{status, "cpu double", 9, 3.0, {}};
  return entry;
}

TEST(CompareRecordings, VerdictsAreSortedByUrgency) {
  const Recording a = recording({measured("K1", 1e-3), measured("K2", 1e-3), measured("K3", 1e-3),
                                 measured("K4", 1e-3), measured("K5", 1e-3, 3)});
  const Recording b =
      recording({measured("K5", 1e-3, 3), measured("K4", 1.2e-3), measured("K3", 1.1e-3),
                 measured("K2", 0.9e-3), measured("K1", 1e-3)});
  const RecordingComparison comparison = compared(a, b);
  std::vector<std::string> order;
  for (const KernelComparison& kernel : comparison.kernels) {
    order.push_back(std::string(to_string(kernel.change)) + " " + kernel.label.substr(0, 2));
  }
  EXPECT_EQ(order, (std::vector<std::string>{"SLOWER K4", "SLOWER K3", "UNSURE K5", "FASTER K2",
                                             "SAME K1"}));
  EXPECT_EQ(comparison.count(Change::slower), 2U);
  EXPECT_NEAR(comparison.kernels[0].ratio->value, 1.2, 1e-9);
}

TEST(CompareRecordings, ShapesMatchInAnyOrderOfTheirExtents) {
  Recording a = recording({measured("K3", 1e-3)});
  Recording b = a;
  a.entries[0].shape = Shape({{"m", 4}, {"n", 5}, {"k", 6}});
  b.entries[0].shape = Shape({{"k", 6}, {"n", 5}, {"m", 4}});
  EXPECT_EQ(compared(a, b).kernels.size(), 1U);
}

TEST(CompareRecordings, WhatOnlyOneHoldsIsListed) {
  const RecordingComparison comparison =
      compared(recording({measured("K1", 1e-3), measured("K2", 1e-3)}),
               recording({measured("K2", 1e-3), measured("K3", 1e-3)}));
  ASSERT_EQ(comparison.uncompared.size(), 2U);
  EXPECT_EQ(comparison.uncompared[0].label, "K1 at 1024x1024x1024");
  EXPECT_EQ(comparison.uncompared[0].reason, "only in A");
  EXPECT_EQ(comparison.uncompared[1].reason, "only in B");
}

TEST(CompareRecordings, FunctionsMatchAlsoWhereTheirBlocksChangedSize) {
  const KernelComparison kernel = only_kernel(recording({function("saxpy", 1024, 128)}),
                                              recording({function("saxpy", 512, 256)}));
  EXPECT_EQ(kernel.change, Change::same);
  ASSERT_EQ(kernel.ledger_changes.size(), 2U);
  EXPECT_EQ(kernel.ledger_changes[0].name, "grid.x");
  EXPECT_EQ(kernel.ledger_changes[1].name, "block.x");
  EXPECT_EQ(kernel.ledger_changes[1].b, 256.0);
}

TEST(CompareRecordings, AmbiguousOrDifferentWorkIsNotMatched) {
  const Recording a = recording({function("saxpy", 1024, 128), measured("K1", 1e-3)});
  const Recording two =
      recording({function("saxpy", 512, 256), function("saxpy", 256, 512), measured("K1", 1e-3)});
  EXPECT_EQ(compared(a, two).kernels.size(), 1U);
  const Recording larger = recording({function("saxpy", 2048, 128), measured("K1", 1e-3)});
  EXPECT_EQ(compared(a, larger).kernels.size(), 1U);
}

TEST(CompareRecordings, NothingInCommonIsAnError) {
  EXPECT_EQ(error_of([] {
              compared(recording({measured("K1", 1e-3)}), recording({measured("K2", 1e-3)}));
            }),
            "recordings run and run have no kernel at one shape in common: A has 1 kernel such as "
            "K1 at 1024x1024x1024, B has 1 kernel such as K2 at 1024x1024x1024; measure the same "
            "kernels and shapes");
  EXPECT_NE(error_of([] {
              compared(recording({}), recording({measured("K2", 1e-3)}));
            }).find("A has nothing"),
            std::string::npos);
}

TEST(CompareRecordings, WrongResultsAreNeverCompared) {
  const Recording a = recording({measured("K1", 1e-3), measured("K2", 1e-3)});
  Recording b = recording({measured("K2", 1e-3)});
  b.skipped = {skipped("K1", VerificationStatus::failed)};
  const RecordingComparison comparison = compared(a, b);
  ASSERT_EQ(comparison.uncompared.size(), 1U);
  EXPECT_EQ(comparison.uncompared[0].reason, "wrong results in B: off by 3");
  EXPECT_TRUE(comparison.uncompared[0].wrong_in_b);
  EXPECT_EQ(comparison.wrong_in_b(), 1U);

  const RecordingComparison swapped = compared(b, a);
  EXPECT_TRUE(swapped.uncompared.at(0).wrong_in_a);
  EXPECT_EQ(swapped.wrong_in_b(), 0U);
  // A wrong kernel is news even where nothing else is left.
  b.entries.clear();
  EXPECT_EQ(compared(a, b).wrong_in_b(), 1U);
}

TEST(CompareRecordings, SkippedInBothIsListedOnce) {
  Recording a = recording({measured("K1", 1e-3)});
  a.skipped = {skipped("K6", VerificationStatus::skipped)};
  const RecordingComparison comparison = compared(a, a);
  ASSERT_EQ(comparison.uncompared.size(), 1U);
  EXPECT_EQ(comparison.uncompared[0].reason, "skipped in A: off by 3; skipped in B: off by 3");
}

TEST(CompareRecordings, TooFewSamplesAreUnsure) {
  EXPECT_EQ(
      only_kernel(recording({measured("K1", 1e-3, 1)}), recording({measured("K1", 2e-3)})).reason,
      "A has 1 sample; 5 of each are needed");
  const KernelComparison few =
      only_kernel(recording({measured("K1", 1e-3)}), recording({measured("K1", 2e-3, 4)}));
  EXPECT_EQ(few.reason, "B has 4 samples; 5 of each are needed");
  EXPECT_EQ(few.change, Change::unsure);
  EXPECT_EQ(few.ratio, std::nullopt);
}

TEST(CompareRecordings, PublishedMediansAreUnsure) {
  Recording published = recording({measured("K1", 1e-3, 0)});
  published.source_kind = SourceKind::published;
  const KernelComparison kernel = only_kernel(published, recording({measured("K1", 2e-3)}));
  EXPECT_EQ(kernel.change, Change::unsure);
  EXPECT_EQ(kernel.reason, "A has no raw samples, only a median");
}

TEST(CompareRecordings, AnotherCacheModeIsUnsure) {
  Recording warm = recording({measured("K1", 0.5e-3)});
  warm.entries[0].cache_mode = CacheMode::warm;
  const KernelComparison kernel = only_kernel(recording({measured("K1", 1e-3)}), warm);
  EXPECT_EQ(kernel.change, Change::unsure);
  EXPECT_EQ(kernel.reason, "L2 was cold in A and warm in B");
}

TEST(CompareRecordings, WhatTheClockExplainsIsUnsure) {
  Recording slow = recording({measured("K1", 1.1e-3), measured("K2", 1.3e-3)});
  for (Measurement& entry : slow.entries) {
    entry.clocks->sm_clock_hz = 1.8e9;
    entry.clocks->throttled = true;
    entry.clocks->throttle_reasons = {"power cap"};
  }
  const RecordingComparison comparison =
      compared(recording({measured("K1", 1e-3), measured("K2", 1e-3)}), slow);
  const KernelComparison& beyond = comparison.kernels.at(0);
  EXPECT_EQ(beyond.label, "K2 at 1024x1024x1024");
  EXPECT_EQ(beyond.change, Change::slower);
  const KernelComparison& explained = comparison.kernels.at(1);
  EXPECT_EQ(explained.change, Change::unsure);
  EXPECT_EQ(explained.reason, "the clock differed, which may be the reason");
  EXPECT_EQ(explained.notes, (std::vector<std::string>{"clock 1.98 GHz in A, 1.8 GHz in B",
                                                       "clock held down in B: power cap"}));
}

TEST(CompareRecordings, AnotherBoardOrDeviceWidensTheMargins) {
  const Recording a = recording({measured("K1", 1e-3)});
  Recording b = recording({measured("K1", 1.025e-3)});
  EXPECT_EQ(only_kernel(a, b).change, Change::slower);
  b.device_attributes->uuid = "GPU-2";
  EXPECT_EQ(only_kernel(a, b).change, Change::same);
  EXPECT_EQ(compared(a, b).conditions.at(0).what, "board");
  b.device_attributes->uuid.reset();
  EXPECT_EQ(compared(a, b).conditions.at(0).b, "unknown");
  b.device = "rtx4090";
  EXPECT_EQ(compared(a, b).conditions.at(0).what, "device");
  EXPECT_EQ(compared(a, b).margins.same, two_boards_margins.same);
  // Unless they are given.
  EXPECT_EQ(compared(a, b, {0.02, 0.005, {}}).kernels.at(0).change, Change::slower);
}

TEST(CompareRecordings, EveryConditionThatDiffersIsNamed) {
  Recording a = recording({measured("K1", 1e-3)});
  a.environment = Environment{"580.1", "13.0", "0.1.0", "aaa", "2026-11-29T21:00:00Z"};
  a.settings = MeasureSettings{};
  Recording b = a;
  b.environment = Environment{"590.2", "13.1", "0.2.0", "bbb", "2026-11-30T21:00:00Z"};
  b.settings->cache_mode = CacheMode::warm;
  b.clock_hz = 1.7e9;
  std::vector<std::string> found;
  for (const ConditionDifference& condition : compared(a, b).conditions) {
    found.push_back(condition.what + ": " + condition.a + ", " + condition.b);
    EXPECT_FALSE(condition.consequence.empty());
  }
  EXPECT_EQ(found,
            (std::vector<std::string>{"clock: 1.98 GHz, 1.7 GHz", "driver: 580.1, 590.2",
                                      "CUDA runtime: 13.0, 13.1", "perfmodel version: 0.1.0, 0.2.0",
                                      "code version: aaa, bbb", "L2 before a sample: cold, warm"}));
  EXPECT_TRUE(compared(a, a).conditions.empty());
}

TEST(CompareRecordings, DoubtsAboutTheRecordingsAreWarnings) {
  Recording a = recording({measured("K1", 1e-3)});
  EXPECT_EQ(compared(a, a).warnings,
            (std::vector<std::string>{
                "A and B hold the same samples: one recording is compared with itself"}));
  Recording b = recording({measured("K1", 1.01e-3)});
  EXPECT_TRUE(compared(a, b).warnings.empty());
  b.complete = false;
  ASSERT_EQ(compared(a, b).warnings.size(), 1U);
  EXPECT_TRUE(compared(a, b).warnings[0].starts_with("B (run) was interrupted"));
}

TEST(CompareRecordings, RegressionsAreCertainlySlowerThanTheLimit) {
  const Recording a = recording({measured("K1", 1e-3), measured("K2", 1e-3)});
  const Recording b = recording({measured("K1", 1.035e-3), measured("K2", 1.05e-3)});
  const RecordingComparison gated = compared(a, b, {{}, {}, 0.03});
  EXPECT_EQ(gated.regressions(), 1U);
  EXPECT_EQ(gated.kernels[0].label, "K2 at 1024x1024x1024");
  EXPECT_TRUE(gated.kernels[0].is_regression);
  // 3.5 % is slower, but not certainly by more than 3 %.
  EXPECT_EQ(gated.kernels[1].change, Change::slower);
  EXPECT_FALSE(gated.kernels[1].is_regression);
  EXPECT_EQ(compared(a, b).regressions(), 0U);
}

TEST(CompareRecordings, CountersOfWorkShowWhatChanged) {
  Recording a = recording({measured("K1", 1e-3)});
  a.entries[0].blocks_per_sm = 8;
  a.entries[0].counters = Counters{"cupti-range",
                                   "",
                                   {{"smsp__inst_executed.sum", 1000.0},
                                    {"dram__bytes_read.sum", 1000.0},
                                    {"sm__cycles_elapsed.max", 1000.0}}};
  Recording b = a;
  b.entries[0].blocks_per_sm = 6;
  b.entries[0].counters->values = {{"smsp__inst_executed.sum", 1500.0},
                                   {"dram__bytes_read.sum", 1005.0},
                                   {"sm__cycles_elapsed.max", 3000.0}};
  const KernelComparison kernel = only_kernel(a, b);
  ASSERT_EQ(kernel.ledger_changes.size(), 2U);
  EXPECT_EQ(kernel.ledger_changes[0].name, "blocks per SM");
  EXPECT_EQ(kernel.ledger_changes[1].name, "smsp__inst_executed.sum");
  EXPECT_EQ(kernel.ledger_basis, "launch figures, counters");
  EXPECT_EQ(only_kernel(recording({measured("K1", 1e-3)}), b).ledger_basis,
            "none, no ledger is known and no counters are in both");
}

/// The specifications of the source tree.
class Specs {
 public:
  [[nodiscard]] ComparisonSpecs specs() {
    return {[this](const std::string&) { return &device_; },
            [this](const std::string& name) { return &catalog_.kernel(name); },
            {}};
  }

 private:
  spec::Catalog catalog_{testing::source_specs()};
  Device device_ = catalog_.device("h200");
};

TEST(CompareRecordings, PlacesKernelsUnderTheRoofs) {
  Specs source;
  const Recording a = recording({measured("K4", 1e-3), measured("K0", 1e-3)});
  const RecordingComparison comparison = compare_recordings(a, a, {}, source.specs());
  const KernelComparison& ledger = comparison.kernels.at(0);
  const double flop_per_s = 2.0 * 1024 * 1024 * 1024 / ledger.a.time_s;
  EXPECT_NEAR(ledger.a.flop_per_s.value(), flop_per_s, 1.0);
  EXPECT_NEAR(ledger.arithmetic_intensity.value(), 7.876923, 1e-6);  // 2 x 1024 / (4 x 65)
  EXPECT_NEAR(ledger.b.share_of_roof.value(), flop_per_s / (7.876923 * 4814.304e9), 1e-6);
  EXPECT_NEAR(ledger.a.share_of_peak.value(), flop_per_s / (2 * 132 * 128 * 1.98e9), 1e-9);
  const KernelComparison& library = comparison.kernels.at(1);
  EXPECT_EQ(library.arithmetic_intensity, std::nullopt);
  EXPECT_TRUE(library.a.share_of_peak.has_value());
}

TEST(CompareRecordings, AShapeThatTheSpecificationDoesNotKnowCostsOnlyTheLedger) {
  Specs source;
  Recording a = recording({measured("K4", 1e-3)});
  a.entries[0].shape = Shape({{"rows", 8}});
  const KernelComparison kernel = compare_recordings(a, a, {}, source.specs()).kernels.at(0);
  EXPECT_EQ(kernel.change, Change::same);
  EXPECT_EQ(kernel.a.flop_per_s, std::nullopt);
  ASSERT_EQ(kernel.notes.size(), 1U);
  EXPECT_TRUE(kernel.notes[0].starts_with("no ledger: ")) << kernel.notes[0];
}

std::map<std::string, Recording> shipped_recordings() {
  std::map<std::string, Recording> found;
  const spec::Catalog catalog(testing::source_specs());
  for (const auto& file : catalog.recording_files("h200")) {
    found.emplace(file.stem().string(), profiling::read_recording(file));
  }
  return found;
}

/// Shares of SAME among kernels with enough samples.
class Tally {
 public:
  void add(const RecordingComparison& comparison) {
    for (const KernelComparison& kernel : comparison.kernels) {
      if (kernel.ratio) {
        ++compared_;
        same_ += kernel.change == Change::same ? 1 : 0;
        claimed_ += kernel.change == Change::slower || kernel.change == Change::faster ? 1 : 0;
      }
    }
  }
  [[nodiscard]] int compared() const { return compared_; }
  [[nodiscard]] double same() const { return static_cast<double>(same_) / compared_; }
  [[nodiscard]] double claimed() const { return static_cast<double>(claimed_) / compared_; }

 private:
  int compared_ = 0;
  int same_ = 0;
  int claimed_ = 0;
};

/// Both parts of every recording, as `is_first` deals the samples out, as two runs.
template <typename IsFirst>
Tally compare_parts(IsFirst is_first) {
  Tally tally;
  for (const auto& [name, whole] : shipped_recordings()) {
    if (name == "utilization") {
      continue;  // single samples
    }
    Recording a = whole;
    Recording b = whole;
    for (std::size_t i = 0; i < whole.entries.size(); ++i) {
      const std::vector<double>& samples = whole.entries[i].samples_s;
      a.entries[i].samples_s.clear();
      b.entries[i].samples_s.clear();
      for (std::size_t at = 0; at < samples.size(); ++at) {
        (is_first(at, samples.size()) ? a : b).entries[i].samples_s.push_back(samples[at]);
      }
    }
    tally.add(compared(a, b));
  }
  return tally;
}

constexpr double almost_all = 0.95;

TEST(ShippedRecordings, PartsOfOneRunAreTheSame) {
  for (const Tally& tally :
       {compare_parts([](std::size_t at, std::size_t count) { return at < count / 2; }),
        compare_parts([](std::size_t at, std::size_t) { return at % 2 == 0; }),
        compare_parts([](std::size_t at, std::size_t count) { return at < count / 4; })}) {
    EXPECT_GT(tally.compared(), 100);
    EXPECT_GE(tally.same(), almost_all);
    EXPECT_EQ(tally.claimed(), 0.0);
  }
}

TEST(ShippedRecordings, RepeatedRunsOnTwoBoardsAreTheSame) {
  Tally tally;
  const std::map<std::string, Recording> all = shipped_recordings();
  for (const auto& [a, b] : {std::pair("ladder", "counters"), std::pair("layouts", "counters"),
                             std::pair("ladder", "layouts")}) {
    tally.add(compared(all.at(a), all.at(b)));
  }
  // The applications, an hour earlier on another board.
  tally.add(
      compared(profiling::read_recording(PERFMODEL_EARLIER_APPLICATIONS), all.at("applications")));
  EXPECT_EQ(tally.compared(), 52);
  EXPECT_GE(tally.same(), almost_all);
}

TEST(ShippedRecordings, AChangeOfFivePercentIsFound) {
  std::size_t found = 0;
  std::size_t asked = 0;
  for (const auto& [name, whole] : shipped_recordings()) {
    Recording a = whole;
    Recording b = whole;
    for (std::size_t i = 0; i < whole.entries.size(); ++i) {
      std::vector<double>& of_a = a.entries[i].samples_s;
      std::vector<double>& of_b = b.entries[i].samples_s;
      const auto half = static_cast<std::ptrdiff_t>(of_a.size() / 2);
      of_a.erase(of_a.begin() + half, of_a.end());
      of_b.erase(of_b.begin(), of_b.begin() + half);
      for (double& sample : of_b) {
        sample *= 1.05;
      }
    }
    const auto has_samples = [](const Measurement& entry) { return entry.samples_s.empty(); };
    std::erase_if(a.entries, has_samples);
    std::erase_if(b.entries, has_samples);
    if (a.entries.empty()) {
      continue;
    }
    const RecordingComparison comparison = compared(a, b);
    found += comparison.count(Change::slower);
    asked += static_cast<std::size_t>(std::ranges::count_if(
        comparison.kernels,
        [](const KernelComparison& kernel) { return kernel.ratio.has_value(); }));
  }
  EXPECT_GT(asked, 100U);
  EXPECT_GE(static_cast<double>(found), almost_all * static_cast<double>(asked));
}

}  // namespace
}  // namespace perfmodel
