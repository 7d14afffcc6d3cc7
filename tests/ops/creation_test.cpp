#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include "ops/values.h"

namespace stretto {
namespace {

template <Element T>
void expect_elements(const Tensor& tensor, const Shape& shape, const std::vector<T>& elements) {
  EXPECT_EQ(to_string(tensor.shape()), to_string(shape));
  ASSERT_EQ(name(tensor.dtype()), name(dtype_of<T>()));
  EXPECT_EQ(tensor.to_vector<T>(), elements);
}

TEST(Creation, FillsWithOneValue) {
  expect_elements<float>(zeros({2, 2}), {2, 2}, {0, 0, 0, 0});
  expect_elements<bool>(ones({3}, cpu(), DType::bool_), {3}, {true, true, true});
  expect_elements<float>(full({2}, 2.5), {2}, {2.5f, 2.5f});
  expect_elements<std::int64_t>(full({}, 7), {}, {7});
  expect_elements<bool>(full({1}, true), {1}, {true});
  expect_elements<std::int32_t>(full({1}, 2.9, cpu(), DType::int32), {1}, {2});
  expect_elements<float>(zeros({0, 3}), {0, 3}, {});
  EXPECT_EQ(ones({2}, sim()).device(), sim());
}

TEST(Creation, CountsUpAndDown) {
  expect_elements<std::int64_t>(arange(4), {4}, {0, 1, 2, 3});
  expect_elements<std::int64_t>(arange(0), {0}, {});
  expect_elements<std::int64_t>(arange(1, 8, 3), {3}, {1, 4, 7});
  expect_elements<std::int64_t>(arange(7, 0, -3), {3}, {7, 4, 1});
  expect_elements<float>(arange(2.5), {3}, {0, 1, 2});
  expect_elements<float>(arange(0, 1, 0.25), {4}, {0, 0.25f, 0.5f, 0.75f});
  expect_elements<double>(arange(3, cpu(), DType::float64), {3}, {0, 1, 2});
  expect_elements<std::uint8_t>(arange(254, 256, 1, cpu(), DType::uint8), {2}, {254, 255});
  constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
  expect_elements<std::int64_t>(arange(large - 2, large), {2}, {large - 2, large - 1});
  expect_elements<std::int64_t>(arange(-large, large, large), {2}, {-large, 0});
}

TEST(Creation, MeetsBothEnds) {
  expect_elements<float>(linspace(0, 1, 5), {5}, {0, 0.25f, 0.5f, 0.75f, 1});
  expect_elements<double>(linspace(1, -1, 3, cpu(), DType::float64), {3}, {1, 0, -1});
  expect_elements<float>(linspace(3, 9, 1), {1}, {3});
  expect_elements<float>(linspace(0, 1, 0), {0}, {});
  EXPECT_EQ(linspace(0.1, 0.7, 1001, cpu(), DType::float64)[1000].item<double>(), 0.7);
}

TEST(Creation, MakesDiagonals) {
  expect_elements<float>(eye(2), {2, 2}, {1, 0, 0, 1});
  expect_elements<std::int64_t>(eye(2, 3, cpu(), DType::int64), {2, 3}, {1, 0, 0, 0, 1, 0});
  expect_elements<bool>(eye(3, 1, cpu(), DType::bool_), {3, 1}, {true, false, false});
  expect_elements<float>(eye(0), {0, 0}, {});
}

TEST(Creation, IsLikeAnother) {
  const Tensor x = zeros({3, 2}, sim(), DType::float16).t();
  for (const Tensor& y :
       {zeros_like(x), ones_like(x), full_like(x, 2), empty_like(x), uniform_like(x), normal_like(x)}) {
    EXPECT_EQ(to_string(y.shape()), "(2,3)");
    EXPECT_EQ(y.dtype(), DType::float16);
    EXPECT_EQ(y.device(), sim());
    EXPECT_TRUE(y.is_contiguous());
  }
  expect_elements<std::int32_t>(full_like(zeros({2}), 3, DType::int32), {2}, {3, 3});
  expect_elements<double>(ones_like(zeros({2}, cpu(), DType::bool_), DType::float64), {2}, {1, 1});
}

TEST(Creation, TakesTheDefaultDevice) {
  set_default_device(sim());
  const Tensor x = ones({2});
  const Tensor y = uniform({2});
  set_default_device(cpu());
  EXPECT_EQ(x.device(), sim());
  EXPECT_EQ(y.device(), sim());
}

TEST(Random, DependsOnTheSeedAndTheNumberOfTheDrawAlone) {
  manual_seed(5);
  const auto first = uniform({100}).to_vector<float>();
  const auto second = uniform({100}).to_vector<float>();
  EXPECT_NE(first, second);
  manual_seed(5);
  EXPECT_EQ(uniform({100}, sim()).to_vector<float>(), first);
  EXPECT_EQ(uniform({4, 25}).to_vector<float>(), second);

  Generator one(9), other(9);
  EXPECT_EQ(normal(one, 0, 1, {50}).to_vector<float>(), normal(other, 0, 1, {50}, sim()).to_vector<float>());
  EXPECT_EQ(randint(one, 0, 99, {50}).to_vector<std::int64_t>(), randint(other, 0, 99, {50}).to_vector<std::int64_t>());
  EXPECT_EQ(uniform(one, 2, 3, {50}).to_vector<float>(), uniform(other, 2, 3, {50}).to_vector<float>());
}

TEST(Random, ARefusedCallDrawsNothing) {
  Generator one(9), other(9);
  EXPECT_THROW(randint(one, 3, 3, {50}), UsageError);
  EXPECT_THROW(uniform(one, 0, 1, {50}, Device(DeviceKind::sim, 9)), DeviceError);
  EXPECT_EQ(uniform(one, 0, 1, {50}).to_vector<float>(), uniform(other, 0, 1, {50}).to_vector<float>());
}

TEST(Random, HasItsDistribution) {
  Generator generator(1);
  constexpr std::int64_t count = 200000;
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const Values even = read_values(uniform(generator, -1, 3, {count}, cpu(), dtype));
    double sum = 0;
    for (const double x : even.numbers) {
      ASSERT_GE(x, -1);
      ASSERT_LT(x, 3);
      sum += x;
    }
    EXPECT_NEAR(sum / count, 1, 0.02) << name(dtype);

    const Values bell = read_values(normal(generator, 2, 0.5, {count}, cpu(), dtype));
    double mean = 0, squares = 0;
    for (const double x : bell.numbers) mean += x / count;
    for (const double x : bell.numbers) squares += (x - mean) * (x - mean) / count;
    EXPECT_NEAR(mean, 2, 0.01) << name(dtype);
    EXPECT_NEAR(std::sqrt(squares), 0.5, 0.01) << name(dtype);
  }
  std::int64_t counts[6] = {};
  for (const std::int64_t x : randint(generator, -3, 3, {count}).to_vector<std::int64_t>()) {
    ASSERT_GE(x, -3);
    ASSERT_LT(x, 3);
    ++counts[x + 3];
  }
  for (const std::int64_t times : counts) EXPECT_NEAR(static_cast<double>(times), count / 6.0, 700);
}

}  // namespace
}  // namespace stretto
