#include <gtest/gtest.h>

#include "model/spec/node.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::spec {
namespace {

using testing::error_of;

Document parse(const std::string& text) { return parse_json(text, "f.json", recording_limits); }

std::string json_error(const std::string& text, const Limits& limits = recording_limits) {
  return error_of([&] { parse_json(text, "f.json", limits); });
}

Mark mark_of(const Document& document, std::string_view key) {
  return document.root.find(key)->mark;
}

TEST(Json, RemembersWhereValuesStand) {
  const Document document = parse(
      "{\"text\": \"a, \\\"b\\\": [c\",\n \"number\":1.5e3 ,\"flag\": true,\n"
      "  \"list\": [1,22],\n\"object\":{}, \"none\": null}");
  EXPECT_EQ(mark_of(document, "text").column, 10);
  EXPECT_EQ(mark_of(document, "number").line, 2);
  EXPECT_EQ(mark_of(document, "number").column, 11);
  EXPECT_EQ(mark_of(document, "flag").column, 26);
  const Node& list = *document.root.find("list");
  EXPECT_EQ(list.mark.column, 11);
  EXPECT_EQ(list.items[0].mark.column, 12);
  EXPECT_EQ(list.items[1].mark.column, 14);
  EXPECT_EQ(mark_of(document, "object").line, 4);
  EXPECT_EQ(mark_of(document, "object").column, 10);
  // A null is pointed at by its key.
  EXPECT_EQ(mark_of(document, "none").column, 14);
  EXPECT_EQ(document.root.members[1].mark.column, 2);
}

TEST(Json, KeepsTheDigitsOfNumbers) {
  const Document document = parse(R"({"a": 0.1234567890123456789, "b": "7"})");
  EXPECT_EQ(document.root.find("a")->scalar, "0.1234567890123456789");
  EXPECT_FALSE(document.root.find("a")->quoted);
  EXPECT_TRUE(document.root.find("b")->quoted);
}

TEST(Json, RefusesDuplicateKeys) {
  EXPECT_EQ(json_error("{\"a\": 1,\n \"a\": 2}"), "f.json:2:2: key 'a' stands here twice");
}

TEST(Json, CallsATruncatedFileTruncated) {
  const std::string truncated = "the file is truncated: it ends in the middle of a value";
  EXPECT_EQ(json_error("{\"a\": [1, 2"), "f.json:1:12: " + truncated);
  EXPECT_EQ(json_error("{\"a\":\n"), "f.json:2:1: " + truncated);
}

TEST(Json, NamesThePlaceOfASyntaxError) {
  const std::string error = json_error("{\"a\": 1,\n  b: 2}");
  EXPECT_EQ(error.substr(0, 28), "f.json:2:4: not valid JSON: ") << error;
  EXPECT_EQ(json_error("{} x").substr(0, 11), "f.json:1:5:");
}

TEST(Json, RefusesInfiniteNumbers) {
  EXPECT_NE(json_error("{\"a\": 1e999}").find("not valid JSON"), std::string::npos);
}

TEST(Json, BoundsDepthAndValues) {
  EXPECT_EQ(json_error(std::string(1'000'000, '[')), "f.json:1:25: nested deeper than 24 levels");
  EXPECT_EQ(json_error("[1,2,3,4]", {100, 3, 10}), "f.json:1:8: holds more than 3 values");
}

TEST(Json, RefusesControlCharacters) {
  EXPECT_EQ(json_error(R"({"a": "\u001b[31m"})"), "f.json:1:7: text holds a control character");
}

}  // namespace
}  // namespace perfmodel::spec
