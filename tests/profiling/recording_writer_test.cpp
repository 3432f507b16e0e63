#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "model/error.hpp"
#include "model/statistics.hpp"
#include "profiling/recording_file.hpp"
#include "tests/profiling/recordings.hpp"

namespace perfmodel::profiling {
namespace {

std::string message_of(const std::string& text) {
  try {
    static_cast<void>(parse_recording(text, "run.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

Recording with_medians(Recording recording) {
  for (Measurement& entry : recording.entries) {
    entry.median_s = median(entry.samples_s).value();
  }
  return recording;
}

TEST(RecordingWriter, RoundTripsEveryFigureExactly) {
  const Recording recording = with_medians(full_recording());
  const std::string text = format_recording(recording);
  const Recording read = parse_recording(text, "run.json");
  EXPECT_EQ(read, recording);
  EXPECT_EQ(format_recording(read), text);
}

TEST(RecordingWriter, RoundTripsAPublishedRecording) {
  Recording recording;
  recording.name = "run";
  recording.device = "rtx4090";
  recording.clock_basis = "device-reported";
  recording.clock_hz = 2.52e9;
  recording.source_kind = SourceKind::published;
  recording.source = "a paper";
  Measurement entry;
  entry.kernel = "K1";
  entry.shape = Shape({{"m", 1}});
  entry.median_s = 0.211911;
  recording.entries.push_back(entry);
  EXPECT_EQ(parse_recording(format_recording(recording), "run.json"), recording);
}

TEST(RecordingWriter, RoundTripsAnImportedRecording) {
  Recording recording;
  recording.name = "run";
  recording.device = "nvidia-h20";
  recording.source_kind = SourceKind::imported;
  recording.source = "a profiler";
  Measurement entry;
  entry.foreign =
      ForeignKernel{"void f<int, (bool)1>(T1 *)", Extents{4, 3, 2}, Extents{256, 1, 1}, {}};
  entry.samples_s = {1e-3};
  entry.median_s = 1e-3;
  entry.counters = Counters{"ncu", "", {{"dram__bytes.sum", 12.0}}};
  recording.entries.push_back(entry);
  entry.foreign = ForeignKernel{"copy", {}, {}, {{"T", "float"}, {"Elements", "16"}}};
  entry.samples_s.clear();
  entry.is_mean = true;
  entry.sample_count = 7;
  entry.stdev_s = 1e-5;
  recording.entries.push_back(entry);
  SkippedMeasurement skipped;
  skipped.foreign = ForeignKernel{"g", {}, Extents{32, 1, 1}, {}};
  skipped.reason = "no time";
  skipped.counters = entry.counters;
  recording.skipped.push_back(skipped);
  EXPECT_EQ(parse_recording(format_recording(recording), "run.json"), recording);
  EXPECT_EQ(recording.entries[0].label(), "void f<int, (bool)1>(T1 *) 4x3x2 of 256x1x1");
  EXPECT_EQ(recording.entries[1].label(), "copy T=float Elements=16");

  // One function may stand there with several launches, each of them once.
  recording.entries.push_back(recording.entries[0]);
  EXPECT_NE(message_of(format_recording(recording)).find("4x3x2 of 256x1x1 stands here twice"),
            std::string::npos);
}

/// Kernels that perfmodel timed although the catalogue has none of them.
TEST(RecordingWriter, RoundTripsMeasuredFunctions) {
  Recording recording = with_medians(full_recording());
  ASSERT_EQ(recording.source_kind, SourceKind::measured);
  Measurement& entry = recording.entries.front();
  entry.kernel.clear();
  entry.shape = {};
  entry.foreign =
      ForeignKernel{"saxpy", Extents{35157, 1, 1}, Extents{256, 1, 1}, {{"launch", "saxpy-small"}}};
  EXPECT_EQ(parse_recording(format_recording(recording), "run.json"), recording);
  EXPECT_EQ(entry.label(), "saxpy 35157x1x1 of 256x1x1 launch=saxpy-small");
}

TEST(RecordingWriter, InterruptedRunWithoutTimesIsValid) {
  Recording recording = full_recording();
  recording.entries.clear();
  EXPECT_EQ(parse_recording(format_recording(recording), "run.json"), recording);
  recording.skipped.clear();
  EXPECT_EQ(parse_recording(format_recording(recording), "run.json"), recording);
  recording.complete = true;
  EXPECT_NE(message_of(format_recording(recording)).find("entries must not be empty"),
            std::string::npos);
}

TEST(RecordingWriter, RefusesWhatJsonCannotHold) {
  Recording recording = full_recording();
  recording.entries[0].verification->max_abs_error = std::numeric_limits<double>::infinity();
  EXPECT_THROW(static_cast<void>(format_recording(recording)), Error);
  recording = full_recording();
  recording.entries[0].counters->values["dram__bytes.sum"] =
      std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(static_cast<void>(format_recording(recording)), Error);
}

TEST(RecordingWriter, CountersAreValuesOrAReason) {
  Recording recording = full_recording();
  recording.entries[0].counters->refused = "and yet there are values";
  EXPECT_THROW(static_cast<void>(format_recording(recording)), Error);
  recording.entries[0].counters = Counters{"ncu", "", {}};
  EXPECT_THROW(static_cast<void>(format_recording(recording)), Error);
}

TEST(RecordingReader, UnknownKeysStayErrors) {
  const std::string text = format_recording(full_recording());
  EXPECT_NE(message_of(replaced(text, "\"power_w\"", "\"power\"")).find("unknown key 'power'"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(text, "\"driver\"", "\"drivers\"")).find("did you mean 'driver'"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(text, "\"max_noise\"", "\"noise\"")).find("unknown key 'noise'"),
            std::string::npos);
}

TEST(RecordingReader, WrongValuesAreErrors) {
  const std::string text = format_recording(full_recording());
  EXPECT_NE(message_of(replaced(text, "\"complete\": false", "\"complete\": \"no\""))
                .find("complete must be true or false"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(text, "\"cache_mode\":\"warm\"", "\"cache_mode\":\"hot\""))
                .find("cache_mode 'hot' must be one of cold, warm"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(text, "\"status\":\"passed\"", "\"status\":\"failed\""))
                .find("a kernel whose result is wrong has no performance"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(text, "\"power_w\":412.5", "\"power_w\":-1"))
                .find("power_w must not be negative"),
            std::string::npos);
  EXPECT_NE(message_of(replaced(text, "\"kernel\":\"K5\"", "\"kernel\":\"K6\""))
                .find("stands here twice"),
            std::string::npos);
}

TEST(RecordingWriter, ReplacesTheFileAsAWhole) {
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      ("recording_writer_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto path = folder / "run.json";
  Recording recording = with_medians(full_recording());
  write_recording(path, recording);
  recording.complete = true;
  write_recording(path, recording);
  EXPECT_EQ(read_recording(path), recording);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1)
      << "no temporary file is left";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace perfmodel::profiling
