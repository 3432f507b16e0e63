#include "model/spec/write_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "model/error.hpp"

namespace perfmodel::spec {
namespace {

class WriteFileTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string content(const std::filesystem::path& path) const {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("write_file_test_" + std::to_string(getpid()));
};

TEST_F(WriteFileTest, WritesAndReplaces) {
  write_file(folder_ / "a", "one");
  write_file(folder_ / "a", "two");
  EXPECT_EQ(content(folder_ / "a"), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(WriteFileTest, RefusesFoldersAndMissingFolders) {
  EXPECT_THROW(write_file(folder_, "x"), Error);
  EXPECT_THROW(write_file(folder_ / "missing" / "a", "x"), Error);
}

TEST_F(WriteFileTest, WritesDevicesInPlace) {
  EXPECT_NO_THROW(write_file("/dev/null", "x"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(WriteFileTest, FullDiskIsAnError) {
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_THROW(write_file("/dev/full", "x"), Error);
  }
}

}  // namespace
}  // namespace perfmodel::spec
