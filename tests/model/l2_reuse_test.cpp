#include "model/l2_reuse.hpp"

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

constexpr double l2_bytes = 100;

BlockGroups groups_of(double repeated_bytes, std::vector<double> pace) {
  BlockGroups groups;
  groups.groups = 200;
  groups.repeated_bytes = repeated_bytes;
  groups.pace = std::move(pace);
  return groups;
}

TEST(L2Retention, KeepsAllThenSomeThenNothing) {
  const L2Retention l2{l2_bytes, false};
  EXPECT_EQ(l2.kept_share(0), 1);
  EXPECT_EQ(l2.kept_share(l2.safe_bytes()), 1);
  EXPECT_GT(l2.kept_share(l2_bytes), 0);
  EXPECT_LT(l2.kept_share(l2_bytes), 1);
  EXPECT_EQ(l2.kept_share(1.5 * l2_bytes), 0);
  EXPECT_EQ(L2Retention{}.kept_share(0), 0) << "a device without L2";
}

TEST(L2Retention, HalvesHoldCopiesOfWhatBothRead) {
  EXPECT_EQ((L2Retention{l2_bytes, false}.copies(50)), 1);
  const L2Retention split{l2_bytes, true};
  EXPECT_GT(split.copies(1), 1);
  EXPECT_GT(split.copies(2), split.copies(1));
  EXPECT_NEAR(split.copies(50), 2, 1e-6);
}

TEST(L2Reuse, DataThatFitsIsLoadedOnce) {
  EXPECT_NEAR(repeated_miss_share(groups_of(40, {1, 1}), {l2_bytes, false}), 1 / 200.0, 1e-9);
}

TEST(L2Reuse, GroupsInStepShareEveryLoad) {
  for (const std::size_t resident : {1U, 2U, 4U}) {
    EXPECT_NEAR(
        repeated_miss_share(groups_of(1000, std::vector<double>(resident, 1.0)), {l2_bytes, false}),
        1.0 / static_cast<double>(resident), 0.01);
  }
}

TEST(L2Reuse, GroupsThatDriftApartShareNothing) {
  EXPECT_GT(repeated_miss_share(groups_of(1000, {1, 0.5}), {l2_bytes, false}), 0.95);
  EXPECT_GT(repeated_miss_share(groups_of(1000, {1, 0}), {l2_bytes, false}), 0.95);
}

TEST(L2Reuse, ALittleBehindIsStillInL2) {
  // The second ends 10 % behind, when it and the first have asked for 200 bytes meanwhile.
  BlockGroups groups = groups_of(1000, {1, 0.9});
  groups.groups = 2;
  const double missed = repeated_miss_share(groups, {l2_bytes, false});
  EXPECT_GT(missed, 0.6);
  EXPECT_LT(missed, 0.9);
}

TEST(L2Reuse, OtherDataTakesPlace) {
  BlockGroups groups = groups_of(60, {1});
  const double alone = repeated_miss_share(groups, {l2_bytes, false});
  groups.fresh_bytes = 30;
  groups.stored_bytes = 30;
  EXPECT_GT(repeated_miss_share(groups, {l2_bytes, false}), alone + 0.5);
}

TEST(L2Reuse, KindsOfGroupsRepeatOnlyTheirOwn) {
  BlockGroups groups = groups_of(1000, {1, 1});
  groups.kinds = 2;
  EXPECT_GT(repeated_miss_share(groups, {l2_bytes, false}), 0.95)
      << "the two have nothing in common";
}

}  // namespace
}  // namespace perfmodel
