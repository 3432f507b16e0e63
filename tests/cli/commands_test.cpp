#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_perfmodel;

json json_of(const std::vector<std::string>& arguments) {
  const ProgramResult result = run_perfmodel(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out);
}

TEST(Help, EveryCommandHasExamples) {
  for (const char* command : {"analyze", "audit", "calibrate", "doctor", "import", "ledger", "list",
                              "measure", "study", "sweep", "validate"}) {
    const ProgramResult result = run_perfmodel({command, "--help"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_NE(result.out.find(std::string("Examples:\n  perfmodel ") + command), std::string::npos)
        << result.out;
  }
}

TEST(Help, ExamplesWork) {
  const testing::TemporaryFolder folder;
  for (const char* command : {"analyze", "audit", "calibrate", "ledger", "list"}) {
    std::istringstream lines(run_perfmodel({command, "--help"}).out);
    for (std::string line; std::getline(lines, line);) {
      const bool needs_more =
          line.find("./my") != std::string::npos || line.find(" auto") != std::string::npos;
      if (!line.starts_with("  perfmodel ") || needs_more) {
        continue;
      }
      std::istringstream words(line.substr(0, line.find('#')));
      std::vector<std::string> arguments;
      for (std::string word; words >> word;) {
        arguments.push_back(word);
      }
      arguments.erase(arguments.begin());
      const ProgramResult result = run_perfmodel(arguments, {{}, {}, folder.path()});
      // What a chip counts is known to CUPTI, which not every machine has.
      const bool may_lack_cupti = line.find("metrics --device") != std::string::npos;
      EXPECT_TRUE(result.exit_code == 0 || (may_lack_cupti && result.exit_code == 3))
          << line << "\n"
          << result.err;
    }
  }
}

TEST(Help, WithoutACommandIsBadInput) {
  const ProgramResult result = run_perfmodel({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("Usage: perfmodel"), std::string::npos) << result.err;
}

TEST(Version, IsOneLine) {
  const ProgramResult result = run_perfmodel({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.out.starts_with("perfmodel ")) << result.out;
}

TEST(Pages, AreWrittenByTheEndingOfTheFile) {
  const testing::TemporaryFolder folder;
  const std::string picture = (folder.path() / "k3.svg").string();
  const ProgramResult svg = run_perfmodel(
      {"audit", "K3", "--device", "h200", "--shape", "512x512x512", "--out", picture});
  EXPECT_EQ(svg.exit_code, 0) << svg.err;
  EXPECT_EQ(svg.out, "");
  EXPECT_TRUE(testing::read_file(picture).starts_with("<svg "));

  const ProgramResult html = run_perfmodel(
      {"audit", "K3", "--device", "h200", "--shape", "512x512x512", "--format", "html"});
  const bool without_library = html.exit_code == 3;
  EXPECT_TRUE(html.exit_code == 0 || without_library) << html.err;
  EXPECT_EQ(html.out.starts_with("<!doctype html>"), !without_library);
  EXPECT_EQ(html.err.find("libjs-chart.js") != std::string::npos, without_library);
}

TEST(Pages, AreOfferedWhereThereAreSome) {
  const ProgramResult refused = run_perfmodel({"list", "devices", "--format", "html"});
  EXPECT_EQ(refused.exit_code, 2);
  const ProgramResult analysed = run_perfmodel({"analyze", "--help"});
  EXPECT_NE(analysed.out.find("svg"), std::string::npos);
}

TEST(Analyze, JsonHasTheDocumentedFields) {
  const json report = json_of({"analyze", "--device", "rtx4090", "--format", "json"});
  EXPECT_EQ(report.at("schema"), "perfmodel.analysis/1");
  EXPECT_EQ(report.at("device"), "rtx4090");
  EXPECT_EQ(report.at("clock_hz"), 2.52e9);
  EXPECT_TRUE(report.at("source").is_string());
  const json& model = report.at("models").at(0);
  EXPECT_EQ(model.at("name"), "load-count");
  EXPECT_EQ(model.at("references"), json({"K2", "K3", "K4"}));
  EXPECT_EQ(model.at("unit_costs").at(0).at("name"), "dist");
  EXPECT_TRUE(model.at("unit_costs").at(0).at("std_error").is_null());
  EXPECT_NEAR(model.at("unit_costs").at(0).at("cycles").get<double>(), 2.67929, 5e-6);
  EXPECT_EQ(report.at("kernels").size(), 8U);
  for (const json& kernel : report.at("kernels")) {
    const bool has_ledger = kernel.at("name") != "K0";
    EXPECT_EQ(kernel.at("shape"), json({{"m", 4096}, {"n", 4096}, {"k", 4096}}));
    for (const char* key :
         {"median_s", "gflop_per_s", "cycles_per_warp_fma", "share_of_cublas", "share_of_peak"}) {
      EXPECT_TRUE(kernel.at(key).is_number()) << key;
    }
    for (const char* key :
         {"arithmetic_intensity", "roof_gflop_per_s", "attainment", "cycles_per_load"}) {
      EXPECT_EQ(kernel.at(key).is_number(), has_ledger) << key;
    }
    for (const char* key : {"class", "reason"}) {
      EXPECT_FALSE(kernel.at("verdict").at(key).get<std::string>().empty());
    }
    EXPECT_EQ(kernel.at("predictions").empty(), !has_ledger);
    if (has_ledger) {
      for (const char* key : {"dist", "bcast", "ldg", "bytes_per_output", "requests_per_fma"}) {
        EXPECT_TRUE(kernel.at("ledger").at(key).is_number()) << key;
      }
      for (const char* key : {"model", "cycles_per_warp_fma", "error", "role"}) {
        EXPECT_TRUE(kernel.at("predictions").at(0).contains(key)) << key;
      }
    }
  }
}

TEST(Analyze, SelectsTheClock) {
  for (const char* clock : {"measured", "2.64GHz"}) {
    const json report = json_of({"analyze", "-d", "rtx4090", "--clock", clock, "--format", "json"});
    EXPECT_EQ(report.at("clock_hz"), 2.64e9) << clock;
  }
}

TEST(Analyze, FormatFollowsTheEndingOfTheFile) {
  const testing::TemporaryFolder folder;
  for (const auto& [name, beginning] :
       {std::pair("r.json", "{\n  \"schema\""), std::pair("r.csv", "kernel,family,"),
        std::pair("r.md", "# NVIDIA"), std::pair("r.txt", "NVIDIA")}) {
    const auto file = folder.path() / name;
    const ProgramResult result =
        run_perfmodel({"analyze", "-d", "rtx4090", "--out", file.string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(testing::read_file(file).starts_with(beginning)) << name;
  }
}

TEST(Analyze, CsvIsRectangular) {
  const ProgramResult result = run_perfmodel({"analyze", "-d", "rtx4090", "--format", "csv"});
  std::istringstream lines(result.out);
  std::string header;
  std::getline(lines, header);
  const auto fields = std::count(header.begin(), header.end(), ',');
  for (std::string line; std::getline(lines, line);) {
    // Commas inside quotes do not separate.
    bool quoted = false;
    const auto separators = std::count_if(line.begin(), line.end(), [&](char c) {
      quoted ^= c == '"';
      return c == ',' && !quoted;
    });
    EXPECT_EQ(separators, fields) << line;
    EXPECT_EQ(line.back(), '\r');
  }
}

TEST(Analyze, TakesARecordingFileWithoutADevice) {
  const auto file = testing::source_specs() / "recordings/rtx4090/ladder.json";
  EXPECT_EQ(json_of({"analyze", "--recording", file.string(), "--format", "json"}).at("device"),
            "rtx4090");
}

TEST(Analyze, HasNoEscapeSequencesWhenPiped) {
  const ProgramResult result = run_perfmodel({"analyze", "-d", "rtx4090"});
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(Analyze, FitsANarrowTerminal) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"analyze", "-d", "rtx4090"},
                                             {"audit", "K5", "-d", "rtx4090"},
                                             {"calibrate", "-d", "rtx4090"},
                                             {"ledger", "K5"},
                                             {"list", "devices"}}) {
    const ProgramResult result = run_perfmodel(arguments, {{{"COLUMNS", "60"}}, {}, {}});
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 60U) << line;
    }
  }
}

TEST(Calibrate, PricesCanBeReadBack) {
  const testing::TemporaryFolder folder;
  const std::string costs = (folder.path() / "costs.yaml").string();
  ASSERT_EQ(
      run_perfmodel({"calibrate", "-d", "rtx4090", "--round-cycles", "--save", costs}).exit_code,
      0);
  const json direct = json_of({"analyze", "-d", "rtx4090", "--round-cycles", "--format", "json"});
  const json again =
      json_of({"analyze", "-d", "rtx4090", "--round-cycles", "--costs", costs, "--format", "json"});
  EXPECT_EQ(direct, again);
}

TEST(Calibrate, OutputFileThatEndsInYamlIsTheCostTable) {
  const testing::TemporaryFolder folder;
  const std::string costs = (folder.path() / "costs.yaml").string();
  const ProgramResult result = run_perfmodel({"calibrate", "-d", "rtx4090", "--out", costs});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("Unit costs"), std::string::npos);
  EXPECT_EQ(run_perfmodel({"audit", "K5", "-d", "rtx4090", "--costs", costs}).exit_code, 0);
}

TEST(Audit, GivesTheEvidence) {
  const json report = json_of({"audit", "K5", "-d", "rtx4090", "--format", "json"});
  EXPECT_EQ(report.at("kernel"), "K5");
  EXPECT_EQ(report.at("device"), "rtx4090");
  EXPECT_EQ(report.at("model"), "combined");
  const json& prediction = report.at("prediction");
  EXPECT_GT(prediction.at("seconds"), prediction.at("low_s"));
  EXPECT_LT(prediction.at("seconds"), prediction.at("high_s"));
  EXPECT_GE(prediction.at("bounds").size(), 8U);
  const json& verdict = report.at("verdict");
  EXPECT_EQ(verdict.at("class"), "instruction-bound");
  EXPECT_FALSE(verdict.at("limiting_resource").get<std::string>().empty());
  EXPECT_FALSE(verdict.at("runner_up").get<std::string>().empty());
  EXPECT_GE(verdict.at("evidence").size(), 8U);
  const json& source = report.at("source_analysis").at("kernel").at("verdict");
  EXPECT_EQ(source.at("class"), "instruction-bound");
  EXPECT_GE(source.at("evidence").size(), 5U);
}

TEST(Audit, PredictsWhatNobodyMeasured) {
  for (const char* device : {"rtx4090", "a100-80", "h200", "rtx5090", "rtx3090"}) {
    const json report =
        json_of({"audit", "gemv-col", "-d", device, "--shape", "2048x2048", "-f", "json"});
    EXPECT_FALSE(report.contains("measured_s")) << device;
    EXPECT_GT(report.at("prediction").at("seconds"), 1e-6) << device;
    EXPECT_LT(report.at("prediction").at("seconds"), 1e-2) << device;
  }
}

TEST(Audit, OwnKernelWithAMeasuredTime) {
  const std::string applications =
      (testing::source_specs().parent_path() / "tests/applications").string();
  std::vector<std::string> arguments{"audit",
                                     "--cubin",
                                     applications + "/sm_90.json.gz",
                                     "--launch",
                                     applications + "/launches/hash_rounds.yaml",
                                     "--device",
                                     "h200",
                                     "--format",
                                     "json"};
  const json predicted = json_of(arguments);
  EXPECT_EQ(predicted.at("kernel"), "hash_rounds");
  EXPECT_EQ(predicted.at("verdict").at("class"), "instruction-bound");
  EXPECT_EQ(predicted.at("verdict").at("limiting_resource"), "ALU");
  arguments.insert(arguments.end(), {"--measured", "20us"});
  const ProgramResult contradicted = run_perfmodel(arguments);
  EXPECT_EQ(contradicted.exit_code, 0);
  EXPECT_NE(contradicted.err.find("less than"), std::string::npos) << contradicted.err;
  EXPECT_EQ(json::parse(contradicted.out).at("verdict").at("class"), "inconclusive");
}

TEST(Validate, TellsTheErrorsOfEveryModel) {
  const json report =
      json_of({"validate", "--recordings", "spmv,layouts", "--cases", "-f", "json"});
  EXPECT_EQ(report.at("device"), "h200");
  std::size_t held_out = 0;
  for (const json& group : report.at("groups")) {
    EXPECT_TRUE(group.contains("spearman"));
    EXPECT_LE(group.at("median_abs_error"), group.at("max_abs_error"));
    held_out += group.at("name") == "all" ? group.at("count").get<std::size_t>() : 0;
  }
  EXPECT_EQ(held_out, 3 * 8U);
  EXPECT_EQ(report.at("cases").size(), 3 * 8U);
}

TEST(Ledger, TakesAKernelThatNobodyCompiled) {
  const testing::TemporaryFolder folder;
  const std::string k3 = testing::read_file(testing::source_specs() / "kernels/K3.yaml");
  const auto file = folder.write("mine.yaml", testing::replaced(k3, "name: K3\n", "name: mine\n"));
  const json report =
      json_of({"ledger", file.string(), "--shape", "m=64,n=64,k=64", "--format", "json"});
  EXPECT_EQ(report.at("kernel"), "mine");
  EXPECT_EQ(report.at("ledger").at("exact").at("ldg"), "1/16");
}

TEST(List, CountsWhatIsShipped) {
  EXPECT_GE(json_of({"list", "devices", "-f", "json"}).at("devices").size(), 11U);
  EXPECT_GE(json_of({"list", "kernels", "-f", "json"}).at("kernels").size(), 11U);
  EXPECT_GE(json_of({"list", "recordings", "-f", "json"}).at("recordings").size(), 1U);
  EXPECT_EQ(json_of({"list", "models", "-f", "json"}).at("models").size(), 2U);
}

TEST(Specs, FolderCanBeGiven) {
  const std::string specs = testing::source_specs().string();
  EXPECT_EQ(run_perfmodel({"--specs", specs, "list", "devices"}).exit_code, 0);
  EXPECT_EQ(run_perfmodel({"list", "devices"}, {{{"PERFMODEL_SPECS", specs}}, {}, {}}).exit_code,
            0);
}

}  // namespace
}  // namespace perfmodel
