#include <gtest/gtest.h>

#include "profiling/recording_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

using testing::error_of;
using testing::replaced;

constexpr const char* good = R"({
  "schema": "perfmodel.recording/1",
  "device": "gpu",
  "clock": {"basis": "measured", "clock_hz": 2e9},
  "source": {"kind": "published", "description": "a paper"},
  "entries": [
    {"kernel": "K1", "shape": {"m": 4}, "samples_s": [3e-3, 1e-3, 2e-3]},
    {"kernel": "K2", "shape": {"m": 4}, "median_s": 1.5e-3, "note": "x"}
  ]
}
)";

struct Bad {
  const char* what;
  const char* from;
  const char* to;
  const char* message;  ///< after "file:"

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.what; }
};

class RecordingReader : public ::testing::TestWithParam<Bad> {
 protected:
  testing::TemporaryFolder folder_;
};

TEST(RecordingReaderGood, KeepsRawSamples) {
  const testing::TemporaryFolder folder;
  const Recording recording = read_recording(folder.write("run.json", good));
  EXPECT_EQ(recording.name, "run");
  EXPECT_EQ(recording.clock_hz, 2e9);
  ASSERT_EQ(recording.entries.size(), 2U);
  EXPECT_EQ(recording.entries[0].median_s, 2e-3);
  EXPECT_EQ(recording.entries[0].samples_s.size(), 3U);
  EXPECT_EQ(recording.entries[1].median_s, 1.5e-3);
}

TEST_P(RecordingReader, RefusesBadFile) {
  const Bad& bad = GetParam();
  const auto file = folder_.write("run.json", replaced(good, bad.from, bad.to));
  EXPECT_EQ(error_of([&] { read_recording(file); }), file.string() + ":" + bad.message);
}

INSTANTIATE_TEST_SUITE_P(
    Bad, RecordingReader,
    ::testing::Values(
        Bad{"Truncated", ", \"note\": \"x\"}\n  ]\n}\n", "",
            "8:59: the file is truncated: it ends in the middle of a value"},
        Bad{"NewerVersion", "recording/1", "recording/2",
            "2:13: written by a newer perfmodel: schema version 2, this one reads up to 1; update "
            "perfmodel"},
        Bad{"OtherSchema", "perfmodel.recording/1", "nvbench/1",
            "2:13: schema 'nvbench/1' is not perfmodel.recording/1"},
        Bad{"UnknownKey", "\"device\":", "\"devise\":",
            "3:3: recording: unknown key 'devise' (did you mean 'device'?)"},
        Bad{"UnitlessKey", "\"clock_hz\":", "\"clock\":",
            "4:34: clock: key 'clock' names no unit; write 'clock_hz'"},
        Bad{"UnitlessMedian", "\"median_s\"", "\"median\"",
            "8:41: entry: key 'median' names no unit; write 'median_s'"},
        Bad{"NoEntries", "\"entries\": [", "\"entries\": [], \"x\": [",
            "6:18: recording: unknown key 'x'; valid keys are schema, device, clock, source, "
            "device_attributes, environment, settings, complete, entries, skipped"},
        Bad{"NegativeTime", "1.5e-3", "-1.5e-3", "8:53: median_s must be above zero, not -0.0015"},
        Bad{"ZeroSample", "[3e-3,", "[0,", "7:55: sample must be above zero, not 0"},
        Bad{"TextForNumber", "1.5e-3", "\"1.5e-3\"",
            "8:53: median_s must be a number, not '1.5e-3'"},
        Bad{"NoTime", "\"median_s\": 1.5e-3, ", "",
            "8:5: entry: give either 'samples_s' (raw samples) or, where only that was published, "
            "'median_s' or 'mean_s'"},
        Bad{"MeasuredWithoutSamples", "published", "measured",
            "8:53: entry: a measured recording keeps its raw samples; write 'samples_s'"},
        Bad{"UnknownKind", "published", "guessed",
            "5:22: kind 'guessed' must be one of measured, published, imported"},
        Bad{"SameEntryTwice", "\"K2\"", "\"K1\"", "8:5: entry: K1 at 4 stands here twice"},
        Bad{"ZeroExtent", "\"K2\", \"shape\": {\"m\": 4}", "\"K2\", \"shape\": {\"m\": 0}",
            "8:37: extent m must be at least 1, not '0'"},
        Bad{"CountersWithoutValues", "\"note\": \"x\"", "\"counters\": {\"source\": \"ncu\"}",
            "8:73: counters: give either 'values' or, where none were read, the reason under "
            "'refused'"},
        Bad{"CountersTwice", "\"note\": \"x\"",
            R"("counters": {"source": "ncu", "refused": "no", "values": {"a": 1}})",
            "8:73: counters: give either 'values' or, where none were read, the reason under "
            "'refused'"},
        Bad{"CountersMisspelt", "\"note\": \"x\"",
            R"("counters": {"source": "ncu", "value": {"a": 1}})",
            "8:91: counters: unknown key 'value' (did you mean 'values'?)"},
        Bad{"CountersOfNoName", "\"note\": \"x\"",
            R"("counters": {"source": "ncu", "values": {"=a b": 1}})",
            "8:102: '=a b' is no name for a metric"},
        Bad{"CounterOfText", "\"note\": \"x\"",
            R"("counters": {"source": "ncu", "values": {"a.sum": "1"}})",
            "8:111: a.sum must be a number, not '1'"},
        Bad{"CountersEmpty", "\"note\": \"x\"", R"("counters": {"source": "ncu", "values": {}})",
            "8:101: values must be a mapping of metrics to their values"},
        Bad{"FunctionElsewhere", "\"kernel\": \"K2\", \"shape\": {\"m\": 4}", "\"function\": \"f\"",
            "8:18: a published recording has no functions; name a kernel of the catalogue"},
        Bad{"KernelAndFunction", "\"kernel\": \"K2\"", "\"kernel\": \"K2\", \"function\": \"f\"",
            "8:16: give either 'kernel' and 'shape' or 'function', not 'kernel' too"},
        Bad{"GridOfAKernel", "\"note\": \"x\"", "\"grid\": [1, 1, 1]",
            "8:69: 'grid' belongs to a 'function'; a kernel of the catalogue has a 'shape'"},
        Bad{"CountOfGivenSamples", "[3e-3, 1e-3, 2e-3]", "[3e-3, 1e-3, 2e-3], \"sample_count\": 3",
            "7:90: entry: sample_count follows from 'samples_s'; leave it out"},
        Bad{"NoClock", "\"clock\": {\"basis\": \"measured\", \"clock_hz\": 2e9},", "",
            "1:1: recording: key 'clock' is missing"},
        Bad{"HostileName", "\"K2\"", "\"=cmd()\"",
            "8:16: kernel '=cmd()' must be a letter or digit, then up to 63 letters, digits, '_', "
            "'-', '.' or '+'"}),
    [](const auto& test) { return test.param.what; });

}  // namespace
}  // namespace perfmodel::profiling
