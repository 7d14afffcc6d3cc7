#include <gtest/gtest.h>
#include <stretto/report/lanes.h>

#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

TEST(Lanes, CountNestedTasksOnce) {
  HandMadeRun made;
  made.add("outer", "cpu:0 worker 1", 0, 10);
  made.add("inner", "cpu:0 worker 1", 2, 5);
  made.add("last", "cpu:0 worker 1", 12, 14);
  made.add("copy", "sim:0 to host", 3, 7);
  made.add_wait("wait_all", 0, 14);
  const std::vector<TrackUse> uses = track_use(made.run);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].busy, 12'000);
  EXPECT_EQ(uses[0].tasks, 3u);
  EXPECT_EQ(uses[0].lane, "cpu:0");
  EXPECT_EQ(uses[1].busy, 4'000);
  EXPECT_EQ(uses[1].lane, "sim:0 to host");
}

TEST(Lanes, OfOneDevicesWorkersAreOne) {
  HandMadeRun made;
  made.add("a", "cpu:0 worker 1", 0, 10);
  made.add("b", "cpu:0 worker 2", 0, 4);
  made.add("c", "cpu:1 worker 1", 0, 6);
  made.run.devices = {{"cpu:0", 2, 0}, {"cpu:1", 3, 0}};
  const std::vector<LaneWork> lanes = lane_work(made.run);
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0].shortest(), 7'000);
  // Two of its workers did nothing.
  EXPECT_EQ(lanes[1].tracks, 3);
  EXPECT_EQ(lanes[1].shortest(), 2'000);
  EXPECT_TRUE(lane_work(report::Run()).empty());
}

}  // namespace
}  // namespace stretto::report
