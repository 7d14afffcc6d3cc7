#include "ops/failures.h"

namespace stretto {
namespace {

TEST(Failures, NegativePowersOfIntegers) {
  expect_failure<UsageError>(
      [] { pow(integers(), -1); },
      "[pow] integers cannot be raised to the negative power -1: convert to a floating type first");
  EXPECT_EQ(pow(integers(), -1.0).dtype(), DType::float32);
}

TEST(Failures, ValuesAreRefusedWhenTheyAreRead) {
  const Tensor five = ones({5});
  const auto index = [](std::int64_t value) { return full({1}, value); };
  expect_failure<IndexError>(
      [&] { index_select(five, 0, index(7)).wait(); },
      "[index_select] index 7 is out of range for axis 0 with extent 5, with (5,) float32, (1,) int64");
  expect_failure<IndexError>(
      [&] { gather(five, 0, index(-1)).wait(); },
      "[gather] index -1 is out of range for axis 0 with extent 5, with (5,) float32, (1,) int64");
  expect_failure<IndexError>(
      [&] { index_add(five, 0, index(5), ones({1})).wait(); },
      "[index_add] index 5 is out of range for axis 0 with extent 5, with (1,) int64, (1,) float32");
  expect_failure<IndexError>([&] { one_hot(index(3), 3).wait(); },
                             "[one_hot] index 3 is out of range for 3 classes, with (1,) int64");
  expect_failure<IndexError>(
      [&] { cross_entropy(ones({1, 3}), index(3)).wait(); },
      "[cross_entropy] label 3 of row 0 is out of range for 3 classes, with (1,3) float32, (1,) int64");
  expect_failure<UsageError>([&] { floor_divide(integers(), 0).wait(); },
                             "[floor_divide] integer division by zero, with (2,3) int64, a number");
  expect_failure<UsageError>([&] { (integers() % zeros_like(integers())).wait(); },
                             "[remainder] integer division by zero, with (2,3) int64, (2,3) int64");
  expect_failure<UsageError>(
      [&] { pow(integers(), full_like(integers(), -1)).wait(); },
      "[pow] an integer cannot be raised to a negative power: convert to a floating dtype first, with (2,3) "
      "int64, (2,3) int64");
  // What depends on it fails with it, and names the operator that failed.
  expect_failure<IndexError>(
      [&] { (index_select(five, 0, index(9)) + 1).item<float>(); },
      "[index_select] index 9 is out of range for axis 0 with extent 5, with (5,) float32, (1,) int64");
  // The reading by allclose does not take the failure over.
  expect_failure<IndexError>(
      [&] { allclose(index_select(five, 0, index(9)), 1); },
      "[index_select] index 9 is out of range for axis 0 with extent 5, with (5,) float32, (1,) int64");
}

}  // namespace
}  // namespace stretto
