#include "profiling/import/text_encoding.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::profiling {
namespace {

using namespace std::string_literals;

TEST(ToUtf8, MarksAndUtf16) {
  EXPECT_EQ(to_utf8("plain", "f"), "plain");
  EXPECT_EQ(to_utf8("\xEF\xBB\xBFmarked", "f"), "marked");
  EXPECT_EQ(to_utf8("\xFF\xFE\x61\0\xAC\x20"s, "f"), "a\xE2\x82\xAC");
  EXPECT_EQ(to_utf8("\xFE\xFF\0\x61\x20\xAC"s, "f"), "a\xE2\x82\xAC");
  EXPECT_EQ(to_utf8("a\0b\0"s, "f"), "ab");
  EXPECT_EQ(to_utf8("\0a\0b"s, "f"), "ab");
  EXPECT_EQ(to_utf8("\xFF\xFE\x3D\xD8\x00\xDE"s, "f"), "\xF0\x9F\x98\x80") << "a surrogate pair";
}

TEST(ToUtf8, DamagedUtf16) {
  EXPECT_EQ(testing::error_of([] { (void)to_utf8("\xFF\xFE\x61"s, "f"); }),
            "f: UTF-16 text of an odd number of bytes: the file is truncated");
  EXPECT_EQ(testing::error_of([] { (void)to_utf8("\xFF\xFE\x3D\xD8\x61\x00"s, "f"); }),
            "f: half a UTF-16 surrogate pair at byte 0; save the file as UTF-8");
}

TEST(PlainText, WritesOutWhatIsNoText) {
  EXPECT_EQ(plain_text("f<float>(\xC3\xA9)"), "f<float>(\xC3\xA9)");
  EXPECT_EQ(plain_text("\x1b[31m\n"), "\\x1b[31m\\x0a");
  EXPECT_EQ(plain_text("a\xFF"
                       "b\xC3"),
            "a\\xff"
            "b\\xc3");
  EXPECT_EQ(plain_text("\xC2\x9B"), "\\xc2\\x9b") << "a C1 control";
  EXPECT_EQ(plain_text("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(plain_text("\xC0\xAF\xF5\x80\x80\x80"), "\\xc0\\xaf\\xf5\\x80\\x80\\x80") << "overlong";
}

TEST(PlainText, CutsBetweenCharacters) {
  EXPECT_EQ(plain_text("abcdef", 6), "abcdef");
  EXPECT_EQ(plain_text("abcdefg", 6), "abc...");
  EXPECT_EQ(plain_text("ab\xC3\xA9\xC3\xA9\xC3\xA9", 6), "ab...");
}

}  // namespace
}  // namespace perfmodel::profiling
