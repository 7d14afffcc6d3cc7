#include "engine/repeat_finder.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace stretto {
namespace {

std::uint32_t signature(std::uint32_t number) { return number * 2654435761u; }

/// How many come before something is proposed, and what that is; nothing in so many: 0, 0.
struct Proposed {
  std::uint32_t at = 0;
  std::uint32_t length = 0;
};
template <typename Stream>
Proposed first_proposal(RepeatFinder& finder, std::uint32_t count, Stream stream) {
  for (std::uint32_t i = 0; i < count; ++i) {
    finder.note(signature(stream(i)));
    if (const std::uint32_t length = finder.propose()) return {i + 1, length};
  }
  return {};
}

TEST(RepeatFinder, ProposesAPeriodThatCameTwice) {
  for (const std::uint32_t period : {16u, 40u, 100u, 1000u, 8000u}) {
    RepeatFinder finder;
    const Proposed found = first_proposal(finder, 4 * period, [&](std::uint32_t i) { return i % period; });
    EXPECT_EQ(found.length, period);
    EXPECT_GE(found.at, 2 * period);
    EXPECT_LE(found.at, 3 * period) << period;
  }
}

TEST(RepeatFinder, TakesShortPeriodsTogether) {
  for (const std::uint32_t period : {1u, 2u, 3u, 7u, 15u}) {
    RepeatFinder finder;
    const Proposed found = first_proposal(finder, 300, [&](std::uint32_t i) { return i % period; });
    EXPECT_EQ(found.length % period, 0u) << period;
    EXPECT_GE(found.length, RepeatFinder::usual_section);
    EXPECT_LT(found.length, RepeatFinder::usual_section + period);
  }
}

TEST(RepeatFinder, TakesMoreTogetherWhereSectionsAreOverQuickly) {
  for (const std::uint32_t period : {1u, 3u, 40u, 1000u}) {
    RepeatFinder finder;
    std::uint32_t i = 0;
    const auto next_length = [&] {
      finder.note(signature(i++ % period));
      return finder.propose();
    };
    while (next_length() == 0) {
    }
    const std::uint32_t usual = next_length();
    for (int section = 0; section < 16; ++section) {
      EXPECT_EQ(next_length(), usual) << period;
      finder.succeeded(period, true);
    }
    const std::uint32_t length = next_length();
    EXPECT_EQ(length % period, 0u) << period;
    EXPECT_GE(length, RepeatFinder::long_section);
    EXPECT_LT(length, RepeatFinder::long_section + period);
    finder.succeeded(period, false);
    EXPECT_EQ(next_length(), usual) << period;
  }
}

TEST(RepeatFinder, ProposesNothingWhereNothingRepeats) {
  RepeatFinder finder;
  std::uint64_t state = 1;
  const Proposed found = first_proposal(finder, 200000, [&](std::uint32_t) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 40);
  });
  EXPECT_EQ(found.length, 0u);
}

TEST(RepeatFinder, FindsTheLoopAroundALoop) {
  // Twenty times the same two, and then something else.
  RepeatFinder finder;
  std::uint32_t longest = 0;
  for (std::uint32_t i = 0; i < 43 * 40; ++i) {
    const std::uint32_t place = i % 43;
    finder.note(signature(place < 40 ? place % 2 : place));
    const std::uint32_t length = finder.propose();
    // What is held for the pair is left at the end of the inner loop.
    if (length > 0 && finder.period() == 2 && place > 40 - length % 40) finder.failed(2);
    longest = std::max(longest, finder.period());
  }
  EXPECT_EQ(longest, 43u);
}

TEST(RepeatFinder, ASectionLiesBetweenBreaks) {
  RepeatFinder finder;
  std::uint32_t proposals = 0;
  for (std::uint32_t round = 0; round < 10; ++round) {
    for (std::uint32_t i = 0; i < 50; ++i) {
      finder.note(signature(i));
      EXPECT_EQ(finder.propose(), 0u) << "not right behind a break";
    }
    finder.note_break(1);
    finder.note_break(1);  // several are one
    if (finder.propose() == 0) continue;
    EXPECT_EQ(finder.propose(), 50u);
    ++proposals;
  }
  EXPECT_GE(proposals, 6u);
}

TEST(RepeatFinder, APeriodThatFailsIsLeftAloneLongerEachTime) {
  RepeatFinder finder;
  std::uint32_t before = 0;
  for (int time = 0; time < 4; ++time) {
    const Proposed found = first_proposal(finder, 100000, [](std::uint32_t i) { return i % 50; });
    ASSERT_GT(found.length, 0u);
    EXPECT_GT(found.at, before);
    before = time == 0 ? 0 : found.at;
    finder.failed(finder.period());
  }
}

}  // namespace
}  // namespace stretto
