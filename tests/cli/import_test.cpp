#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiling/recording_file.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_perfmodel;

const std::filesystem::path fixtures = PERFMODEL_IMPORT_FIXTURES;

class Import : public ::testing::Test {
 protected:
  /// Imports a fixture into a recording and returns that file.
  std::string imported(const std::string& name) {
    const std::string file = (folder_.path() / "imported.json").string();
    const ProgramResult result =
        run_perfmodel({"import", (fixtures / name).string(), "--out", file});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return file;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Import, WritesARecordingAndReportsIt) {
  const Recording recording = profiling::read_recording(imported("handmade-ncu-raw-base.csv"));
  EXPECT_EQ(recording.device, "h200");
  EXPECT_EQ(recording.entries.size(), 2U);
  EXPECT_EQ(recording.entries[0].samples_s.size(), 3U);
}

TEST_F(Import, ReadsStandardInput) {
  testing::ProgramOptions options;
  options.stdin_file = fixtures / "handmade-ncu-raw-base.csv";
  const ProgramResult result = run_perfmodel({"import", "-", "--format", "json"}, options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("schema"), "perfmodel.import/1");
  EXPECT_EQ(report.at("kernels").size(), 2U);
  EXPECT_EQ(report.at("kernels").at(0).at("counters").at("smsp__inst_executed.sum"), 655360);

  options.stdin_file = "/dev/null";
  const ProgramResult empty = run_perfmodel({"import", "-"}, options);
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_EQ(empty.err, "perfmodel: standard input: the file is empty\n");
}

TEST_F(Import, AnalysisListsWhatHasNoLedger) {
  const std::string file = imported("handmade-ncu-raw-base.csv");
  const ProgramResult table = run_perfmodel({"analyze", "--recording", file});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("saxpy"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("give --cubin and"), std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("Verdicts"), std::string::npos) << table.out;

  const ProgramResult result = run_perfmodel({"analyze", "--recording", file, "--format", "json"});
  const json report = json::parse(result.out);
  EXPECT_TRUE(report.at("kernels").empty());
  EXPECT_EQ(report.at("foreign_kernels").size(), 2U);
  EXPECT_EQ(report.at("source_kind"), "imported");

  const ProgramResult csv = run_perfmodel({"analyze", "--recording", file, "--format", "csv"});
  EXPECT_NE(csv.out.find("no ledger: have its machine code counted"), std::string::npos) << csv.out;
}

TEST_F(Import, OtherCommandsSayThatThereIsNothingToCalibrateOn) {
  const std::string file = imported("handmade-nvbench.json");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"audit", "K5", "--recording", file},
        {"analyze", "--recording", file, "--shape", "4x4x4"},
        {"analyze", "--recording", file, "--references", "K2,K3,K4"},
        {"analyze", "--recording", file, "--model", "load-count"}}) {
    const ProgramResult result = run_perfmodel(arguments);
    EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 3) << result.out;
    EXPECT_NE(result.err.find("has no kernel"), std::string::npos) << result.err;
  }
  EXPECT_EQ(run_perfmodel({"calibrate", "--recording", file}).exit_code, 0);
}

TEST_F(Import, AnUnknownClockIsTheDevices) {
  std::string text = testing::read_file(imported("handmade-ncu-raw-base.csv"));
  text =
      testing::replaced(text, "\"clock\": {\"basis\":\"measured\",\"clock_hz\":1500000000.0},", "");
  const auto file = folder_.write("no-clock.json", text);
  const ProgramResult result = run_perfmodel({"analyze", "--recording", file.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err,
            "perfmodel: warning: recording no-clock does not tell its clock; 1.98 GHz is the "
            "device's device-reported\n");
}

TEST_F(Import, HostileNamesAreDataInEveryFormat) {
  std::string text = testing::read_file(fixtures / "handmade-ncu-raw-base.csv");
  const std::string hostile = "=cmd('x')\x1b[31m|<b>\xff";
  for (std::size_t at = text.find("saxpy(int"); at != std::string::npos;
       at = text.find("saxpy(int", at)) {
    text.replace(at, 5, hostile);
  }
  const std::string file = folder_.write("hostile.csv", text).string();
  for (const char* format : {"table", "markdown", "csv", "json"}) {
    const ProgramResult result = run_perfmodel({"import", file, "--format", format});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << format;
    EXPECT_EQ(result.out.find('\xff'), std::string::npos) << format;
  }
  // A spreadsheet would run a cell that begins with "=".
  const std::string csv = run_perfmodel({"import", file, "--format", "csv"}).out;
  EXPECT_NE(csv.find("\n\"'=cmd("), std::string::npos) << csv;
}

TEST_F(Import, WrongFilesAreBadInput) {
  const std::string csv = folder_.write("other.csv", "a,b\n1,2\n").string();
  const ProgramResult result = run_perfmodel({"import", csv, "--out", "never.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "perfmodel: " + csv +
                ": neither a CSV export of Nsight Compute nor a JSON result of nvbench; "
                "export with: ncu --csv --page raw --print-units base, or run the "
                "benchmark with --json FILE\n");
  EXPECT_FALSE(std::filesystem::exists("never.json"));
  EXPECT_EQ(run_perfmodel({"import", "/nowhere.csv"}).exit_code, 2);
  EXPECT_EQ(
      run_perfmodel({"import", csv, "--device", "h2000"}).err,
      "perfmodel: there is no device 'h2000' (did you mean 'h200'?); 'perfmodel list devices' "
      "shows all 12\n");
}

}  // namespace
}  // namespace perfmodel
