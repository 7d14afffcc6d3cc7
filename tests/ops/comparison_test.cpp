#include <limits>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

namespace stretto {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(Comparison, OfAllElementsAtOnce) {
  const Tensor x = from_vector<float>({1, 2, nan}, {3});
  EXPECT_FALSE(equal(x, x));
  EXPECT_TRUE(equal(ones({2, 3}), ones({3, 2}).t()));
  EXPECT_FALSE(equal(ones({2}), ones({3})));
  EXPECT_FALSE(equal(ones({2}), ones({2, 1})));
  EXPECT_TRUE(equal(ones({2}), ones({2}, cpu(), DType::int64)));
  EXPECT_TRUE(equal(zeros({0}), zeros({0})));

  EXPECT_TRUE(allclose(ones({3}), full({3}, 1.000009)));
  EXPECT_FALSE(allclose(ones({3}), full({3}, 1.00003)));
  EXPECT_TRUE(allclose(ones({3}), 1));
  EXPECT_TRUE(allclose(1, ones({3})));
  EXPECT_TRUE(allclose(ones({3}), full({3}, 1.05), 0, 0.1));
  EXPECT_FALSE(allclose(x, x));
  EXPECT_TRUE(allclose(x, x, 1e-5, 1e-8, true));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const Tensor ends = from_vector<float>({infinity, -infinity}, {2});
  EXPECT_TRUE(allclose(ends, ends));
  EXPECT_FALSE(allclose(ends, -ends));
  EXPECT_FALSE(allclose(ends, zeros({2})));
  EXPECT_EQ(isclose(from_vector<float>({0, infinity, 5}, {3}), from_vector<float>({1e-9f, infinity, 6}, {3}))
                .to_vector<bool>(),
            (std::vector<bool>{true, true, false}));
  // The distance of 3 and 250 as uint8 would wrap.
  EXPECT_FALSE(allclose(full({1}, 3, cpu(), DType::uint8), full({1}, 250, cpu(), DType::uint8), 0, 10));
}

}  // namespace
}  // namespace stretto
