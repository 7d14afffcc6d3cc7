#include "base/log.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace stretto {
namespace {

TEST(LogDeathTest, WritesOneLineOfTheLevelsThatAreEnabled) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("STRETTO_LOG", "info", 1);
        log(LogLevel::info, "two\nlines");
        log(LogLevel::debug, "not this");
        std::exit(log_enabled(LogLevel::info) && !log_enabled(LogLevel::debug) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "^stretto: info: two lines\n$");
}

TEST(LogDeathTest, OffWritesNothing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("STRETTO_LOG", "off", 1);
        log(LogLevel::error, "not this");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

TEST(LogDeathTest, BadEnvironmentDoesNotSilenceWarnings) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("STRETTO_LOG", "loud", 1);
        log(LogLevel::warning, "heard");
        log(LogLevel::info, "not this");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^stretto: warning: heard\n$");
}

TEST(Log, LevelsHaveNames) {
  EXPECT_EQ(to_string(LogLevel::off), "off");
  EXPECT_EQ(to_string(LogLevel::debug), "debug");
}

}  // namespace
}  // namespace stretto
