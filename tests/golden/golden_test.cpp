// Whole reports against the files beside this one. Each *.golden holds the arguments on its first
// line and the expected output below; scripts/update_golden.sh writes the output anew. An argument
// that begins with "exports/" is a file of tests/profiling/fixtures.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(PERFMODEL_GOLDEN_FOLDER)) {
    if (entry.path().extension() == ".golden") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Golden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, OutputIsAsReviewed) {
  const std::string content = testing::read_file(GetParam());
  const std::size_t line_end = content.find('\n');
  ASSERT_NE(line_end, std::string::npos);
  std::istringstream words(content.substr(0, line_end));
  std::vector<std::string> arguments;
  const std::string exports = "exports/";
  for (std::string word; words >> word;) {
    arguments.push_back(word.starts_with(exports)
                            ? PERFMODEL_IMPORT_FIXTURES "/" + word.substr(exports.size())
                            : word);
  }
  const testing::ProgramResult result = testing::run_perfmodel(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  if (std::getenv("PERFMODEL_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(GetParam(), std::ios::binary) << content.substr(0, line_end) << "\n"
                                                << result.out;
    return;
  }
  EXPECT_EQ(content.substr(line_end + 1), result.out);
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, ::testing::ValuesIn(golden_files()), [](const auto& test) {
  std::string name = test.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace perfmodel
