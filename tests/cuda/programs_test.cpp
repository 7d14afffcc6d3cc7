// Whole programs on CUDA devices: copies in every direction, memory that is used again, and failures found on the
// device.

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include "cuda/cuda_programs.h"

namespace stretto {
namespace {

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

TEST_F(CudaPrograms, CopiesToTheHostUseLockedPagesAgain) {
  constexpr std::int64_t count = 1L << 20;
  const Tensor x = full({count}, 3, gpu(0), DType::int32);
  const std::size_t before = memory_stats(cpu()).live;
  for (int round = 0; round < 50; ++round) {
    const Tensor copy = (x + round).to(cpu());
    EXPECT_EQ(min(copy).item<std::int32_t>(), 3 + round);
    EXPECT_EQ(max(copy + 1).item<std::int32_t>(), 4 + round);
  }
  EXPECT_LE(memory_stats(cpu()).live, before + 8 * count * sizeof(std::int32_t));
}

TEST_F(CudaPrograms, IndexOperatorsFindWhatIsOutOfRange) {
  const auto index = [](std::vector<std::int64_t> numbers) { return from_vector(numbers, gpu(0)); };
  const Tensor x = uniform({4, 3}, gpu(0));
  const auto expect = [](const Tensor& result, const char* text) {
    EXPECT_NE(failure_of(result).find(text), std::string::npos) << failure_of(result);
  };
  expect(index_select(x, 1, index({0, 3})), "index 3 is out of range for axis 1 with extent 3");
  expect(gather(x, 0, index({0, 1, -5}).reshape({1, 3})), "index -5 is out of range for axis 0 with extent 4");
  expect(index_add(x, 0, index({4}), uniform({1, 3}, gpu(0))), "index 4 is out of range for axis 0 with extent 4");
  expect(one_hot(index({2, 7}), 5), "index 7 is out of range for 5 classes");
  expect(cross_entropy(x, index({0, 1, 2, 3})), "label 3 of row 3 is out of range for 3 classes");
  EXPECT_EQ(sum(ones({4, 3}, gpu(0))).item<float>(), 12) << "what is independent goes on";
}

TEST_F(CudaPrograms, PrecisionOfProductsIsTheOneAtTheirSubmission) {
  const Tensor x = uniform({512, 512}, gpu(0)), y = uniform({512, 512}, gpu(0));
  const Tensor exact = matmul(x.to(DType::float64), y.to(DType::float64));
  const auto error = [&](const Tensor& product) {
    return max(abs(product.to(DType::float64) - exact) / exact).item<double>();
  };
  const Tensor highest = matmul(x, y);
  set_float32_matmul_precision("high");
  const Tensor high = matmul(x, y);
  set_float32_matmul_precision("highest");
  const Tensor again = matmul(x, y);
  EXPECT_LT(error(highest), 1e-6);
  EXPECT_LT(error(high), 1e-3);
  EXPECT_GT(error(high), 1e-6);
  EXPECT_EQ(again.to_vector<float>(), highest.to_vector<float>());
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

TEST_F(CudaPrograms, AnIndexOutOfRangeIsFoundAndPassedOn) {
  const Tensor x = arange(0, 10, 1, gpu(0), DType::float32);
  const Tensor index = from_host(std::vector<std::int64_t>{0, 9, 10, -1}.data(), {4}, gpu(0));
  const Tensor picked = index_select(x, 0, index);
  const Tensor copied = (picked + 1).to(cpu());
  const Tensor unharmed = (x + 1).to(cpu());
  EXPECT_NE(failure_of(copied).find("index 10 is out of range for axis 0 with extent 10"), std::string::npos)
      << failure_of(copied);
  EXPECT_NE(failure_of(copied).find("[index_select]"), std::string::npos) << failure_of(copied);
  EXPECT_NE(failure_of(copied).find("with (10,) float32, (4,) int64 (at programs_test.cpp:"), std::string::npos)
      << failure_of(copied);
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
