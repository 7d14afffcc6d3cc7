#include "backend/timing_choice.h"

#include <memory>

#include <gtest/gtest.h>

namespace stretto {
namespace {

constexpr const char* short_name = "short";
constexpr const char* long_name = "a long one";

TEST(TimingChoice, TimesWhatNothingIsKnownOf) {
  const auto choice = std::make_unique<TimingChoice>();
  for (std::int64_t now = 1; now < 1000; ++now) EXPECT_TRUE(choice->wants(short_name, now));
}

TEST(TimingChoice, TimesOneInAWhileOfWhatIsShort) {
  const auto choice = std::make_unique<TimingChoice>();
  choice->learn(short_name, 800);
  int timed = 0;
  for (std::int64_t now = 1'000'000; now < 3'000'000; now += 4000) timed += choice->wants(short_name, now) ? 1 : 0;
  EXPECT_GE(timed, 15);
  EXPECT_LE(timed, 25);
}

TEST(TimingChoice, TimesAllOfWhatIsLong) {
  const auto choice = std::make_unique<TimingChoice>();
  choice->learn(short_name, 800);
  choice->learn(long_name, 40'000);
  EXPECT_TRUE(choice->wants(short_name, 1'000'000));
  for (std::int64_t now = 1'000'000; now < 1'100'000; now += 4000) {
    EXPECT_TRUE(choice->wants(long_name, now));
    EXPECT_FALSE(choice->wants(short_name, now + 1)) << "just after another was timed";
  }
}

TEST(TimingChoice, GoesByTheMeanOfTheLast) {
  const auto choice = std::make_unique<TimingChoice>();
  for (int i = 0; i < 20; ++i) choice->learn(short_name, 800);
  choice->learn(short_name, 100'000);
  EXPECT_TRUE(choice->wants(short_name, 1'000'000)) << "nothing was timed for a while";
  EXPECT_FALSE(choice->wants(short_name, 1'010'000)) << "one that waited makes no long work";
  for (int i = 0; i < 20; ++i) choice->learn(short_name, 40'000);
  EXPECT_TRUE(choice->wants(short_name, 1'020'000));
  for (int i = 0; i < 40; ++i) choice->learn(short_name, 800);
  EXPECT_FALSE(choice->wants(short_name, 1'030'000)) << "it was long ago";
}

}  // namespace
}  // namespace stretto
