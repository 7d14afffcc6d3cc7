// Small inputs that have hurt people, each for its whole kind.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include "ops/values.h"

namespace stretto {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Leaves NaN in the memory that the next tensors of up to this size get.
void poison_memory(Device device) {
  for (const std::int64_t count : {1, 4, 16, 64, 256}) full({count}, nan, device).wait();
}

class OnEveryDevice : public testing::TestWithParam<DeviceKind> {
 protected:
  Device device() const { return Device(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Devices, OnEveryDevice, testing::Values(DeviceKind::cpu, DeviceKind::sim),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(OnEveryDevice, ProductsWithoutTermsAreZero) {
  poison_memory(device());
  const Tensor batch = matmul(zeros({3, 2, 0}, device()), zeros({3, 0, 3}, device()));
  EXPECT_EQ(to_string(batch.shape()), "(3,2,3)");
  EXPECT_EQ(batch.to_vector<float>(), std::vector<float>(18, 0));
  const Tensor c = from_vector<float>({1, 2, 3, 4}, {2, 2}, device());
  poison_memory(device());
  EXPECT_EQ(addmm(c, zeros({2, 0}, device()), zeros({0, 2}, device()), 3).to_vector<float>(),
            (std::vector<float>{3, 6, 9, 12}));
  EXPECT_EQ(to_string(matmul(zeros({3, 0, 0}, device()), zeros({0, 0}, device())).shape()), "(3,0,0)");
  // With beta 0 what was in c does not matter.
  const Tensor unknown = full({2, 2}, nan, device());
  EXPECT_EQ(addmm(unknown, eye(2, device()), eye(2, device()), 0).to_vector<float>(), (std::vector<float>{1, 0, 0, 1}));
}

TEST_P(OnEveryDevice, ProductsTakeAnyStrides) {
  const Tensor column_major = from_vector<float>({1, 4, 2, 5, 3, 6}, {3, 2}, device()).t();
  const Tensor b = from_vector<float>({1, 2, 3, 4, 5, 6}, {3, 2}, device());
  const std::vector<float> expected = {22, 28, 49, 64};
  EXPECT_EQ(matmul(column_major, b).to_vector<float>(), expected);
  const auto flip = [](const Tensor& x, int axis) { return x.slice(axis, std::nullopt, std::nullopt, -1); };
  const Tensor flipped_a = flip(from_vector<float>({3, 2, 1, 6, 5, 4}, {2, 3}, device()), 1);
  const Tensor flipped_b = flip(from_vector<float>({5, 6, 3, 4, 1, 2}, {3, 2}, device()), 0);
  EXPECT_EQ(matmul(flipped_a, flipped_b).to_vector<float>(), expected);
  const Tensor both = flip(from_vector<float>({5, 3, 1, 6, 4, 2}, {2, 3}, device()).t(), 0);
  EXPECT_EQ(matmul(column_major, both).to_vector<float>(), expected);
}

TEST_P(OnEveryDevice, NanIsKept) {
  const Tensor x = from_vector<float>({nan, -1, 2}, {3}, device());
  const std::vector<float> kept = relu(x).to_vector<float>();
  EXPECT_TRUE(std::isnan(kept[0]));
  EXPECT_EQ(kept[1], 0);
  EXPECT_EQ(kept[2], 2);
  EXPECT_TRUE(std::isnan(max(from_vector<float>({1, nan, 3}, {3}, device())).item<float>()));
  EXPECT_TRUE(std::isnan(clamp(x, -1, 1)[0].item<float>()));
  for (std::int64_t position = 0; position < 17; ++position) {
    const Tensor row = ones({17}, device());
    row[position] = nan;
    EXPECT_TRUE(std::isnan(max(row).item<float>())) << position;
    EXPECT_TRUE(std::isnan(min(row).item<float>())) << position;
    EXPECT_TRUE(std::isnan(sum(row).item<float>())) << position;
    EXPECT_EQ(argmax(row).item<std::int64_t>(), position);
    EXPECT_TRUE(std::isnan(relu(row)[position].item<float>())) << position;
    EXPECT_TRUE(std::isnan(clamp(row, 0, 2)[position].item<float>())) << position;
    EXPECT_TRUE(std::isnan(maximum(row, 0)[position].item<float>())) << position;
    EXPECT_EQ(sum(isnan(row)).item<std::int64_t>(), 1);
  }
}

TEST(Cases, LongSumsAreExact) {
  const Tensor x = ones({std::int64_t{1} << 25, 2});
  EXPECT_EQ(sum(x, 0).to_vector<float>(), (std::vector<float>{33554432, 33554432}));
  EXPECT_EQ(mean(x, 0).to_vector<float>(), (std::vector<float>{1, 1}));
}

/// Adam on many small parameters, as a person writes it: every value is that of the same statements one at a time, in
/// plain C++ with the same order of operations. CTest runs this with many workers, one and random delays.
TEST(Cases, ManySmallParametersUnderAdam) {
  constexpr int parameters = 64, steps = 20;
  constexpr float rate = 1e-2f, beta1 = 0.875f, beta2 = 0.984375f, tiny = 1e-8f;
  Generator generator(3);
  std::vector<Tensor> values, firsts, seconds;
  std::vector<std::vector<float>> expected, first_moments, second_moments;
  for (int i = 0; i < parameters; ++i) {
    const Shape shape{1 + i % 7, 1 + i % 3};
    values.push_back(uniform(generator, -1, 1, shape));
    firsts.push_back(zeros(shape));
    seconds.push_back(zeros(shape));
    expected.push_back(values.back().to_vector<float>());
    first_moments.emplace_back(expected.back().size(), 0.0f);
    second_moments.emplace_back(expected.back().size(), 0.0f);
  }
  float power1 = 1, power2 = 1;
  for (int step = 0; step < steps; ++step) {
    power1 *= beta1;
    power2 *= beta2;
    for (int i = 0; i < parameters; ++i) {
      const Tensor gradient = values[i] * 2 + 1;  // of x^2 + x
      firsts[i] = firsts[i] * beta1 + gradient * (1 - beta1);
      seconds[i] = seconds[i] * beta2 + square(gradient) * (1 - beta2);
      const Tensor first = firsts[i] / (1 - power1);
      const Tensor second = seconds[i] / (1 - power2);
      values[i] -= first * rate / (sqrt(second) + tiny);
    }
    for (int i = 0; i < parameters; ++i) {
      for (std::size_t k = 0; k < expected[i].size(); ++k) {
        const float gradient = expected[i][k] * 2 + 1;
        float& m = first_moments[i][k];
        float& v = second_moments[i][k];
        m = m * beta1 + gradient * (1 - beta1);
        v = v * beta2 + gradient * gradient * (1 - beta2);
        expected[i][k] -= m / (1 - power1) * rate / (std::sqrt(v / (1 - power2)) + tiny);
      }
    }
  }
  for (int i = 0; i < parameters; ++i) EXPECT_EQ(values[i].to_vector<float>(), expected[i]) << "parameter " << i;
}

TEST(Cases, TinyAdditionsInBulk) {
  Tensor z = zeros({1});
  for (int i = 0; i < 10000; ++i) z = z + 1;
  EXPECT_EQ(z.item<float>(), 10000);
}

TEST(Cases, PiecesAreViews) {
  const Tensor x = arange(10);
  const std::vector<Tensor> parts = split(x, 4);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[2].to_vector<std::int64_t>(), (std::vector<std::int64_t>{8, 9}));
  EXPECT_TRUE(parts[1].shares_storage(x));
  parts[1].fill_(0);
  EXPECT_EQ(x.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2, 3, 0, 0, 0, 0, 8, 9}));

  const std::vector<Tensor> sized = split_with_sizes(arange(6).reshape({2, 3}), {1, 0, 2}, -1);
  ASSERT_EQ(sized.size(), 3u);
  EXPECT_EQ(sized[0].to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(to_string(sized[1].shape()), "(2,0)");
  EXPECT_EQ(sized[2].to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 2, 4, 5}));

  EXPECT_EQ(chunk(arange(10), 4).size(), 4u);
  EXPECT_EQ(chunk(arange(10), 4)[3].numel(), 1);
  EXPECT_EQ(chunk(arange(5), 4).size(), 3u);
  EXPECT_EQ(chunk(zeros({0, 2}), 3).size(), 3u);
  EXPECT_EQ(split(zeros({0, 2}), 3).size(), 1u);
}

TEST(Cases, JoinsManyAndOne) {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 20; ++i) tensors.push_back(full({1, 2}, i));
  const Tensor x = concat(tensors);
  EXPECT_EQ(to_string(x.shape()), "(20,2)");
  EXPECT_EQ(x[19][1].item<int>(), 19);
  const Tensor one = concat({x});
  EXPECT_FALSE(one.shares_storage(x));
  EXPECT_TRUE(equal(one, x));
  EXPECT_EQ(to_string(stack({full({}, 1), full({}, 2)}).shape()), "(2,)");
}

TEST(Cases, EqualAndClose) {
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
