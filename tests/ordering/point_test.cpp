#include "ordering/point.h"

#include <gtest/gtest.h>

#include <stretto/base/error.h>

#include "ordering/clock.h"
#include "ordering/point_set.h"

namespace stretto {
namespace {

TEST(Point, KeepsLaneAndSequenceInEightBytes) {
  static_assert(sizeof(Point) == 8);
  const std::uint64_t largest = (std::uint64_t{1} << 48) - 1;
  for (const LaneId lane : {1, 2, 511})
    for (const std::uint64_t sequence : {std::uint64_t{1}, std::uint64_t{77}, largest}) {
      const Point point(lane, sequence);
      EXPECT_EQ(point.lane(), lane);
      EXPECT_EQ(point.sequence(), sequence);
      EXPECT_TRUE(point);
      EXPECT_EQ(Point::from_bits(point.bits()), point);
    }
  EXPECT_FALSE(Point());
}

TEST(Point, LeavesTheHighestBitFreeForTheEdge) {
  // Edges keep "carries a value" there.
  EXPECT_EQ(Point(max_lanes - 1, 1).bits() >> 63, 0u);
}

TEST(LaneProgress, APointDominatesAllBeforeItOnItsLane) {
  LaneProgress progress;
  EXPECT_TRUE(progress.complete(Point()));
  EXPECT_FALSE(progress.complete(Point(3, 1)));
  progress.advance(Point(3, 2));
  EXPECT_TRUE(progress.complete(Point(3, 1)));
  EXPECT_TRUE(progress.complete(Point(3, 2)));
  EXPECT_FALSE(progress.complete(Point(3, 3)));
  EXPECT_FALSE(progress.complete(Point(4, 1)));
}

TEST(Clock, KnowsWhatWasWaitedFor) {
  Clock clock;
  EXPECT_TRUE(clock.dominates(Point()));
  EXPECT_FALSE(clock.dominates(Point(5, 1)));
  clock.advance(Point(5, 3));
  clock.advance(Point(5, 2));
  clock.advance(Point());
  EXPECT_TRUE(clock.dominates(Point(5, 3)));
  EXPECT_FALSE(clock.dominates(Point(5, 4)));
  EXPECT_FALSE(clock.dominates(Point(2, 1)));
  EXPECT_FALSE(clock.dominates(Point(9, 1)));
}

TEST(Clock, MergesTheLaterOfEachLane) {
  Clock a, b;
  a.advance(Point(1, 5));
  a.advance(Point(2, 1));
  b.advance(Point(2, 4));
  b.advance(Point(7, 2));
  a.merge(b);
  EXPECT_TRUE(a.dominates(Point(1, 5)));
  EXPECT_TRUE(a.dominates(Point(2, 4)));
  EXPECT_TRUE(a.dominates(Point(7, 2)));
  EXPECT_FALSE(a.dominates(Point(2, 5)));
  b.merge(Clock());
  EXPECT_FALSE(b.dominates(Point(1, 1)));
  EXPECT_TRUE(b.dominates(Point(7, 2)));
}

TEST(PointSet, KeepsTheNewestOfEachLane) {
  PointSet set;
  set.add(Point());
  EXPECT_TRUE(set.empty());
  set.add(Point(1, 5));
  set.add(Point(2, 1));
  set.add(Point(1, 3));
  set.add(Point(2, 8));
  std::vector<Point> points(set.begin(), set.end());
  EXPECT_EQ(points, (std::vector<Point>{Point(1, 5), Point(2, 8)}));
  PointSet other;
  other.add(Point(2, 9));
  other.add(Point(3, 1));
  set.merge(other);
  points.assign(set.begin(), set.end());
  EXPECT_EQ(points, (std::vector<Point>{Point(1, 5), Point(2, 9), Point(3, 1)}));
}

TEST(PointSet, ForgetsWhatIsDone) {
  LaneProgress progress;
  PointSet set;
  set.add(Point(1, 5));
  set.add(Point(2, 1));
  progress.advance(Point(1, 6));
  EXPECT_FALSE(set.settle(progress));
  EXPECT_EQ(std::vector<Point>(set.begin(), set.end()), std::vector<Point>{Point(2, 1)});
  progress.advance(Point(2, 1));
  EXPECT_TRUE(set.settle(progress));
  EXPECT_TRUE(set.empty());
}

}  // namespace
}  // namespace stretto
