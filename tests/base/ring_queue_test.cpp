#include "base/ring_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

namespace stretto {
namespace {

TEST(RingQueue, IsAQueueWhereverItBeginsAndHoweverItGrows) {
  RingQueue<int> queue;
  std::deque<int> expected;
  EXPECT_TRUE(queue.empty());
  int next = 0;
  // Grows by 7 a round, around its end and while it begins in the middle.
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 17; ++i) {
      queue.prefetch_next();
      queue.push_back(next);
      expected.push_back(next++);
    }
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(queue.front(), expected.front());
      queue.pop_front();
      expected.pop_front();
    }
    ASSERT_EQ(queue.size(), expected.size());
    ASSERT_EQ(queue.back(), expected.back());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(queue[i], expected[i]);
  }
  while (!queue.empty()) queue.pop_front();
  queue.push_back(-1);
  EXPECT_EQ(queue.front(), -1);
  EXPECT_EQ(queue.size(), 1u);
}

TEST(RingQueue, HoldsWhatCanOnlyBeMoved) {
  RingQueue<std::unique_ptr<int>> queue;
  for (int i = 0; i < 200; ++i) queue.push_back(std::make_unique<int>(i));
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(*queue.front(), i);
    queue.pop_front();
  }
}

}  // namespace
}  // namespace stretto
