#include "model/text.hpp"

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

const std::vector<std::string> devices = {"rtx4090", "rtx3090", "h100-sxm", "h200"};

TEST(Nearest, FindsATypingError) {
  EXPECT_EQ(nearest("rtx409", devices), "rtx4090");
  EXPECT_EQ(nearest("RTX4090", devices), "rtx4090");
  EXPECT_EQ(nearest("h20", devices), "h200");
}

TEST(Nearest, CountsSwappedNeighboursAsOneError) { EXPECT_EQ(nearest("h020", devices), "h200"); }

TEST(Nearest, PrefersTheSmallerDistance) { EXPECT_EQ(nearest("rtx3091", devices), "rtx3090"); }

TEST(Nearest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("mi300x", devices), std::nullopt);
  EXPECT_EQ(nearest("", devices), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'x'), devices), std::nullopt);
}

TEST(DidYouMean, IsASentenceOrNothing) {
  EXPECT_EQ(did_you_mean("h201", devices), " (did you mean 'h200'?)");
  EXPECT_EQ(did_you_mean("abacus", devices), "");
}

TEST(Split, KeepsEmptyFields) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
}

TEST(IsPlainName, RefusesWhatTerminalsFilesAndTablesInterpret) {
  EXPECT_TRUE(is_plain_name("h100-sxm_v1.2+x"));
  for (const char* name : {"", "-x", ".hidden", "a b", "a/b", "=1+1", "a\x1b[31m", "a\n", "<b>"}) {
    EXPECT_FALSE(is_plain_name(name)) << name;
  }
  EXPECT_FALSE(is_plain_name(std::string(65, 'a')));
}

TEST(Printable, DisarmsControlCharactersAndLength) {
  EXPECT_EQ(printable("a\x1b[31mb\n"), "a?[31mb?");
  EXPECT_EQ(printable(std::string(200, 'a'), 3), "aaa...");
  // C1 controls begin a terminal's sequences as well; other characters of two bytes stay.
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31m \xC2\xA0\xC3\xA4"),
            "a?31m \xC2\xA0\xC3\xA4");
  // No character is cut in two.
  EXPECT_EQ(printable("a\xC3\xA4z", 2), "a...");
  EXPECT_EQ(printable("a\xC3\xA4z", 3), "a\xC3\xA4...");
}

}  // namespace
}  // namespace perfmodel
