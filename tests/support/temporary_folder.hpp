#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace perfmodel::testing {

/// A folder of its own for one test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file below the folder, creating folders on the way, and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

/// The whole content of a file.
std::string read_file(const std::filesystem::path& path);

/// `text` with its only occurrence of `from` replaced; throws if there is none or more than one.
std::string replaced(std::string text, std::string_view from, std::string_view to);

/// The specifications of the source tree.
std::filesystem::path source_specs();

/// The message of the perfmodel::Error that `action` throws; fails the test if it throws none.
template <typename Action>
std::string error_of(Action&& action);

}  // namespace perfmodel::testing

#include <gtest/gtest.h>

#include "model/error.hpp"

template <typename Action>
std::string perfmodel::testing::error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was reported";
  return {};
}
