#include "tests/support/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::testing {
namespace {

[[noreturn]] void become(const std::vector<std::string>& arguments, const ProgramOptions& options,
                         const std::filesystem::path& out, const std::filesystem::path& err) {
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "HOME=/", "LC_ALL=C.UTF-8"};
  for (const auto& [name, value] : options.environment) {
    environment.push_back(name + "=" + value);
  }
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string program = PERFMODEL_PROGRAM;
  argv.push_back(program.data());
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  for (std::string& entry : environment) {
    envp.push_back(entry.data());
  }
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  constexpr int mode = 0600;
  dup2(open(out.c_str(), O_WRONLY | O_CREAT, mode), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT, mode), STDERR_FILENO);
  if (!options.stdin_file.empty()) {
    dup2(open(options.stdin_file.c_str(), O_RDONLY), STDIN_FILENO);
  }
  if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) {
    _exit(126);
  }
  execve(program.c_str(), argv.data(), envp.data());
  _exit(127);
}

}  // namespace

ProgramResult run_perfmodel(const std::vector<std::string>& arguments,
                            const ProgramOptions& options) {
  const TemporaryFolder folder;
  const std::filesystem::path out =
      options.stdout_file.empty() ? folder.path() / "out" : options.stdout_file;
  const std::filesystem::path err = folder.path() / "err";
  const pid_t child = fork();
  if (child < 0) {
    throw std::runtime_error("fork failed");
  }
  if (child == 0) {
    become(arguments, options, out, err);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ProgramResult result;
  constexpr int killed = 128;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : killed + WTERMSIG(status);
  result.out = options.stdout_file.empty() ? read_file(out) : "";
  result.err = read_file(err);
  return result;
}

}  // namespace perfmodel::testing
