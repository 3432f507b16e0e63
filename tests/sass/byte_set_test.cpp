#include "model/sass/byte_set.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace perfmodel::sass::testing {
namespace {

std::set<std::uint64_t> members(const ByteSet& bytes) {
  std::set<std::uint64_t> all;
  for (const ByteRange& range : bytes.ranges()) {
    for (std::uint64_t byte = range.begin; byte < range.end; ++byte) {
      all.insert(byte);
    }
  }
  return all;
}

ByteSet drawn(std::mt19937_64& random) {
  std::vector<ByteRange> ranges;
  for (std::uint64_t i = random() % 6; i > 0; --i) {
    const std::uint64_t begin = 1000 + random() % 300;
    ranges.push_back({begin, begin + 1 + random() % 40});
  }
  return ByteSet(std::move(ranges));
}

TEST(ByteSet, RangesJoinWhereTheyTouch) {
  const ByteSet bytes({{40, 50}, {0, 10}, {10, 20}, {45, 60}, {22, 23}});
  EXPECT_EQ(bytes.ranges(), (std::vector<ByteRange>{{0, 20}, {22, 23}, {40, 60}}));
  EXPECT_EQ(bytes.bytes(), 41U);
  EXPECT_EQ(bytes.whole_pieces(32).ranges(), (std::vector<ByteRange>{{0, 64}}));
  EXPECT_EQ(ByteSet({{31, 32}, {64, 65}}).whole_pieces(32).bytes(), 64U);
  EXPECT_EQ(ByteSet().bytes(), 0U);
}

TEST(ByteSet, ShiftsAreFoundAndUndone) {
  const ByteSet bytes({{100, 110}, {120, 121}});
  const ByteSet later = bytes.shifted(36);
  EXPECT_EQ(bytes.shift_to(later), 36);
  EXPECT_EQ(later.shift_to(bytes), -36);
  EXPECT_EQ(later.shifted(-36), bytes);
  EXPECT_FALSE(bytes.shift_to(ByteSet({{100, 110}, {121, 122}})));
  EXPECT_FALSE(bytes.shift_to(ByteSet({{100, 110}})));
  EXPECT_FALSE(bytes.shift_to(ByteSet()));
  EXPECT_EQ(ByteSet().shift_to(ByteSet()), 0);
}

TEST(ByteSet, UnionsAndRepetitionsHoldTheSameBytes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const ByteSet left = drawn(random);
    const ByteSet right = drawn(random);
    std::set<std::uint64_t> both = members(left);
    both.merge(members(right));
    EXPECT_EQ(members(unite(left, right)), both);
    const auto step = static_cast<std::int64_t>(random() % 61) - 30;
    const std::uint64_t count = 1 + random() % 20;
    std::set<std::uint64_t> copies;
    for (std::uint64_t copy = 0; copy < count; ++copy) {
      copies.merge(members(left.shifted(step * static_cast<std::int64_t>(copy))));
    }
    const std::optional<ByteSet> repeated = left.repeated(step, count, 1000);
    ASSERT_TRUE(repeated);
    EXPECT_EQ(members(*repeated), copies) << step << " x " << count;
  }
}

TEST(ByteSet, RepetitionsKnowTheirLimit) {
  const ByteSet byte({{0, 1}});
  EXPECT_EQ(byte.repeated(2, 100, 100)->ranges().size(), 100U);
  EXPECT_FALSE(byte.repeated(2, 101, 100));
  EXPECT_EQ(byte.repeated(1, 1'000'000'007, 100)->ranges(),
            (std::vector<ByteRange>{{0, 1'000'000'007}}));
}

}  // namespace
}  // namespace perfmodel::sass::testing
