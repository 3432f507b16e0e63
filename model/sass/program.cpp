#include "model/sass/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

[[noreturn]] void fail_to_start(const std::filesystem::path& program, int number) {
  throw Error(ErrorKind::unavailable,
              fmt::format("{}: cannot be started: {}", program.string(), std::strerror(number)));
}

/// A file in memory. A program that writes there can neither block on a full pipe nor be ended by a
/// broken one.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("perfmodel", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }

  [[nodiscard]] std::string content() const {
    struct stat status{};
    if (fstat(descriptor_, &status) != 0) {
      return {};
    }
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t read = 0;
    while (read < text.size()) {
      const ssize_t now =
          pread(descriptor_, text.data() + read, text.size() - read, static_cast<off_t>(read));
      if (now < 0 && errno == EINTR) {
        continue;
      }
      if (now <= 0) {
        break;
      }
      read += static_cast<std::size_t>(now);
    }
    text.resize(read);
    return text;
  }

 private:
  int descriptor_;
};

/// What posix_spawn does in the child before it becomes the program.
class SpawnSetup {
 public:
  SpawnSetup(const MemoryFile& output, const MemoryFile& errors,
             const std::filesystem::path& folder) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output.descriptor(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors.descriptor(), STDERR_FILENO);
    if (!folder.empty()) {
      posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    }
    // The program must not inherit that its parent ignores broken pipes.
    posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int signal_base = 128;  // as shells count
  return WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
}

}  // namespace

ProgramResult run_program(const std::filesystem::path& program,
                          std::span<const std::string> arguments,
                          const std::filesystem::path& folder) {
  const MemoryFile output;
  const MemoryFile errors;
  if (output.descriptor() < 0 || errors.descriptor() < 0) {
    fail_to_start(program, errno);
  }
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);

  const SpawnSetup setup(output, errors, folder);
  pid_t child = 0;
  const int failure = posix_spawn(&child, program.c_str(), setup.actions(), setup.attributes(),
                                  pointers.data(), environ);
  if (failure != 0) {
    fail_to_start(program, failure);
  }
  const int status = wait_for(child);
  return {status, output.content(), errors.content()};
}

std::string first_line(const std::string& text) {
  constexpr std::size_t longest = 300;
  for (const std::string& line : split(text, '\n')) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      return printable(line, longest);
    }
  }
  return "no message";
}

}  // namespace perfmodel::sass
