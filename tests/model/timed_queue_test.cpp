#include "model/timeline/timed_queue.hpp"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

TEST(TimedQueue, GivesTheEarliestFirstAndOfOneTimeWhatWasAddedFirst) {
  TimedQueue<std::string> queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.time(), std::numeric_limits<double>::infinity());
  queue.push(3, "late");
  queue.push(1, "first");
  queue.push(1, "second");
  EXPECT_EQ(queue.time(), 1);
  EXPECT_EQ(queue.front(), "first");
  EXPECT_EQ(queue.pop(), "first");
  // Takes the place of the one that has gone.
  queue.push(1, "third");
  queue.push(0.5, "before them");
  std::string order;
  while (!queue.empty()) {
    order += std::to_string(queue.time()).substr(0, 3) + " ";
    order += queue.pop() + ", ";
  }
  EXPECT_EQ(order, "0.5 before them, 1.0 second, 1.0 third, 3.0 late, ");
}

}  // namespace
}  // namespace perfmodel
