#include "model/timeline/held_places.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

TEST(HeldPlaces, BecomeFreeInTheOrderOfTheirTimes) {
  HeldPlaces places;
  for (int i = 0; i < 3; ++i) {
    places.take();
  }
  EXPECT_EQ(places.next_free(), std::numeric_limits<double>::infinity());
  places.free_at(20);
  places.free_at(10);
  EXPECT_EQ(places.next_free(), 10);
  EXPECT_EQ(places.held(9), 3);
  EXPECT_EQ(places.held(10), 2);
  EXPECT_EQ(places.next_free(), 20);
  places.free_next();
  EXPECT_EQ(places.held(10), 1);
  EXPECT_EQ(places.next_free(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace perfmodel
