// Small inputs that have hurt people, each for its whole kind: the numbers. Each test begins with its case.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

namespace stretto {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Leaves NaN in the memory that the next tensors of up to this size get.
void poison_memory(Device device) {
  for (const std::int64_t count : {1, 4, 16, 64, 256}) full({count}, nan, device).wait();
}

class OnEveryDevice : public testing::TestWithParam<DeviceKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "no GPU here";
  }
  Device device() const { return Device(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Devices, OnEveryDevice, testing::Values(DeviceKind::cpu, DeviceKind::sim, DeviceKind::cuda),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(OnEveryDevice, N1ProductsWithoutTermsAreZero) {
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

TEST_P(OnEveryDevice, N2ProductsTakeAnyStrides) {
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

TEST_P(OnEveryDevice, N3NanIsKept) {
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

TEST_P(OnEveryDevice, N6LongSumsAreExact) {
  const Tensor x = ones({std::int64_t{1} << 25, 2}, device());
  EXPECT_EQ(sum(x, 0).to_vector<float>(), (std::vector<float>{33554432, 33554432}));
  EXPECT_EQ(mean(x, 0).to_vector<float>(), (std::vector<float>{1, 1}));
}

}  // namespace
}  // namespace stretto
