#include "backends/cpu/work_ring.h"

#include <gtest/gtest.h>

#include <vector>

namespace stretto {
namespace {

TEST(WorkRing, GivesWhatCameFirstAndShowsWhatComesNext) {
  WorkRing ring;
  std::vector<Work> work(3);
  for (Work& one : work) ASSERT_TRUE(ring.push(one));
  EXPECT_EQ(ring.peek(0), work.data());
  EXPECT_EQ(ring.peek(2), &work[2]);
  EXPECT_EQ(ring.peek(3), nullptr) << "nothing lies there yet";
  EXPECT_EQ(ring.take(), work.data());
  EXPECT_EQ(ring.peek(0), &work[1]) << "a look takes nothing";
  EXPECT_EQ(ring.peek(2), nullptr) << "what was there before is not shown again";
  EXPECT_EQ(ring.take(), &work[1]);
  EXPECT_EQ(ring.take(), &work[2]);
  EXPECT_EQ(ring.take(), nullptr);
}

TEST(WorkRing, TakesNoMoreThanItHolds) {
  WorkRing ring;
  std::vector<Work> work(WorkRing::capacity + 1);
  for (std::size_t i = 0; i < WorkRing::capacity; ++i) ASSERT_TRUE(ring.push(work[i]));
  EXPECT_FALSE(ring.push(work.back()));
  EXPECT_EQ(ring.take(), work.data());
  EXPECT_TRUE(ring.push(work.back()));
  EXPECT_EQ(ring.peek(WorkRing::capacity - 1), &work.back());
}

}  // namespace
}  // namespace stretto
