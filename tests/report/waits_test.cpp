#include <gtest/gtest.h>
#include <stretto/report/waits.h>

#include <string>

#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

TEST(Waits, OfATaskAreForWhatItDependsOnThenItsLaneThenItsLaunch) {
  HandMadeRun made;
  made.add("make", "sim:0 stream 0", 0, 10).line = "p.cpp:1";
  made.add("other", "sim:0 stream 1", 0, 14);
  made.add("use", "sim:0 stream 1", 17, 20, {0}).line = "p.cpp:2";
  const std::vector<WaitGroup> waits = largest_waits(made.run);
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_EQ(waits[0].cause, Cause::dependency);
  EXPECT_EQ(waits[0].longest, 10'000);
  EXPECT_EQ(waits[0].task, 2u);
  EXPECT_EQ(waits[0].on, 0u);
  EXPECT_EQ(waits[0].advice,
            "it reads what make (p.cpp:1) makes: make that shorter, or let it depend on a smaller part");
  EXPECT_EQ(waits[1].cause, Cause::busy_lane);
  EXPECT_EQ(waits[1].longest, 4'000);
  EXPECT_EQ(waits[1].where, "sim:0 stream 1");
  EXPECT_TRUE(waits[1].advice.starts_with("sim:0 stream 1 was busy with other work")) << waits[1].advice;
  EXPECT_EQ(waits[2].cause, Cause::launch_bound);
  EXPECT_EQ(waits[2].longest, 3'000);
}

TEST(Waits, SayWhyATaskOverwritesSomething) {
  const auto advice_for = [](Hazard hazard) {
    HandMadeRun made;
    made.add("first", "sim:0 stream 0", 0, 10);
    made.add("second", "sim:0 stream 1", 10, 20).after.push_back({0, hazard});
    const std::vector<WaitGroup> waits = largest_waits(made.run);
    return std::string(name(waits.at(0).cause)) + ": " + waits.at(0).advice;
  };
  EXPECT_EQ(advice_for(Hazard::war),
            "dependency: it writes where first reads: give it a tensor of its own and the two run "
            "beside each other");
  EXPECT_EQ(advice_for(Hazard::waw),
            "dependency: it writes where first writes: give it a tensor of its own and the two "
            "run beside each other");
  EXPECT_EQ(advice_for(Hazard::reuse),
            "memory: memory had to come back first: let go of tensors earlier, or raise STRETTO_MEMORY_LIMIT");
}

TEST(Waits, AreLaunchBoundWhereALaneStoodIdleUntilTheTaskWasSubmitted) {
  HandMadeRun made;
  made.add("a", "sim:0 stream 0", 0, 2);
  for (int i = 0; i < 5; ++i) made.add("b", "sim:0 stream 0", 10 * i + 9, 10 * i + 10).submitted = 10'000 * i + 8'000;
  const std::vector<WaitGroup> waits = largest_waits(made.run);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].cause, Cause::launch_bound);
  EXPECT_EQ(waits[0].count, 5u);
  EXPECT_EQ(waits[0].longest, 9'000);
  EXPECT_EQ(waits[0].total, 7'000 + 4 * 9'000);
  EXPECT_TRUE(waits[0].advice.starts_with("sim:0 stream 0 stood idle until the task came")) << waits[0].advice;
}

TEST(Waits, OfTheProgramAreNotCountedTwice) {
  HandMadeRun made;
  made.add("a", "sim:0 stream 0", 0, 2);
  made.add("b", "sim:0 stream 0", 11, 12).submitted = 10'500;
  made.add_wait("host read", 1, 10).line = "p.cpp:7";
  const std::vector<WaitGroup> waits = largest_waits(made.run);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].cause, Cause::host_read);
  EXPECT_EQ(waits[0].longest, 9'000);
  EXPECT_EQ(waits[0].line, "p.cpp:7");
  EXPECT_EQ(waits[1].cause, Cause::launch_bound);
  EXPECT_EQ(waits[1].longest, 1'000);
}

TEST(Waits, AreForTheOtherStreamWhereKernelsFillTheDevice) {
  HandMadeRun made;
  made.add("a", "sim:0 stream 0", 0, 10);
  made.add("b", "sim:0 stream 1", 10, 20);
  const std::vector<WaitGroup> waits = largest_waits(made.run);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].cause, Cause::busy_lane);
  EXPECT_EQ(waits[0].on, 0u);
  EXPECT_EQ(waits[0].where, "sim:0 streams");
}

TEST(Waits, AreTheLargest) {
  HandMadeRun made;
  for (int i = 1; i <= 15; ++i) made.add_wait(i % 2 == 0 ? "memory" : "back-pressure", 0, i).line = std::to_string(i);
  const std::vector<WaitGroup> waits = largest_waits(made.run);
  ASSERT_EQ(waits.size(), 10u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(waits[static_cast<std::size_t>(i)].longest, (15 - i) * 1000);
  EXPECT_EQ(waits[0].cause, Cause::back_pressure);
  EXPECT_EQ(waits[1].cause, Cause::memory);
  for (const WaitGroup& wait : waits) EXPECT_FALSE(wait.advice.empty());
  EXPECT_TRUE(largest_waits(report::Run()).empty());
}

}  // namespace
}  // namespace stretto::report
