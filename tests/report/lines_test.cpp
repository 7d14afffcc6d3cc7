#include <gtest/gtest.h>
#include <stretto/report/lines.h>

#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

TEST(Lines, HaveTheTimeOfTheirOwnTasks) {
  HandMadeRun made;
  made.add("outer", "cpu:0 worker 1", 0, 10).line = "p.cpp:1";
  made.add("inner", "cpu:0 worker 1", 2, 8).line = "p.cpp:2";
  made.add("innermost", "cpu:0 worker 1", 3, 4).line = "p.cpp:2";
  made.add("again", "cpu:0 worker 2", 0, 3).line = "p.cpp:1";
  made.run.tasks[0].bytes = 100;
  made.run.tasks[3].bytes = 20;
  made.add_wait("host read", 0, 9).line = "p.cpp:3";
  made.add_wait("host read", 9, 10).line = "p.cpp:1";
  const std::vector<LineTime> lines = time_by_line(made.run);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].line, "p.cpp:1");
  EXPECT_EQ(lines[0].name, "outer, again");
  EXPECT_EQ(lines[0].tasks, 2u);
  EXPECT_EQ(lines[0].busy, 4'000 + 3'000);
  EXPECT_EQ(lines[0].bytes, 120u);
  EXPECT_EQ(lines[0].waited, 1'000);
  EXPECT_EQ(lines[1].line, "p.cpp:2");
  EXPECT_EQ(lines[1].busy, 6'000);
  EXPECT_EQ(lines[2].line, "p.cpp:3");
  EXPECT_EQ(lines[2].name, "host read");
  EXPECT_EQ(lines[2].busy, 0);
  EXPECT_EQ(lines[2].waited, 9'000);
}

}  // namespace
}  // namespace stretto::report
