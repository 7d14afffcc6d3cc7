#include <gtest/gtest.h>
#include <stretto/report/overlap.h>

#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

TEST(Overlap, IsTheTimeInWhichBothWentOn) {
  HandMadeRun made;
  made.add("matmul", "sim:0 stream 0", 0, 10);
  made.add("matmul", "sim:0 stream 1", 5, 12);
  made.add("to", "sim:0 to host", 10, 16).role = Role::to_host;
  made.add("to", "sim:0 to peer", 11, 13).role = Role::to_peer;
  const Overlap both = overlap(made.run);
  EXPECT_EQ(both.compute, 12'000);
  EXPECT_EQ(both.copies, 6'000);
  EXPECT_EQ(both.both, 2'000);
  EXPECT_EQ(both.total, 16'000);
  EXPECT_DOUBLE_EQ(both.ratio(), 16.0 / 12);
  EXPECT_DOUBLE_EQ(both.hidden(), 2.0 / 6);
}

TEST(Overlap, IsNothingWithoutWork) {
  const Overlap none = overlap(report::Run());
  EXPECT_EQ(none.total, 0);
  EXPECT_EQ(none.ratio(), 0);
  EXPECT_EQ(none.hidden(), 0);
}

}  // namespace
}  // namespace stretto::report
