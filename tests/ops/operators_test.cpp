// The C++ operators of tensors: each is the function of its name, and is one more call with a line of its own.

#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include "ops/values.h"

namespace stretto {
namespace {

void expect_same(const Tensor& by_operator, const Tensor& by_function) {
  EXPECT_EQ(name(by_operator.dtype()), name(by_function.dtype()));
  EXPECT_EQ(to_string(by_operator.shape()), to_string(by_function.shape()));
  EXPECT_EQ(read_bytes(by_operator), read_bytes(by_function));
}

TEST(Operators, AreTheFunctionsOfTheirNames) {
  const Tensor x = from_vector<float>({-7, -1, 0, 2, 5}, {5});
  const Tensor y = from_vector<float>({3, -1, 2, -2, 5}, {5});
  expect_same(x + y, add(x, y));
  expect_same(x - y, sub(x, y));
  expect_same(x * y, mul(x, y));
  expect_same(x / y, div(x, y));
  expect_same(x % y, remainder(x, y));
  expect_same(x == y, eq(x, y));
  expect_same(x != y, ne(x, y));
  expect_same(x < y, lt(x, y));
  expect_same(x <= y, le(x, y));
  expect_same(x > y, gt(x, y));
  expect_same(x >= y, ge(x, y));
  expect_same(-x, neg(x));
  expect_same(!x, logical_not(x));
  const Tensor i = arange(6), j = arange(6, 0, -1);
  expect_same(i & j, bitwise_and(i, j));
  expect_same(i | j, bitwise_or(i, j));
  expect_same(i ^ j, bitwise_xor(i, j));
  expect_same(~i, bitwise_not(i));
}

TEST(Operators, TakeNumbersOnEitherSide) {
  const Tensor x = from_vector<float>({1, 2, 4}, {3});
  EXPECT_EQ((1 - x).to_vector<float>(), (std::vector<float>{0, -1, -3}));
  EXPECT_EQ((x - 1).to_vector<float>(), (std::vector<float>{0, 1, 3}));
  EXPECT_EQ((8 / x).to_vector<float>(), (std::vector<float>{8, 4, 2}));
  EXPECT_EQ((2 < x).to_vector<bool>(), (std::vector<bool>{false, false, true}));
  EXPECT_EQ((x == 2.0).to_vector<bool>(), (std::vector<bool>{false, true, false}));
  EXPECT_EQ((x[1] * 3 + x.slice(0, 0, 2)).to_vector<float>(), (std::vector<float>{7, 8}));
  EXPECT_EQ((x + Float16(2.0f)).to_vector<float>(), (std::vector<float>{3, 4, 6}));
}

/// Comparing 16-bit floats still means comparing numbers.
TEST(Operators, AreFoundForTensorsAlone) {
  EXPECT_TRUE(Float16(1.0f) == Float16(1.0f));
  EXPECT_TRUE(Float16(1.0f) + Float16(2.0f) == 3.0f);
  EXPECT_TRUE(BFloat16(1.0f) < BFloat16(2.0f));
}

void expect_line(const std::function<void()>& call, std::uint32_t line) {
  try {
    call();
    FAIL() << "nothing is thrown";
  } catch (const ShapeError& error) {
    EXPECT_EQ(error.site().line, line) << error.what();
    EXPECT_NE(std::string(error.site().file).find("operators_test.cpp"), std::string::npos) << error.what();
  }
}

TEST(Operators, NameTheLineTheyStandIn) {
  const Tensor x = ones({2}), y = ones({3});
  std::uint32_t line = __LINE__ + 1;
  expect_line([&] { x + y; }, line);
  line = __LINE__ + 1;
  expect_line([&] { x* y + 1; }, line);
  line = __LINE__ + 1;
  expect_line([&] { x == y; }, line);
  line = __LINE__ + 1;
  expect_line([&] { matmul(x, y); }, line);
}

}  // namespace
}  // namespace stretto
