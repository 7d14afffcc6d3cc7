#include "trace/tick_clock.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace stretto::trace {
namespace {

TEST(TickClock, TellsTheTimeOfTheSteadyClock) {
  TickClock clock;
  std::vector<std::int64_t> distances;
  for (int i = 0; i < 60; ++i) {
    const std::int64_t before = nanoseconds_now();
    const std::int64_t told = clock.nanoseconds(ticks());
    const std::int64_t behind = nanoseconds_now();
    // How far it is outside of what the other clock showed around it.
    distances.push_back(std::max({std::int64_t{0}, before - told, told - behind}));
    clock.adjust();
    sleep_for(std::chrono::milliseconds(1));
  }
  // A thread that loses its core amid a look is wrong by more, and puts it right again.
  std::ranges::nth_element(distances, distances.begin() + 30);
  EXPECT_LT(distances[30], 5000);
}

TEST(TickClock, SaysTheSameOfAMomentAgainAndNeverGoesBack) {
  TickClock clock;
  std::vector<Ticks> moments;
  std::vector<std::int64_t> told;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 50; ++j) {
      moments.push_back(ticks());
      told.push_back(clock.nanoseconds(moments.back()));
    }
    sleep_for(std::chrono::milliseconds(1));
    clock.adjust();
  }
  EXPECT_TRUE(std::ranges::is_sorted(told));
  for (std::size_t i = 0; i < moments.size(); ++i) ASSERT_EQ(clock.nanoseconds(moments[i]), told[i]) << i;
}

}  // namespace
}  // namespace stretto::trace
