// Whole programs on CUDA devices: copies in every direction, memory that is used again, and failures found on the
// device.

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

namespace stretto {
namespace {

class CudaPrograms : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count(DeviceKind::cuda) == 0) GTEST_SKIP() << "no CUDA device here";
  }
  static Device last_gpu() { return gpu(device_count(DeviceKind::cuda) - 1); }
};

std::vector<std::int32_t> counted(std::int64_t count) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

TEST_F(CudaPrograms, WhatGoesToADeviceComesBack) {
  // Around the size of a staging chunk, and many of them.
  for (const std::int64_t count : {1L, 1000L, (1L << 20) - 1, 1L << 20, (1L << 20) + 1, 11L << 20}) {
    const std::vector<std::int32_t> numbers = counted(count);
    const Tensor there = from_host(numbers.data(), {count}, gpu(0));
    EXPECT_EQ(there.to_vector<std::int32_t>(), numbers) << count;
  }
}

TEST_F(CudaPrograms, DevicesPassTensorsOn) {
  const std::vector<std::int32_t> numbers = counted(3L << 20);
  const Tensor first = from_host(numbers.data(), {3L << 20}, gpu(0));
  const Tensor second = (first + 1).to(last_gpu());
  const Tensor third = (second * 2).to(cpu()).to(gpu(0)).to(cpu());
  std::vector<std::int32_t> expected = numbers;
  for (std::int32_t& number : expected) number = 2 * (number + 1);
  EXPECT_EQ(third.to_vector<std::int32_t>(), expected);
}

TEST_F(CudaPrograms, WhatIsCopiedMayBeOverwrittenAtOnce) {
  constexpr std::int64_t count = 3L << 20;
  std::vector<Tensor> copies;
  for (int round = 0; round < 20; ++round) {
    const Tensor host = full({count}, round, cpu(), DType::int32);
    const Tensor there = host.to(gpu(0));
    host.fill_(-1);
    copies.push_back(there.to(cpu()));
    there.fill_(-2);
  }
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(min(copies[round]).item<std::int32_t>(), round);
    EXPECT_EQ(max(copies[round]).item<std::int32_t>(), round);
  }
}

TEST_F(CudaPrograms, TemporariesUseMemoryAgain) {
  constexpr std::int64_t count = 1L << 20;
  Tensor x = full({count}, 0, gpu(0), DType::int64);
  for (int i = 0; i < 300; ++i) x = x + 1;
  wait_all();
  const std::uint64_t before = memory_stats(gpu(0)).reserved;
  for (int i = 0; i < 1000; ++i) x = x + 1;
  EXPECT_EQ(min(x).item<std::int64_t>(), 1300);
  EXPECT_EQ(max(x).item<std::int64_t>(), 1300);
  EXPECT_LE(memory_stats(gpu(0)).reserved, 2 * before) << "a steady loop must not go on taking memory";
}

TEST_F(CudaPrograms, IndependentChainsAreEachInOrder) {
  std::vector<Tensor> chains;
  for (int i = 0; i < 16; ++i) chains.push_back(full({1000}, i, gpu(i % device_count(DeviceKind::cuda)), DType::int64));
  for (int step = 0; step < 200; ++step)
    for (Tensor& chain : chains) chain = chain * 3 + 1;
  for (int i = 0; i < 16; ++i) {
    std::uint64_t expected = static_cast<std::uint64_t>(i);
    for (int step = 0; step < 200; ++step) expected = 3 * expected + 1;
    EXPECT_EQ(chains[i].to_vector<std::int64_t>(), std::vector(1000, static_cast<std::int64_t>(expected))) << i;
  }
}

std::string failure_of(const Tensor& tensor) {
  try {
    tensor.wait();
  } catch (const Error& error) {
    return error.what();
  }
  return "no failure";
}

TEST_F(CudaPrograms, AnIndexOutOfRangeIsFoundAndPassedOn) {
  const Tensor x = arange(0, 10, 1, gpu(0), DType::float32);
  const Tensor index = from_host(std::vector<std::int64_t>{0, 9, 10, -1}.data(), {4}, gpu(0));
  const Tensor picked = index_select(x, 0, index);
  const Tensor copied = (picked + 1).to(cpu());
  const Tensor unharmed = (x + 1).to(cpu());
  EXPECT_NE(failure_of(copied).find("index 10 is out of range for axis 0 with extent 10"), std::string::npos)
      << failure_of(copied);
  EXPECT_NE(failure_of(copied).find("[index_select]"), std::string::npos) << failure_of(copied);
  EXPECT_EQ(unharmed.to_vector<float>().back(), 10);
}

TEST_F(CudaPrograms, AnIntegerDividedByZeroFails) {
  const Tensor x = full({100}, 7, gpu(0), DType::int32);
  const Tensor zeros = full({100}, 0, gpu(0), DType::int32);
  EXPECT_NE(failure_of(floor_divide(x, zeros)).find("integer division by zero"), std::string::npos);
  EXPECT_NE(failure_of(remainder(x, 0)).find("integer division by zero"), std::string::npos);
  EXPECT_EQ(floor_divide(x, 2).to_vector<std::int32_t>()[0], 3);
}

TEST_F(CudaPrograms, RandomNumbersAreThoseOfTheCpu) {
  const Shape shape{1001, 17};
  const auto drawn = [&](Device device) {
    Generator generator(7);
    return std::vector{uniform(generator, -1, 3, shape, device).to(cpu()),
                       normal(generator, 1, 2, shape, device).to(cpu()),
                       randint(generator, -5, 1000, shape, device).to(cpu())};
  };
  const std::vector<Tensor> here = drawn(cpu()), there = drawn(gpu(0));
  EXPECT_EQ(here[0].to_vector<float>(), there[0].to_vector<float>());
  // Logarithms and cosines in double may differ in the last bit, of which a rounding to float seldom shows anything.
  EXPECT_LT(max(abs(here[1] - there[1])).item<float>(), 1e-6f);
  EXPECT_EQ(here[2].to_vector<std::int64_t>(), there[2].to_vector<std::int64_t>());
}

TEST_F(CudaPrograms, MoreMemoryThanThereIsIsRefused) {
  EXPECT_THROW(static_cast<void>(empty({std::int64_t{1} << 45}, gpu(0))), OutOfMemoryError);
  EXPECT_EQ(full({4}, 3.0, gpu(0)).to_vector<float>(), std::vector<float>(4, 3));
}

}  // namespace
}  // namespace stretto
