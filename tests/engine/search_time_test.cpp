#include "engine/search_time.h"

#include <gtest/gtest.h>

#include <chrono>

namespace stretto {
namespace {

using namespace std::chrono_literals;

SteadyClock::time_point moment;
SteadyClock::time_point counted() { return moment; }

class SearchTimes : public testing::Test {
 protected:
  /// Submits some, so far apart, and counts those that were searched.
  int searched_of(int submissions, std::chrono::nanoseconds distance, bool matches = false) {
    int searched = 0;
    for (int i = 0; i < submissions; ++i) {
      moment += distance;
      if (time_.rests() || time_.rests_on()) continue;
      ++searched;
      time_.note_searched(matches);
    }
    return searched;
  }

  SearchTime time_{&counted};
};

TEST_F(SearchTimes, QuickSubmissionsAreSearchedNowAndThen) {
  constexpr int longest = SearchTime::longest_search;
  EXPECT_EQ(searched_of(longest, 150ns), longest);
  EXPECT_EQ(searched_of(longest, 150ns), 0);
  // 15 of 150 ns each would be a tenth: a fifth of them are searched, which is a fiftieth.
  const int searched = searched_of(20 * longest, 150ns);
  EXPECT_GT(searched, 3 * longest);
  EXPECT_LT(searched, 5 * longest);
}

TEST_F(SearchTimes, WhatCameBeforeIsSearchedForLonger) {
  constexpr int longest = SearchTime::longest_search;
  EXPECT_EQ(searched_of(3 * longest, 150ns, true), 3 * longest);
  EXPECT_EQ(searched_of(2 * longest, 150ns, true), longest);
}

TEST_F(SearchTimes, SlowSubmissionsAreAllSearched) {
  constexpr int many = 10 * SearchTime::longest_search;
  EXPECT_EQ(searched_of(many, 1us), many);
}

TEST_F(SearchTimes, ARestEndsWhereSubmissionsBecomeSlow) {
  constexpr int longest = SearchTime::longest_search;
  EXPECT_EQ(searched_of(longest + 100, 100ns), longest);
  EXPECT_GT(searched_of(1500, 1ms), 400);
}

TEST_F(SearchTimes, WhereSomethingIsFoundItNeverRests) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(searched_of(1000, 100ns), 1000);
    time_.note_success();
  }
}

}  // namespace
}  // namespace stretto
