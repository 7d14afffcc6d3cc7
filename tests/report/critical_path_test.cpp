#include <gtest/gtest.h>
#include <stretto/report/critical_path.h>

#include <numeric>

#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

Nanoseconds gap(const CriticalPath& path, Cause cause) { return path.gaps[static_cast<std::size_t>(cause)]; }

Nanoseconds sum(const CriticalPath& path) {
  return std::accumulate(path.gaps.begin(), path.gaps.end(), path.work + path.program + path.rest);
}

TEST(CriticalPath, GoesOverDependenciesAndBusyLanes) {
  HandMadeRun made;
  made.add("a", "cpu:0 worker 1", 0, 4);
  made.add("b", "cpu:0 worker 2", 0, 3);
  made.add("c", "cpu:0 worker 1", 5, 9);         // its worker was busy with a
  made.add("d", "cpu:0 worker 2", 11, 12, {2});  // it reads what c makes
  const CriticalPath path = critical_path(made.run);
  ASSERT_EQ(path.steps.size(), 4u);
  EXPECT_FALSE(path.steps[0].task);
  EXPECT_EQ(path.steps[1].task, 0u);
  EXPECT_EQ(path.steps[2].task, 2u);
  EXPECT_EQ(path.steps[2].cause, Cause::busy_lane);
  EXPECT_EQ(path.steps[2].gap, 1'000);
  EXPECT_EQ(path.steps[3].task, 3u);
  EXPECT_EQ(path.steps[3].cause, Cause::dependency);
  EXPECT_EQ(path.steps[3].gap, 2'000);
  EXPECT_EQ(path.work, 9'000);
  EXPECT_EQ(gap(path, Cause::busy_lane), 1'000);
  EXPECT_EQ(gap(path, Cause::dependency), 2'000);
  EXPECT_EQ(sum(path), made.run.end() - made.run.begin());
}

TEST(CriticalPath, GoesThroughTheProgramWhereItSubmittedLate) {
  HandMadeRun made;
  made.add("a", "sim:0 stream 0", 1, 5);
  made.add("b", "sim:0 stream 0", 12, 15).submitted = 11'000;
  made.add_wait("host read", 2, 6).task = 0;
  const CriticalPath path = critical_path(made.run);
  ASSERT_EQ(path.steps.size(), 4u);
  // The program submits a; reads what it made until 6; computes by itself until 11; then b is launched.
  EXPECT_EQ(path.steps[1].task, 0u);
  EXPECT_FALSE(path.steps[2].task);
  EXPECT_EQ(path.steps[2].cause, Cause::host_read);
  EXPECT_EQ(path.steps[2].gap, 1'000);
  EXPECT_EQ(path.program, 5'000);
  EXPECT_EQ(path.steps[3].task, 1u);
  EXPECT_EQ(path.steps[3].cause, Cause::launch_bound);
  EXPECT_EQ(path.work, 7'000);
  EXPECT_EQ(gap(path, Cause::launch_bound), 2'000);
  EXPECT_EQ(gap(path, Cause::host_read), 1'000);
  EXPECT_EQ(sum(path), 15'000);
}

TEST(CriticalPath, EndsWhereTasksTakeNoTime) {
  HandMadeRun made;
  for (int i = 0; i < 4; ++i) made.add("skipped", "cpu:0 worker 1", 5, 5);
  made.add_wait("wait_all", 5, 5);
  const CriticalPath path = critical_path(made.run);
  EXPECT_EQ(path.steps.size(), 5u);
  EXPECT_EQ(path.work, 0);
  EXPECT_EQ(sum(path), 5'000);
  EXPECT_TRUE(critical_path(report::Run()).steps.empty());
}

TEST(CriticalPath, TakesADependencyThatEndsLaterByAnotherClock) {
  HandMadeRun made;
  made.add("a", "sim:0 stream 0", 0, 5);
  made.add("b", "sim:1 stream 0", 4, 9, {0});
  const CriticalPath path = critical_path(made.run);
  ASSERT_EQ(path.steps.size(), 3u);
  EXPECT_EQ(path.steps[2].gap, 0);
  EXPECT_EQ(path.steps[2].cause, Cause::dependency);
}

}  // namespace
}  // namespace stretto::report
