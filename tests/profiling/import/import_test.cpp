#include "profiling/import/import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/spec/catalog.hpp"
#include "profiling/recording_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

using nlohmann::json;
using testing::error_of;
using testing::replaced;

const std::filesystem::path fixtures = PERFMODEL_IMPORT_FIXTURES;

const std::vector<Device>& catalogue() {
  static const std::vector<Device> devices = [] {
    const spec::Catalog catalog(testing::source_specs());
    std::vector<Device> all;
    for (const std::string& name : catalog.device_names()) {
      all.push_back(catalog.device(name));
    }
    return all;
  }();
  return devices;
}

Imported import_text(std::string_view text, ImportOptions options = {}) {
  if (options.file.empty()) {
    options.file = "f.csv";
  }
  return import_measurements(text, options, catalogue());
}

std::string failure(std::string_view text, const ImportOptions& options = {}) {
  return error_of([&] { (void)import_text(text, options); });
}

/// Every file of the folder that says what is expected of it.
std::vector<std::filesystem::path> described_files() {
  constexpr std::string_view ending = ".expected.json";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(fixtures)) {
    const std::string name = entry.path().string();
    if (name.ends_with(ending)) {
      files.emplace_back(name.substr(0, name.size() - ending.size()));
    }
  }
  std::ranges::sort(files);
  return files;
}

class Fixture : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  static void near(double expected, double found, double tolerance, const std::string& what) {
    EXPECT_NEAR(expected, found, tolerance * std::abs(expected)) << what;
  }

  static void check_entry(const json& expected, const Measurement& entry, double tolerance) {
    ASSERT_TRUE(entry.foreign);
    EXPECT_EQ(entry.foreign->name, expected.at("function"));
    if (expected.contains("grid")) {
      EXPECT_EQ(json(entry.foreign->grid.value()), expected.at("grid"));
      EXPECT_EQ(json(entry.foreign->block.value()), expected.at("block"));
    }
    json parameters = json::object();
    for (const auto& [name, value] : entry.foreign->parameters) {
      parameters[name] = value;
    }
    EXPECT_EQ(parameters, expected.value("parameters", json::object()));
    EXPECT_EQ(entry.samples_s.size(), expected.at("samples"));
    EXPECT_EQ(entry.is_mean, expected.value("is_mean", false));
    EXPECT_EQ(entry.sample_count.value_or(0), expected.value("sample_count", 0));
    near(expected.at("median_s"), entry.median_s, tolerance, "median_s");
    if (expected.contains("occupancy")) {
      near(expected.at("occupancy"), entry.occupancy.value(), tolerance, "occupancy");
    }
    ASSERT_TRUE(entry.counters);
    for (const auto& [metric, value] : expected.at("counters").items()) {
      ASSERT_TRUE(entry.counters->values.contains(metric)) << metric;
      near(value, entry.counters->values.at(metric), tolerance, metric);
    }
    for (const std::string metric : expected.value("counters_absent", json::array())) {
      EXPECT_FALSE(entry.counters->values.contains(metric)) << metric;
    }
  }

  static void check(const json& expected, const Imported& imported) {
    const Recording& recording = imported.recording;
    const double tolerance = expected.at("relative_tolerance");
    EXPECT_EQ(recording.source_kind, SourceKind::imported);
    EXPECT_EQ(recording.device, expected.at("device"));
    EXPECT_EQ(recording.clock_basis, expected.at("clock_basis"));
    near(expected.at("clock_hz"), recording.clock_hz, tolerance, "clock_hz");
    EXPECT_EQ(imported.warnings.size(), expected.at("warnings")) << json(imported.warnings);
    ASSERT_EQ(recording.entries.size(), expected.at("entries").size());
    for (std::size_t i = 0; i < recording.entries.size(); ++i) {
      check_entry(expected.at("entries").at(i), recording.entries[i], tolerance);
    }
    ASSERT_EQ(recording.skipped.size(), expected.at("skipped").size());
    for (std::size_t i = 0; i < recording.skipped.size(); ++i) {
      EXPECT_EQ(recording.skipped[i].reason, expected.at("skipped").at(i));
    }
  }
};

TEST_P(Fixture, IsImportedAsDescribed) {
  const std::filesystem::path& file = GetParam();
  const json expected = json::parse(testing::read_file(file.string() + ".expected.json"));
  ImportOptions options;
  options.file = file.string();
  options.folder = file.parent_path();
  const std::string bytes = testing::read_file(file);
  const Imported imported = import_measurements(bytes, options, catalogue());
  check(expected, imported);

  // It survives being written and read, bit by bit.
  Recording named = imported.recording;
  named.name = "run";
  EXPECT_EQ(parse_recording(format_recording(named), "run.json"), named);

  // A redirection of PowerShell: UTF-16 with a mark and other line ends. The sidecar stays.
  std::string wide = "\xFF\xFE";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte >= 0x80) {
      return;  // the other files are ASCII and say enough
    }
    if (byte == '\n' && (i == 0 || bytes[i - 1] != '\r')) {
      wide += std::string("\r\0", 2);
    }
    wide += bytes[i];
    wide += '\0';
  }
  EXPECT_EQ(import_measurements(wide, options, catalogue()).recording, imported.recording);
}

INSTANTIATE_TEST_SUITE_P(Files, Fixture, ::testing::ValuesIn(described_files()),
                         [](const auto& test) {
                           std::string name = test.param.filename().string();
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

const std::string columns =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\"";
const std::string blanks = "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"";

std::string row(int id, const std::string& kernel, const std::string& figures, int device = 0) {
  return "\"" + std::to_string(id) + "\",\"1\",\"app\",\"h\",\"" + kernel +
         "\",\"1\",\"7\",\"(256, 1, 1)\",\"(8, 1, 1)\",\"" + std::to_string(device) +
         "\",\"9.0\"," + figures + "\n";
}

/// A raw export of some metrics.
std::string raw(const std::string& metrics, const std::string& units, const std::string& rows) {
  return columns + "," + metrics + "\n" + blanks + "," + units + "\n" + rows;
}

const std::string time_metric = "\"gpu__time_duration.sum\"";

TEST(ImportNcu, LaunchesOfOneKernelAreItsSamples) {
  const Imported imported =
      import_text(raw(time_metric, "\"ns\"",
                      row(0, "k", "\"3,000.5\"") + row(1, "j", "\"9\"") + row(2, "k", "\"1000\"") +
                          row(3, "k", "\"n/a\"") + row(4, "k", "\"\"")));
  const auto& entries = imported.recording.entries;
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].samples_s, (std::vector<double>{3000.5 * 1e-9, 1000.0 * 1e-9}));
  EXPECT_EQ(entries[0].foreign->label(), "k 8x1x1 of 256x1x1");
  EXPECT_EQ(entries[1].samples_s.size(), 1U);
  EXPECT_EQ(imported.recording.clock_hz, 0.0);
}

TEST(ImportNcu, TimeHasSeveralNames) {
  for (const char* metric :
       {"gpu__time_duration.avg", "gpu__time_duration", "gpu__time_duration_measured_user.sum",
        "gpu__time_duration_measured_wallclock"}) {
    const Imported imported = import_text(
        raw("\"" + std::string(metric) + "\"", "\"usecond\"", row(0, "k", "\"12.50\"")));
    EXPECT_DOUBLE_EQ(imported.recording.entries.at(0).median_s, 12.5e-6) << metric;
  }
  const Imported derived =
      import_text(raw("\"gpc__cycles_elapsed.max\",\"gpc__cycles_elapsed.avg.per_second\"",
                      "\"cycle\",\"cycle/nsecond\"", row(0, "k", "\"3,000\",\"1.50\"")));
  EXPECT_DOUBLE_EQ(derived.recording.entries.at(0).median_s, 2e-6);
  EXPECT_DOUBLE_EQ(derived.recording.clock_hz, 1.5e9);
}

TEST(ImportNcu, WithoutATimeTheCountersAreKept) {
  const Imported imported =
      import_text(raw("\"smsp__inst_executed.sum\"", "\"inst\"", row(0, "k", "\"64\"")));
  EXPECT_TRUE(imported.recording.entries.empty());
  const SkippedMeasurement& skipped = imported.recording.skipped.at(0);
  EXPECT_EQ(skipped.reason, "the export holds no time of it; profile with gpu__time_duration.sum");
  EXPECT_EQ(skipped.counters->values.at("smsp__inst_executed.sum"), 64.0);
  Recording named = imported.recording;
  named.name = "run";
  EXPECT_EQ(parse_recording(format_recording(named), "run.json"), named);
}

TEST(ImportNcu, MetricsWithoutDoubleUnderscoresAndOfInstances) {
  const Imported imported = import_text(
      raw(time_metric + ",\"thread_inst_executed\",\"breakdown:sm__throughput.avg\",\"Odd Name\"",
          "\"ns\",\"inst\",\"%\",\"\"", row(0, "k", "\"5\",\"33 (16; 17)\",\"12.5\",\"7\"")));
  const auto& values = imported.recording.entries.at(0).counters->values;
  EXPECT_EQ(values.at("thread_inst_executed"), 33.0);
  EXPECT_EQ(values.at("breakdown:sm__throughput.avg"), 12.5);
  EXPECT_EQ(values.size(), 3U);
}

TEST(ImportNcu, UnknownUnitsAreLeftOut) {
  const Imported imported = import_text(
      raw(time_metric + ",\"x__y.sum\"", "\"ns\",\"Foo bar\"", row(0, "k", "\"5\",\"7\"")));
  EXPECT_FALSE(imported.recording.entries.at(0).counters->values.contains("x__y.sum"));
  EXPECT_EQ(imported.warnings.at(0),
            "1 metrics are left out: their units are not known, such as 'Foo bar' of x__y.sum");
}

TEST(ImportNcu, SeveralExportsInOneFile) {
  const std::string text = raw(time_metric, "\"ns\"", row(0, "k", "\"5\"")) +
                           "program output, \"\n" +
                           raw("\"smsp__inst_executed.sum\"," + time_metric, "\"inst\",\"us\"",
                               row(0, "k", "\"64\",\"7\""));
  const Imported imported = import_text(text);
  ASSERT_EQ(imported.recording.entries.size(), 1U);
  EXPECT_EQ(imported.recording.entries[0].samples_s.size(), 2U);
}

TEST(ImportNcu, HostileNamesStayData) {
  const Imported imported = import_text(
      raw(time_metric, "\"ns\"", row(0, "=cmd()|\x1b[31m\na,b \"\"q\"\" \xFF", "\"5\"")));
  EXPECT_EQ(imported.recording.entries.at(0).foreign->name, "=cmd()|\\x1b[31m\\x0aa,b \"q\" \\xff");
}

TEST(ImportNcu, SeveralDevicesNeedAChoice) {
  const std::string text =
      raw(time_metric, "\"ns\"", row(0, "k", "\"5\"") + row(1, "k", "\"7\"", 1));
  EXPECT_EQ(failure(text),
            "f.csv: launches ran on several devices (0, 1), but a recording is of one; choose it "
            "with --gpu");
  ImportOptions options;
  options.gpu = 1;
  EXPECT_DOUBLE_EQ(import_text(text, options).recording.entries.at(0).median_s, 7e-9);
  options.gpu = 3;
  EXPECT_EQ(failure(text, options), "f.csv: no launch ran on device 3; there are 0, 1");
}

TEST(ImportNcu, DevicesAreMatchedOrKeptByName) {
  const std::string text = raw(time_metric + ",\"device__attribute_display_name\"", "\"ns\",\"\"",
                               row(0, "k", "\"5\",\"NVIDIA H20\""));
  const Imported unknown = import_text(text);
  EXPECT_EQ(unknown.recording.device, "nvidia-h20");
  EXPECT_EQ(unknown.recording.device_attributes->name, "NVIDIA H20");
  EXPECT_EQ(unknown.warnings.at(0),
            "no device of the catalogue is 'NVIDIA H20', so the recording names it nvidia-h20; say "
            "which one it is with --device (sm_90 are h100-pcie, h100-sxm, h200)");
  EXPECT_EQ(import_text(replaced(text, "NVIDIA H20", "NVIDIA H200")).recording.device, "h200");

  const std::string nameless = raw(time_metric, "\"ns\"", row(0, "k", "\"5\""));
  EXPECT_EQ(import_text(nameless).recording.device, "unknown-sm_90");
  ImportOptions options;
  options.device = spec::Catalog(testing::source_specs()).device("h200");
  EXPECT_EQ(import_text(nameless, options).recording.device, "h200");
  EXPECT_TRUE(import_text(nameless, options).warnings.empty());
  options.device = spec::Catalog(testing::source_specs()).device("rtx4090");
  EXPECT_EQ(import_text(nameless, options).warnings.at(0),
            "rtx4090 is sm_89, but the file was measured on sm_90");
}

TEST(ImportNcu, OtherDelimitersAndBareFields) {
  std::string text = raw(time_metric, "\"ns\"", "0,1,app,h,k,1,7,256,8,0,9.0,5\n");
  std::ranges::replace(text, ',', ';');
  std::erase(text, '"');
  EXPECT_DOUBLE_EQ(import_text(text).recording.entries.at(0).median_s, 5e-9);
}

TEST(ImportNcu, FiguresThatCouldBeReadBothWays) {
  const std::string text =
      raw(time_metric, "\"us\"", row(0, "k", "\"5\"") + row(1, "k", "\"1,234\""));
  EXPECT_EQ(
      failure(text),
      "f.csv:4: gpu__time_duration.sum: '1,234' may be 1.234 or 1234, and no figure of the file "
      "decides; say --decimal point or --decimal comma");
  ImportOptions options;
  options.decimal_mark = DecimalMark::comma;
  EXPECT_DOUBLE_EQ(import_text(text, options).recording.entries.at(0).samples_s.at(1), 1.234e-6);
}

TEST(ImportNcu, DamagedFiles) {
  const std::string good = raw(time_metric, "\"ns\"", row(0, "k", "\"5\"") + row(1, "k", "\"7\""));
  EXPECT_EQ(failure(good.substr(0, good.size() - 3)),
            "f.csv:4: a quote is opened here and never closed: the file is truncated");
  EXPECT_EQ(
      failure(good.substr(0, good.size() - 5)),
      "f.csv:4: this row has 11 fields, but its header has 12: the file is truncated; export it "
      "again");
  EXPECT_EQ(failure(columns + "," + time_metric + "\n"),
            "f.csv:2: the row of units that stands below the header is missing; export with: ncu "
            "--csv --page raw --print-units base");
  EXPECT_EQ(
      failure(raw(time_metric, "\"ns\"", "==PROF== Disconnected\n")),
      "f.csv: the export holds no kernel launch: none was profiled, or the file is truncated; "
      "export with: ncu --csv --page raw --print-units base");
  EXPECT_EQ(failure(raw(time_metric, "\"ns\"", row(0, "k", "\"fast\""))),
            "f.csv:3: gpu__time_duration.sum is no number: 'fast'");
  EXPECT_EQ(failure(raw(time_metric, "\"ns\"", row(0, "", "\"5\""))),
            "f.csv: launch 0 has no kernel name; export it again with ncu --csv --page raw");
}

TEST(Import, OtherFiles) {
  EXPECT_EQ(failure(" \n"), "f.csv: the file is empty");
  const std::string neither =
      "f.csv: neither a CSV export of Nsight Compute nor a JSON result of nvbench; export with: "
      "ncu "
      "--csv --page raw --print-units base, or run the benchmark with --json FILE";
  EXPECT_EQ(failure("a,b\n1,2\n"), neither);
  EXPECT_EQ(failure("==ERROR== No kernels were profiled\n"), neither);
  EXPECT_EQ(failure("{"), "f.csv:1:2: the file is truncated: it ends in the middle of a value");
  EXPECT_EQ(failure("{}"),
            "f.csv:1:1: the file states no version: it is a list of benchmarks or older than "
            "nvbench's format 1; run the benchmark with --json FILE");
}

class Nvbench : public ::testing::Test {
 protected:
  Nvbench() { text_ = testing::read_file(fixtures / "handmade-nvbench.json"); }

  std::string text_;
  testing::TemporaryFolder folder_;
};

TEST_F(Nvbench, WithoutItsSamplesTheMeanIsKept) {
  ImportOptions options;
  options.folder = folder_.path();
  const Imported imported = import_text(text_, options);
  EXPECT_EQ(
      imported.warnings.at(0),
      "the raw samples of 1 states are missing: nvbench's -bin folder does not lie beside the "
      "file; their means are kept");
  const Measurement& entry = imported.recording.entries.at(0);
  EXPECT_TRUE(entry.is_mean);
  EXPECT_EQ(entry.sample_count, 5);
  EXPECT_NEAR(entry.median_s, 2.19e-5, 1e-12);
  EXPECT_NEAR(entry.stdev_s.value(), 2.408e-6, 1e-9);
  EXPECT_EQ(entry.cache_mode, CacheMode::cold);
}

TEST_F(Nvbench, SamplesThatDoNotFit) {
  ImportOptions options;
  options.folder = folder_.path();
  const auto file = folder_.write("handmade-nvbench.json-bin/0.bin", "12345678");
  EXPECT_EQ(failure(text_, options),
            file.string() + ": has 8 bytes, but f.csv announces 5 samples of 4 bytes");
  folder_.write("handmade-nvbench.json-bin/0.bin", std::string(20, '\0'));
  EXPECT_EQ(failure(text_, options), file.string() + ": sample 0 is 0, which cannot be");
}

TEST_F(Nvbench, OnlySamplesBesideTheFileAreRead) {
  ImportOptions options;
  options.folder = folder_.path() / "inner";
  folder_.write("0.bin", std::string(20, 'A'));
  folder_.write("inner/x", "");
  const Imported imported = import_text(
      replaced(text_, "\"results/handmade-nvbench.json-bin/0.bin\"", "\"results/../0.bin\""),
      options);
  EXPECT_TRUE(imported.recording.entries.at(0).is_mean);
}

TEST_F(Nvbench, AnotherVersionIsRefused) {
  EXPECT_EQ(failure(replaced(text_, "\"string\": \"1.0.0\"", "\"string\": \"2.0.0\"")),
            "f.csv:8:16: version 2.0.0 of nvbench's format is not known, only version 1");
}

TEST(ImportNcu, ManyLaunchesTakeLinearTime) {
  // Not a timing: a quadratic importer would not return from this within the test's time limit.
  std::string rows;
  constexpr int launches = 20000;
  for (int i = 0; i < launches; ++i) {
    rows += row(i, "k" + std::to_string(i), "\"5\"");
  }
  EXPECT_EQ(import_text(raw(time_metric, "\"ns\"", rows)).recording.entries.size(),
            static_cast<std::size_t>(launches));
}

}  // namespace
}  // namespace perfmodel::profiling
