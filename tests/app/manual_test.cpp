#include "app/manual.hpp"

#include <gtest/gtest.h>

namespace perfmodel::app {
namespace {

TEST(ManualPage, NothingOfATextIsARequestOfTroff) {
  CLI::App app("Counts.", "count");
  CLI::App* command = app.add_subcommand("run", ".so /etc/passwd");
  std::string text;
  command->add_option("-d,--device", text, "a \\ and a --dash")->type_name("NAME");
  command->footer("Examples:\n'quoted\n.nf");
  const std::string page = manual_page(app, "1.2");
  EXPECT_NE(page.find(".TH COUNT 1 \"\" \"count 1.2\""), std::string::npos) << page;
  EXPECT_NE(page.find("\n\\&.so /etc/passwd\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\\fB\\-d\\fR, \\fB\\-\\-device\\fR \\fINAME\\fR\na \\e and a \\-\\-dash\n"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("Examples:\n\\&'quoted\n\\&.nf\n.fi\n"), std::string::npos) << page;
}

TEST(ManualPage, HiddenCommandsAreLeftOut) {
  CLI::App app("Counts.", "count");
  app.add_subcommand("run", "runs");
  app.add_subcommand("secret", "hides")->group("");
  const std::string page = manual_page(app, "1.2");
  EXPECT_NE(page.find(".SS count run\n"), std::string::npos);
  EXPECT_EQ(page.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace perfmodel::app
