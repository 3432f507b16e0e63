#include "app/completion.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::app {
namespace {

std::vector<std::string> some_names(NameKind kind) {
  switch (kind) {
    case NameKind::device:
      return {"h200", "l4"};
    case NameKind::kernel:
      return {"K3", "K3c"};
    case NameKind::recording:
      return {"ladder"};
  }
  return {};
}

class CompletionTest : public ::testing::Test {
 protected:
  CompletionTest() {
    app_.add_option("--specs", text_, "folder")->type_name("FOLDER");
    CLI::App* run = app_.add_subcommand("run", "runs a kernel");
    run->add_option("kernel", text_, "which")->type_name("KERNEL");
    run->add_option("second", text_, "which more")->check(CLI::IsMember({"one", "two"}));
    run->add_option("-d,--device", text_, "where")->type_name("NAME");
    run->add_option("-f,--format", text_, "how")
        ->check(CLI::IsMember({"csv", "json"}))
        ->type_name("FORMAT");
    run->add_option("--references", list_, "on which")->delimiter(',')->type_name("KERNEL,...");
    run->add_option("--recording", text_, "of which");
    run->add_flag("--strict", strict_, "no doubts");
    app_.add_subcommand("ruin", "not shown")->group("");
  }

  std::vector<std::string> words(const std::vector<std::string>& typed) {
    std::vector<std::string> found;
    for (const Candidate& candidate : complete(app_, typed, some_names)) {
      found.push_back(candidate.word);
    }
    return found;
  }

  CLI::App app_{"test"};
  std::string text_;
  std::vector<std::string> list_;
  bool strict_ = false;
};

using Words = std::vector<std::string>;

TEST_F(CompletionTest, Subcommands) {
  EXPECT_EQ(words({""}), Words{"run"});
  EXPECT_EQ(words({"ru"}), Words{"run"});
  EXPECT_EQ(words({"x"}), Words{});
  EXPECT_EQ(words({}), Words{});
  EXPECT_EQ(words({"--specs", "folder", "r"}), Words{"run"});
}

TEST_F(CompletionTest, DescriptionsStandBehindATab) {
  EXPECT_EQ(completion_text(complete(app_, Words{"r"}, some_names)), "run\truns a kernel\n");
  EXPECT_EQ(completion_text(complete(app_, Words{"run", ""}, some_names)), "K3\nK3c\n");
}

TEST_F(CompletionTest, OptionsOfTheSubcommandAndOfTheProgram) {
  EXPECT_EQ(words({"run", "--re"}), (Words{"--references", "--recording"}));
  EXPECT_EQ(words({"run", "--s"}), (Words{"--strict", "--specs"}));
  EXPECT_EQ(words({"--d"}), Words{});
}

TEST_F(CompletionTest, ValuesOfOptions) {
  EXPECT_EQ(words({"run", "--device", ""}), (Words{"h200", "l4"}));
  EXPECT_EQ(words({"run", "-d", "h"}), Words{"h200"});
  EXPECT_EQ(words({"run", "--format", ""}), (Words{"csv", "json"}));
  EXPECT_EQ(words({"run", "--recording", ""}), Words{"ladder"});
  EXPECT_EQ(words({"--specs", ""}), Words{});
}

TEST_F(CompletionTest, ValuesBehindAnEqualsSign) {
  EXPECT_EQ(words({"run", "--device=l"}), Words{"--device=l4"});
  EXPECT_EQ(words({"run", "--unknown=l"}), Words{});
  // As bash splits it.
  EXPECT_EQ(words({"run", "--device", "=", "l"}), Words{"l4"});
  EXPECT_EQ(words({"run", "--device", "="}), (Words{"h200", "l4"}));
}

TEST_F(CompletionTest, ListsContinueBehindTheComma) {
  EXPECT_EQ(words({"run", "--references", "K1,K3"}), (Words{"K1,K3", "K1,K3c"}));
  EXPECT_EQ(words({"run", "--references=K1,"}),
            (Words{"--references=K1,K3", "--references=K1,K3c"}));
}

TEST_F(CompletionTest, ArgumentsByTheirPlace) {
  EXPECT_EQ(words({"run", "K"}), (Words{"K3", "K3c"}));
  EXPECT_EQ(words({"run", "--strict", "--format", "csv", "K3", "t"}), Words{"two"});
  EXPECT_EQ(words({"run", "K3", "one", ""}), Words{});
}

TEST(CatalogueNames, ComeFromTheFolder) {
  const std::string specs = testing::source_specs().string();
  const auto has = [&](NameKind kind, const std::string& name) {
    const std::vector<std::string> names = catalogue_names(kind, specs);
    return std::ranges::find(names, name) != names.end();
  };
  EXPECT_TRUE(has(NameKind::device, "h200"));
  EXPECT_TRUE(has(NameKind::kernel, "K3"));
  EXPECT_TRUE(has(NameKind::recording, "ladder"));
  EXPECT_TRUE(catalogue_names(NameKind::device, "/no/such/folder").empty());
}

}  // namespace
}  // namespace perfmodel::app
