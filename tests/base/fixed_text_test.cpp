#include "base/fixed_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>

namespace stretto {
namespace {

TEST(FixedText, IsMadeOfTextsAndNumbers) {
  FixedText<64> text;
  text << "byte " << std::size_t{16} << " of " << -3 << "; " << std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(text.view(), "byte 16 of -3; -9223372036854775808");
}

TEST(FixedText, LeavesOutWhatDoesNotFit) {
  FixedText<8> text;
  text << "123456" << 789 << "x";
  EXPECT_EQ(text.view(), "12345678");
}

TEST(FixedText, IsSaidOnStandardError) {
  testing::internal::CaptureStderr();
  FixedText<8> text;
  (text << "said\n").say();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "said\n");
}

}  // namespace
}  // namespace stretto
