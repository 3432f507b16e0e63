#include "model/spec/write_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "model/error.hpp"

namespace perfmodel::spec {
namespace {

/// An open file for writing; closed at the latest when it goes out of scope.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path)
      : descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

  /// False with `errno` set where the text did not fit.
  [[nodiscard]] bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written < 0) {
        return false;
      }
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  /// Without this a power cut after the rename could leave an empty file under the final name.
  [[nodiscard]] bool flush_to_disk() const { return fsync(descriptor_) == 0; }

  /// Some file systems report a full disk only here.
  [[nodiscard]] bool finish() {
    const int descriptor = descriptor_;
    descriptor_ = -1;
    return close(descriptor) == 0;
  }

 private:
  int descriptor_;
};

[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& why) {
  fail(fmt::format("{}: cannot be written: {}", path.string(), why));
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    fail_to_write(path, "it is a folder");
  }
  // A device such as /dev/null cannot be replaced by renaming.
  const bool special =
      std::filesystem::exists(path, status) && !std::filesystem::is_regular_file(path, status);
  std::filesystem::path target = path;
  if (!special) {
    target += fmt::format(".{}.tmp", getpid());
  }
  OutputFile file(target);
  if (!file.is_open()) {
    fail_to_write(path, std::strerror(errno));
  }
  const bool written =
      file.write_all(content) && (special || file.flush_to_disk()) && file.finish();
  if (!written) {
    const std::string why = std::strerror(errno);
    if (!special) {
      std::filesystem::remove(target, status);
    }
    fail_to_write(path, why);
  }
  if (special) {
    return;
  }
  std::filesystem::rename(target, path, status);
  if (status) {
    const std::string why = status.message();
    std::filesystem::remove(target, status);
    fail_to_write(path, why);
  }
}

}  // namespace perfmodel::spec
