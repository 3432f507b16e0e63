#include "profiling/merge.hpp"

#include <gtest/gtest.h>

#include "tests/profiling/recordings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

using testing::error_of;

const Shape square({{"m", 4096}, {"n", 4096}, {"k", 4096}});

Measurement measured(const std::string& kernel, double seconds, double clock_hz) {
  Measurement entry;
  entry.kernel = kernel;
  entry.shape = square;
  entry.samples_s = {seconds, seconds, seconds};
  entry.median_s = seconds;
  entry.clocks.emplace();
  entry.clocks->sm_clock_hz = clock_hz;
  return entry;
}

SkippedMeasurement skipped(const std::string& kernel, const std::string& reason) {
  SkippedMeasurement one;
  one.kernel = kernel;
  one.shape = square;
  one.reason = reason;
  return one;
}

/// A finished part without kernels.
Recording part(const std::string& name) {
  Recording recording = full_recording();
  recording.name = name;
  recording.source = "perfmodel on one NVIDIA H200";
  recording.complete = true;
  recording.entries.clear();
  recording.skipped.clear();
  return recording;
}

/// Two parts that two GPUs measured.
std::vector<Recording> two_parts() {
  std::vector<Recording> parts = {part("a.json"), part("b.json")};
  parts[0].entries = {measured("K1", 1e-3, 1.9e9)};
  parts[1].entries = {measured("K2", 2e-3, 1.7e9), measured("K3", 3e-3, 1.8e9)};
  parts[1].device_attributes->uuid = "GPU-2";
  parts[1].environment->date_utc = "2026-11-30T08:00:00Z";
  return parts;
}

TEST(Merge, JoinsWhatSeveralDevicesMeasured) {
  const std::vector<Recording> parts = two_parts();
  const Merged merged = merge_recordings(parts);
  ASSERT_EQ(merged.recording.entries.size(), 3U);
  EXPECT_EQ(merged.recording.entries[0], parts[0].entries[0]);
  EXPECT_EQ(merged.recording.entries[2], parts[1].entries[1]);
  EXPECT_EQ(merged.recording.clock_hz, 1.8e9);
  EXPECT_EQ(merged.recording.device_attributes->name, "NVIDIA H200");
  EXPECT_FALSE(merged.recording.device_attributes->uuid);
  EXPECT_FALSE(merged.recording.device_attributes->pci_bus_id);
  EXPECT_EQ(merged.recording.environment->date_utc, "2026-11-30T08:00:00Z");
  EXPECT_EQ(merged.recording.source, "perfmodel on one NVIDIA H200, merged from 2 recordings");
  EXPECT_TRUE(merged.recording.complete);
  EXPECT_TRUE(merged.warnings.empty());
}

TEST(Merge, OnePartStaysAsItIs) {
  Recording only = part("a.json");
  only.entries = {measured("K1", 1e-3, 1.98e9)};
  EXPECT_EQ(merge_recordings({&only, 1}).recording, only);
}

TEST(Merge, InterruptedPartsAreKeptAndNamed) {
  std::vector<Recording> parts = two_parts();
  parts[1].complete = false;
  const Merged merged = merge_recordings(parts);
  EXPECT_EQ(merged.recording.entries.size(), 3U);
  EXPECT_FALSE(merged.recording.complete);
  EXPECT_EQ(merged.warnings,
            std::vector<std::string>{"b.json is partial: its run was interrupted"});
}

TEST(Merge, TheSameEntryTwiceCountsOnce) {
  std::vector<Recording> parts = two_parts();
  parts[1].entries.push_back(parts[0].entries[0]);
  EXPECT_EQ(merge_recordings(parts).recording.entries.size(), 3U);
}

TEST(Merge, NamesEveryConflict) {
  std::vector<Recording> parts = two_parts();
  parts[1].entries.push_back(measured("K1", 1.5e-3, 1.9e9));
  parts[1].environment->driver = "570.1";
  parts[1].settings->cache_mode = CacheMode::cold;
  EXPECT_EQ(error_of([&] { merge_recordings(parts); }),
            "these recordings cannot be merged: the driver is '580.95.05' in a.json and '570.1' "
            "in b.json; the cache mode is 'warm' in a.json and 'cold' in b.json; K1 at "
            "4096x4096x4096 was measured in a.json and in b.json");
}

TEST(Merge, LongListsOfConflictsAreCut) {
  std::vector<Recording> parts = {part("a.json"), part("b.json")};
  for (int i = 0; i < 12; ++i) {
    parts[0].entries.push_back(measured("k" + std::to_string(i), 1e-3, 1.9e9));
    parts[1].entries.push_back(measured("k" + std::to_string(i), 2e-3, 1.9e9));
  }
  const std::string error = error_of([&] { merge_recordings(parts); });
  EXPECT_TRUE(error.ends_with("; and 2 more")) << error;
}

TEST(Merge, MeasuredComesBeforeSkippedButNotBeforeWrong) {
  std::vector<Recording> parts = two_parts();
  parts[1].skipped = {skipped("K1", "no memory"), skipped("K6", "no memory")};
  const Merged merged = merge_recordings(parts);
  ASSERT_EQ(merged.recording.skipped.size(), 1U);
  EXPECT_EQ(merged.recording.skipped[0].kernel, "K6");

  parts[1].skipped[0].verification.emplace().status = VerificationStatus::failed;
  EXPECT_EQ(error_of([&] { merge_recordings(parts); }),
            "these recordings cannot be merged: K1 at 4096x4096x4096 was measured in a.json and "
            "is wrong in b.json");
}

TEST(Merge, ThatAResultWasWrongIsKeptBeforeOtherReasons) {
  std::vector<Recording> parts = two_parts();
  parts[0].skipped = {skipped("K6", "no memory")};
  parts[1].skipped = {skipped("K6", "wrong result")};
  parts[1].skipped[0].verification.emplace().status = VerificationStatus::failed;
  const Merged merged = merge_recordings(parts);
  ASSERT_EQ(merged.recording.skipped.size(), 1U);
  EXPECT_EQ(merged.recording.skipped[0].reason, "wrong result");
}

TEST(Merge, ImportedPartsMustHaveOneClock) {
  std::vector<Recording> parts = two_parts();
  for (Recording& one : parts) {
    one.source_kind = SourceKind::imported;
  }
  EXPECT_EQ(merge_recordings(parts).recording.clock_hz, 1.98e9);
  parts[1].clock_hz = 1.5e9;
  EXPECT_EQ(error_of([&] { merge_recordings(parts); }),
            "these recordings cannot be merged: the clock is 1.98 GHz in a.json and 1.5 GHz in "
            "b.json");
}

TEST(Merge, NothingIsNoRecording) {
  EXPECT_EQ(error_of([] { merge_recordings({}); }),
            "there is no recording to merge; name at least one");
}

}  // namespace
}  // namespace perfmodel::profiling
