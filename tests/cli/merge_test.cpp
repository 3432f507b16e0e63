#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::TemporaryFolder;

/// The shipped ladder of an H200 with only the entries whose number leaves `rest` modulo 2.
std::string half(std::size_t rest) {
  json recording =
      json::parse(testing::read_file(testing::source_specs() / "recordings/h200/ladder.json"));
  json kept = json::array();
  for (std::size_t i = 0; i < recording.at("entries").size(); ++i) {
    if (i % 2 == rest) {
      kept.push_back(recording["entries"][i]);
    }
  }
  recording["entries"] = kept;
  return recording.dump();
}

ProgramResult merge(const TemporaryFolder& folder, const std::vector<std::string>& files) {
  std::vector<std::string> arguments = {"merge"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  return testing::run_perfmodel(arguments, {{}, {}, folder.path()});
}

TEST(MergeCommand, TwoHalvesAreTheWholeAgain) {
  const TemporaryFolder folder;
  folder.write("0/part.json", half(0));
  folder.write("1/part.json", half(1));
  const ProgramResult result = merge(folder, {"whole.json", "0/part.json", "1/part.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");

  const json shipped =
      json::parse(testing::read_file(testing::source_specs() / "recordings/h200/ladder.json"));
  const json whole = json::parse(testing::read_file(folder.path() / "whole.json"));
  EXPECT_EQ(whole.at("entries").size(), shipped.at("entries").size());
  EXPECT_EQ(whole.at("clock"), shipped.at("clock"));
  EXPECT_EQ(whole.at("device_attributes"), shipped.at("device_attributes"));
  const ProgramResult analysed =
      testing::run_perfmodel({"analyze", "--recording", "whole.json"}, {{}, {}, folder.path()});
  EXPECT_EQ(analysed.exit_code, 0) << analysed.err;
}

TEST(MergeCommand, ConflictsNameTheFilesAndNothingIsWritten) {
  const TemporaryFolder folder;
  folder.write("a.json", half(0));
  std::string other = half(0);
  const std::size_t sample = other.find("\"samples_s\":[0.") + 15;
  other[sample] = other[sample] == '1' ? '2' : '1';
  folder.write("b.json", other);
  const ProgramResult result = merge(folder, {"whole.json", "a.json", "b.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find(" was measured in a.json and in b.json"), std::string::npos)
      << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "whole.json"));
}

TEST(MergeCommand, OverwritesNoRecording) {
  const TemporaryFolder folder;
  folder.write("a.json", half(0));
  folder.write("b.json", half(1));
  const ProgramResult result = merge(folder, {"a.json", "b.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "perfmodel: a.json: exists already; name a new file first, then the recordings to "
            "merge\n");
  EXPECT_EQ(testing::read_file(folder.path() / "a.json"), half(0));
}

}  // namespace
}  // namespace perfmodel
