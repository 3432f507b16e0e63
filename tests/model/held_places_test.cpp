#include "model/timeline/held_places.hpp"

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

TEST(HeldPlaces, BecomeFreeInTheOrderOfTheirTimes) {
  HeldPlaces places;
  for (int i = 0; i < 3; ++i) {
    places.take();
  }
  EXPECT_FALSE(places.knows_next());
  places.free_at(20);
  places.free_at(10);
  ASSERT_TRUE(places.knows_next());
  EXPECT_EQ(places.next_free(), 10);
  EXPECT_EQ(places.held(9), 3);
  EXPECT_EQ(places.held(10), 2);
  EXPECT_EQ(places.next_free(), 20);
  places.free_next();
  EXPECT_EQ(places.held(10), 1);
  EXPECT_FALSE(places.knows_next());
}

}  // namespace
}  // namespace perfmodel
