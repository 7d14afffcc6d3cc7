#include <gtest/gtest.h>
#include <stretto/report/chain.h>

#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

TEST(Chain, IsTheOneOfMostTime) {
  HandMadeRun made;
  made.add("a", "cpu:0 worker 1", 0, 5);
  made.add("b", "cpu:0 worker 2", 0, 3);
  made.add("c", "cpu:0 worker 2", 5, 6, {0, 1});
  made.add("d", "cpu:0 worker 1", 5, 9, {1});
  made.add("e", "cpu:0 worker 1", 9, 12, {2, 3});
  // a c e takes 5 + 1 + 3, b d e takes 3 + 4 + 3.
  const Chain chain = longest_chain(made.run);
  EXPECT_EQ(chain.length, 10'000);
  EXPECT_EQ(chain.tasks, (std::vector<std::size_t>{1, 3, 4}));
  EXPECT_TRUE(longest_chain(report::Run()).tasks.empty());
}

TEST(Bound, IsTheLargerOfChainAndBusiestLane) {
  HandMadeRun made;
  made.add("a", "sim:0 stream 0", 0, 6);
  made.add("b", "sim:0 stream 0", 8, 13);
  made.add("c", "sim:1 stream 0", 13, 15, {1});
  Bound limits = bound(made.run);
  EXPECT_EQ(limits.busiest, "sim:0 stream 0");
  EXPECT_EQ(limits.work, 11'000);
  EXPECT_EQ(limits.chain, 7'000);
  EXPECT_EQ(limits.bound(), 11'000);
  EXPECT_DOUBLE_EQ(limits.ratio(), 15.0 / 11);
  made.run.tasks[1].after.push_back({0, Hazard::war});
  limits = bound(made.run);
  EXPECT_EQ(limits.bound(), 13'000);
  EXPECT_EQ(bound(report::Run()).ratio(), 0);
}

}  // namespace
}  // namespace stretto::report
