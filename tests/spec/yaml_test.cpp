#include <gtest/gtest.h>

#include "model/spec/node.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::spec {
namespace {

using testing::error_of;

std::string yaml_error(const std::string& text, const Limits& limits = specification_limits) {
  return error_of([&] { parse_yaml(text, "f.yaml", limits); });
}

TEST(Yaml, KeepsOrderAndPlaces) {
  const Document document =
      parse_yaml("b: 1\na:\n  - x\n  - \"2\"\n", "f.yaml", specification_limits);
  ASSERT_EQ(document.root.members.size(), 2U);
  EXPECT_EQ(document.root.members[0].key, "b");
  const Node& list = document.root.members[1].value;
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_FALSE(list.items[0].quoted);
  EXPECT_TRUE(list.items[1].quoted);
  EXPECT_EQ(list.items[1].mark.line, 4);
  EXPECT_EQ(list.items[1].mark.column, 5);
}

TEST(Yaml, RefusesDuplicateKeys) {
  EXPECT_EQ(yaml_error("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: key 'a' stands here twice");
  EXPECT_EQ(yaml_error("m: {x: 1, x: 2}\n"), "f.yaml:1:11: key 'x' stands here twice");
}

TEST(Yaml, RefusesWhatCanExpandOrConstruct) {
  EXPECT_EQ(yaml_error("a: &x 1\n"), "f.yaml:1:4: anchors are not accepted; write the value out");
  EXPECT_EQ(yaml_error("a: *x\n").substr(0, 11), "f.yaml:1:4:");
  EXPECT_EQ(yaml_error("a: !!python/object x\n"), "f.yaml:1:4: tags are not accepted");
  EXPECT_EQ(yaml_error("? [a, b]\n: 1\n"), "f.yaml:1:3: a key must be plain text");
}

// The classic: nine levels of nine aliases would be 9^9 nodes.
TEST(Yaml, RefusesBillionLaughs) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char level = 'b'; level <= 'i'; ++level) {
    const char below = static_cast<char>(level - 1);
    text += std::string(1, level) + ": &" + level + " [";
    for (int i = 0; i < 9; ++i) {
      text += std::string(i == 0 ? "*" : ", *") + below;
    }
    text += "]\n";
  }
  EXPECT_EQ(yaml_error(text), "f.yaml:1:4: anchors are not accepted; write the value out");
}

TEST(Yaml, BoundsDepth) {
  EXPECT_EQ(yaml_error("a: " + std::string(30, '[') + std::string(30, ']')),
            "f.yaml:1:27: nested deeper than 24 levels");
  EXPECT_NE(yaml_error(std::string(200'000, '[')), "");
  EXPECT_NE(yaml_error(std::string(200'000, '{')), "");
  std::string block;
  for (std::size_t level = 0; level < 400; ++level) {
    block += std::string(level, ' ') + "a:\n";
  }
  EXPECT_EQ(yaml_error(block), "f.yaml:25:25: nested deeper than 24 levels");
}

TEST(Yaml, BoundsTheNumberOfValues) {
  std::string list = "a:\n";
  for (int i = 0; i < 30'000; ++i) {
    list += "- 1\n";
  }
  EXPECT_EQ(yaml_error(list), "f.yaml:20002:3: holds more than 20000 values");
}

TEST(Yaml, BoundsTheFile) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("huge.yaml", std::string(300'000, '#'));
  EXPECT_EQ(error_of([&] { read_yaml(file); }),
            file.string() + ": larger than the limit of 262144 bytes");
}

TEST(Yaml, ExplainsFilesThatCannotBeRead) {
  const testing::TemporaryFolder folder;
  const auto empty = folder.write("empty.yaml", "");
  EXPECT_EQ(error_of([&] { read_yaml(empty); }), empty.string() + ": the file is empty");
  const auto missing = folder.path() / "missing.yaml";
  EXPECT_EQ(error_of([&] { read_yaml(missing); }), missing.string() + ": no such file");
  EXPECT_EQ(error_of([&] { read_yaml(folder.path()); }),
            folder.path().string() + ": is a folder, not a file");
}

TEST(Yaml, RefusesWhatIsNotOneDocument) {
  EXPECT_EQ(yaml_error("# only a comment\n"), "f.yaml:1:1: holds no YAML document");
  EXPECT_EQ(yaml_error("a: 1\n---\nb: 2\n"), "f.yaml:1:1: holds more than one YAML document");
  EXPECT_EQ(yaml_error("a: [1, 2\n"), "f.yaml:2:1: not valid YAML: end of sequence flow not found");
}

TEST(Yaml, RefusesControlCharacters) {
  EXPECT_EQ(yaml_error("a: \"x\\e[31m\"\n"), "f.yaml:1:4: text holds a control character");
  EXPECT_EQ(yaml_error("\"a\\0b\": 1\n"), "f.yaml:1:1: text holds a control character");
}

}  // namespace
}  // namespace perfmodel::spec
