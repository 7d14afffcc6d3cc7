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

TEST(Lanes, OfStreamsAreOneWhereKernelsFillTheDevice) {
  HandMadeRun made;
  made.add("a", "sim:0 stream 0", 0, 10);
  made.add("b", "sim:0 stream 1", 10, 20);
  made.add("to", "sim:0 to host", 10, 15).role = Role::to_host;
  made.add("c", "sim:1 stream 0", 0, 10);
  made.add("d", "sim:1 stream 1", 5, 15);
  EXPECT_EQ(lanes(made.run), (std::vector<std::string>{"sim:0 streams", "sim:0 streams", "sim:0 to host",
                                                       "sim:1 stream 0", "sim:1 stream 1"}));
  const std::vector<LaneWork> work = lane_work(made.run);
  ASSERT_EQ(work.size(), 4u);
  EXPECT_EQ(work[0].shortest(), 20'000);
  EXPECT_EQ(work[2].shortest(), 10'000);
}

}  // namespace
}  // namespace stretto::report
