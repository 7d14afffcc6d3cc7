#include <gtest/gtest.h>
#include <stretto/report/section.h>

#include <string>

#include <stretto/base/error.h>

#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

HandMadeRun with_sections() {
  HandMadeRun made;
  made.add("a", "cpu:0 worker 1", 0, 10).section = "step";
  made.add("b", "cpu:0 worker 1", 10, 20, {0});
  made.add("c", "cpu:0 worker 1", 20, 30, {1}).section = "step/forward";
  made.add("d", "cpu:0 worker 1", 30, 40, {0, 2}).section = "step";
  made.add("e", "cpu:0 worker 1", 40, 50, {3}).section = "steps";
  for (std::size_t i = 0; i < 5; ++i) made.run.tasks[i].submitted = static_cast<Nanoseconds>(10'000 * i);
  made.add_wait("host read", 5, 10).task = 0;
  made.add_wait("host read", 25, 40).task = 3;
  made.add_wait("wait_all", 45, 50);
  return made;
}

TEST(Section, IsARunOfItsOwnTheLastTimeItWasEntered) {
  const report::Run part = in_section(with_sections().run, "step");
  ASSERT_EQ(part.tasks.size(), 2u);
  EXPECT_EQ(part.tasks[0].name, "c");
  EXPECT_TRUE(part.tasks[0].after.empty());
  ASSERT_EQ(part.tasks[1].after.size(), 1u);
  EXPECT_EQ(part.tasks[1].after[0].from, 0u);
  ASSERT_EQ(part.waits.size(), 1u);
  EXPECT_EQ(part.waits[0].task, 1u);
  EXPECT_EQ(part.begin(), 20'000);
  EXPECT_EQ(part.end(), 40'000);
  EXPECT_EQ(in_section(with_sections().run, "step/forward").tasks.size(), 1u);
}

TEST(Section, SaysWhichThereAre) {
  const auto complaint = [](const report::Run& run) -> std::string {
    try {
      in_section(run, "other");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint(with_sections().run), "no task is in the section other; there are step, step/forward, steps");
  EXPECT_EQ(complaint(report::Run()), "no task is in the section other: the run has no sections");
}

}  // namespace
}  // namespace stretto::report
