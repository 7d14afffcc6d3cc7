#include "trace/event_text.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stretto::trace {
namespace {

std::string quoted(std::string_view text) {
  std::string result;
  append_quoted(result, text);
  return result;
}

std::string microseconds(std::int64_t nanoseconds) {
  std::string result;
  append_microseconds(result, nanoseconds);
  return result;
}

TEST(EventText, EscapesWhatJsonDoes) {
  EXPECT_EQ(quoted(""), "\"\"");
  EXPECT_EQ(quoted("a\"b\\c/\n\x01\x7f"), R"("a\"b\\c/\u000a\u0001\u007f")");
  EXPECT_EQ(quoted(std::string_view("a\0b", 3)), R"("a\u0000b")");
}

TEST(EventText, KeepsUtf8AndNothingElse) {
  for (const char* good :
       {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8e\xb5", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(quoted(good), std::string("\"") + good + "\"");
  const std::string unknown = "\xef\xbf\xbd";
  EXPECT_EQ(quoted("\xff"), "\"" + unknown + "\"");
  // Cut off; a continuation alone; too long for what it says; half of a pair; beyond the last character.
  EXPECT_EQ(quoted("\xe2\x82"), "\"" + unknown + unknown + "\"");
  EXPECT_EQ(quoted("\x80z"), "\"" + unknown + "z\"");
  EXPECT_EQ(quoted("\xc0\x80"), "\"" + unknown + unknown + "\"");
  EXPECT_EQ(quoted("\xe0\x80\x80"), "\"" + unknown + unknown + unknown + "\"");
  EXPECT_EQ(quoted("\xed\xa0\x80"), "\"" + unknown + unknown + unknown + "\"");
  EXPECT_EQ(quoted("\xf4\x90\x80\x80"), "\"" + unknown + unknown + unknown + unknown + "\"");
}

TEST(EventText, WritesNumbersOfEveryLength) {
  std::vector<std::uint64_t> numbers{0, 1, std::numeric_limits<std::uint64_t>::max()};
  for (std::uint64_t power = 10, i = 1; i < 20; ++i, power *= 10)
    for (const std::uint64_t number : {power - 1, power, power + 7}) numbers.push_back(number);
  for (int bit = 0; bit < 64; ++bit)
    for (const std::uint64_t number : {(std::uint64_t{1} << bit) - 1, std::uint64_t{1} << bit})
      numbers.push_back(number);
  for (const std::uint64_t number : numbers) {
    std::string result = "at ";
    append_number(result, number);
    EXPECT_EQ(result, "at " + std::to_string(number));
  }
}

TEST(EventText, WritesNanosecondsAsMicroseconds) {
  EXPECT_EQ(microseconds(0), "0.000");
  EXPECT_EQ(microseconds(7), "0.007");
  EXPECT_EQ(microseconds(1234567), "1234.567");
  EXPECT_EQ(microseconds(-5), "0.000");
  // A double would have lost the last digits.
  EXPECT_EQ(microseconds(9'007'199'254'740'993), "9007199254740.993");
}

}  // namespace
}  // namespace stretto::trace
