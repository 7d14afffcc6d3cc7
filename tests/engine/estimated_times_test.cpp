#include "engine/estimated_times.h"

#include <vector>

#include <gtest/gtest.h>

namespace stretto {
namespace {

std::vector<std::int64_t> flat(const std::vector<TracedWork>& works) {
  std::vector<std::int64_t> moments;
  for (const TracedWork& work : works) moments.insert(moments.end(), {work.times->began, work.times->ended});
  return moments;
}

TEST(EstimatedTimes, ShareWhatLiesBetweenThoseThatWereTimed) {
  std::vector<TracedWork> works{{0, {}}, {1, WorkTimes{300, 340}}, {2, {}}, {3, {}}, {4, WorkTimes{400, 450}}, {5, {}}};
  estimate_times(works, 200, 500);
  EXPECT_EQ(flat(works), (std::vector<std::int64_t>{200, 300, 300, 340, 340, 370, 370, 400, 400, 450, 450, 500}));
  std::vector<bool> estimated;
  for (const TracedWork& work : works) estimated.push_back(work.is_estimated);
  EXPECT_EQ(estimated, (std::vector<bool>{true, false, true, true, false, true}));
}

TEST(EstimatedTimes, BeginNoEarlierThanTheWorkWasIssued) {
  std::vector<TracedWork> works{{100, {}}, {460, {}}};
  estimate_times(works, 0, 500);
  EXPECT_EQ(flat(works), (std::vector<std::int64_t>{100, 300, 460, 500}));
}

TEST(EstimatedTimes, EndWhereNoRoomIsLeft) {
  // The clocks of the host and the device differ a little.
  std::vector<TracedWork> works{{100, {}}, {110, WorkTimes{90, 120}}, {120, {}}};
  estimate_times(works, 0, 115);
  EXPECT_EQ(flat(works), (std::vector<std::int64_t>{100, 100, 90, 120, 120, 120}));
}

}  // namespace
}  // namespace stretto
