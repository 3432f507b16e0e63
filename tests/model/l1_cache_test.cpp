#include "model/timeline/l1_cache.hpp"

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

TEST(L1Cache, HoldsSectorsOneByOneWithTheirArrival) {
  L1Cache cache(64 << 10);
  EXPECT_FALSE(cache.find(40).present);
  cache.insert(40, 123);
  EXPECT_TRUE(cache.find(40).present);
  EXPECT_EQ(cache.find(40).arrives, 123);
  EXPECT_FALSE(cache.find(41).present) << "of the same line";
}

TEST(L1Cache, KeepsWhatWasUsedLast) {
  // 4 KiB, 32 lines in two sets; line 0 is used again and again.
  L1Cache cache(4096);
  cache.insert(0, 0);
  std::size_t kept = 0;
  for (std::uint64_t line = 1; line <= 200; ++line) {
    cache.insert(4 * line, 0);
    EXPECT_TRUE(cache.find(0).present) << line;
  }
  for (std::uint64_t line = 1; line <= 200; ++line) {
    kept += cache.find(4 * line).present ? 1U : 0U;
  }
  EXPECT_EQ(kept, 31U);
}

}  // namespace
}  // namespace perfmodel
