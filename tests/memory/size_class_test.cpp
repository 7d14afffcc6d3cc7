#include "memory/size_class.h"

#include <gtest/gtest.h>

namespace stretto {
namespace {

TEST(SizeClass, IsTheSmallestThatHoldsTheBytes) {
  std::size_t previous_bytes = 0;
  for (std::size_t size_class = 0; size_class < 300; ++size_class) {
    const std::size_t bytes = size_class_bytes(size_class);
    ASSERT_GT(bytes, previous_bytes) << size_class;
    ASSERT_EQ(bytes % block_alignment, 0U) << size_class;
    ASSERT_EQ(size_class_of(bytes), size_class) << bytes;
    ASSERT_EQ(size_class_of(previous_bytes + 1), size_class) << previous_bytes + 1;
    previous_bytes = bytes;
  }
}

TEST(SizeClass, WastesAtMostAnEighth) {
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 30); bytes += 1 + bytes / 1000) {
    const std::size_t waste = size_class_bytes(size_class_of(bytes)) - bytes;
    ASSERT_TRUE(waste < block_alignment || waste * 8 <= bytes) << bytes << " bytes waste " << waste;
  }
}

TEST(SizeClass, NoBytesTakeTheSmallestClass) {
  EXPECT_EQ(size_class_of(0), 0U);
  EXPECT_EQ(size_class_bytes(0), block_alignment);
}

}  // namespace
}  // namespace stretto
