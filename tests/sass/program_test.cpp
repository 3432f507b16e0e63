#include "model/sass/program.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "model/error.hpp"
#include "tests/sass/fixtures.hpp"

namespace perfmodel::sass {
namespace {

using namespace testing;

ProgramResult shell(const std::string& command) {
  const std::vector<std::string> arguments{"-c", command};
  return run_program("/bin/sh", arguments);
}

TEST(Program, KeepsOutputErrorsAndStatusApart) {
  const ProgramResult result = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.errors, "err\n");
  EXPECT_EQ(result.status, 7);
}

TEST(Program, PassesArgumentsAsTheyAre) {
  const std::vector<std::string> arguments{"%s|", "a b", "\"q'", "$HOME;*", "-x", ""};
  EXPECT_EQ(run_program("/usr/bin/printf", arguments).output, "a b|\"q'|$HOME;*|-x||");
}

TEST(Program, LargeOutputOnBothSidesDoesNotBlock) {
  const ProgramResult result =
      shell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2; head -c 1000000 /dev/zero");
  EXPECT_EQ(result.output.size(), 4'000'000U);
  EXPECT_EQ(result.errors.size(), 2'000'000U);
}

TEST(Program, HasNoInputAndTheFolderAsked) {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments{"-c", "cat; pwd"};
  EXPECT_EQ(run_program("/bin/sh", arguments, folder.path()).output,
            std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Program, DeathBySignalIsAStatus) { EXPECT_EQ(shell("kill -9 $$").status, 128 + SIGKILL); }

TEST(Program, BrokenPipesInsideItAreNotIgnoredEvenWhereTheParentIgnoresThem) {
  auto* before = std::signal(SIGPIPE, SIG_IGN);
  const ProgramResult result = shell("(yes; echo $? >&2) | head -n 1; exit 0");
  std::signal(SIGPIPE, before);
  EXPECT_EQ(result.output, "y\n");
  EXPECT_EQ(result.errors, "141\n") << "yes must be ended by the signal";
}

TEST(Program, MissingProgramIsUnavailable) {
  try {
    run_program("/nonexistent/tool", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_STREQ(error.what(), "/nonexistent/tool: cannot be started: No such file or directory");
  }
}

TEST(Program, FirstLineIsHarmless) {
  EXPECT_EQ(first_line("\n  \nfatal: \x1b[31mno\nmore"), "fatal: ?[31mno");
  EXPECT_EQ(first_line(""), "no message");
}

}  // namespace
}  // namespace perfmodel::sass
