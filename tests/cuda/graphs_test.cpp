// Compiled functions on a GPU: what they do is launched as a CUDA graph, and does the same.

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include "base/environment.h"
#include "cuda/cell_kernels.h"
#include "cuda/cuda_programs.h"
#include "engine/engine.h"
#include "engine/launcher.h"
#include "engine/scheduler.h"

namespace stretto {
namespace {

class CudaGraphs : public CudaPrograms {
 protected:
  void SetUp() override {
    CudaPrograms::SetUp();
    if (IsSkipped()) return;
    if (environment().engine == EngineKind::serial || !environment().replay || !environment().graphs)
      GTEST_SKIP() << "nothing is launched as a graph here";
  }

  static std::uint64_t launches() {
    return Engine::get().scheduler().devices().at(gpu(0)).launcher->recorded_launches();
  }
  /// Calls until all that a call replays is launched as graphs, `graphs` of them; false where that does not come about.
  template <typename Call>
  static bool is_launched_soon(Call call, std::uint64_t graphs = 1) {
    // Kernels of passes are compiled first.
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) {
      const std::uint64_t before = launches();
      for (int i = 0; i < 5; ++i) {
        call();
        wait_all();
      }
      if (launches() - before == 5 * graphs) return true;
    }
    return false;
  }
  template <typename T>
  static std::vector<T> values(const Tensor& tensor) {
    return tensor.to_vector<T>();
  }
};

/// Two layers, trained: products of the library, which need memory of their own, reductions, labels that are checked.
struct Layers {
  Tensor weight, bias;

  explicit Layers(Device device) {
    Generator generator(5);
    weight = normal(generator, 0, 0.2, {48, 10}, device);
    bias = zeros({10}, device);
  }
  Tensor step(const Tensor& x, const Tensor& labels) const {
    const Tensor loss = cross_entropy(matmul(x, weight) + bias, labels);
    const Tensor gradient = matmul(x.transpose(0, 1), softmax(matmul(x, weight) + bias, 1));
    weight -= gradient * 0.01f;
    bias -= sum(gradient, 0) * 0.01f;
    return loss;
  }
};

TEST_F(CudaGraphs, AStepIsThatOfThePlainProgram) {
  Generator generator(3);
  const Tensor x = uniform(generator, 0, 1, {96, 48}, gpu(0));
  const Tensor labels = randint(generator, 0, 10, {96}, gpu(0));
  const Layers plain(gpu(0)), replayed(gpu(0));
  const auto compiled =
      compile([&](const Tensor& images, const Tensor& classes) { return replayed.step(images, classes); });
  Tensor loss, expected;
  EXPECT_TRUE(is_launched_soon([&] {
    loss = compiled(x, labels);
    expected = plain.step(x, labels);
  }));
  for (int i = 0; i < 200; ++i) {
    loss = compiled(x, labels);
    expected = plain.step(x, labels);
  }
  EXPECT_EQ(values<float>(loss), values<float>(expected));
  EXPECT_EQ(values<float>(replayed.weight), values<float>(plain.weight));
  EXPECT_EQ(values<float>(replayed.bias), values<float>(plain.bias));
}

TEST_F(CudaGraphs, FunctionsThatAreIndependentDoNotDisturbEachOther) {
  // All of them use memory that belongs to the streams that were captured.
  Generator generator(4);
  const Tensor factor = normal(generator, 0, 0.06, {256, 256}, gpu(0));
  std::vector<Tensor> starts;
  for (int i = 0; i < 6; ++i) starts.push_back(normal(generator, 0, 1, {256, 256}, gpu(0)));
  const auto function = [&](const Tensor& start) {
    Tensor now = start, other = start;
    for (int i = 0; i < 6; ++i) {
      now = matmul(now, factor);
      other = matmul(factor, other);
    }
    return now + other;
  };
  std::vector<std::vector<float>> expected;
  for (const Tensor& start : starts) expected.push_back(values<float>(function(start)));
  const auto first = compile(function), second = compile(function);
  EXPECT_TRUE(is_launched_soon([&] { const Tensor one = first(starts[0]), two = second(starts[1]); }, 2));
  for (int round = 0; round < 40; ++round) {
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < starts.size(); ++i) results.push_back((i % 2 == 0 ? first : second)(starts[i]));
    for (std::size_t i = 0; i < starts.size(); ++i) ASSERT_EQ(values<float>(results[i]), expected[i]) << round;
  }
}

TEST_F(CudaGraphs, WhatAKernelFindsWrongFailsItsNode) {
  const Tensor x = full({100}, 60, gpu(0), DType::int32), y = full({100}, 3, gpu(0), DType::int32);
  const auto function = [](const Tensor& a, const Tensor& b) {
    const Tensor other = a + 1;
    return std::pair(floor_divide(a, b) * 2, other * 2);
  };
  const auto compiled = compile(function);
  Tensor quotient, other;
  const auto call = [&] { std::tie(quotient, other) = compiled(x, y); };
  EXPECT_TRUE(is_launched_soon(call));
  for (int i = 0; i < 3; ++i) {
    y.narrow(0, 7, 1).fill_(0);
    call();
    std::string error;
    try {
      values<std::int32_t>(quotient);
    } catch (const Error& failure) {
      error = failure.what();
    }
    EXPECT_NE(error.find("zero"), std::string::npos) << error;
    EXPECT_NE(error.find("graphs_test.cpp"), std::string::npos) << error;
    EXPECT_EQ(values<std::int32_t>(other), std::vector<std::int32_t>(100, 122));
    y.fill_(4);
    call();
    EXPECT_EQ(values<std::int32_t>(quotient), std::vector<std::int32_t>(100, 30));
  }
}

TEST_F(CudaGraphs, ATaskThatWaitsForItsStreamIsNotRecorded) {
  const Tensor x = full({1}, 1, gpu(0), DType::int64), one = full({1}, 1, gpu(0), DType::int64);
  const auto compiled = compile([&] {
    for (int i = 0; i < 2; ++i)
      task("waits", gpu(0)).read(one).read_write(x).run([](TaskContext& context) {
        append_fold(context.cuda_stream(), reinterpret_cast<std::byte*>(context.data<std::int64_t>(1)),
                    reinterpret_cast<const std::byte*>(context.data<const std::int64_t>(0)));
        if (cudaStreamSynchronize(static_cast<cudaStream_t>(context.cuda_stream())) != cudaSuccess) {
          static_cast<void>(cudaGetLastError());
          throw Error("the stream does not take it");
        }
      });
  });
  const std::uint64_t before = launches();
  std::uint64_t expected = 1;
  for (int call = 0; call < 20; ++call) {
    compiled();
    wait_all();
    for (int i = 0; i < 2; ++i) expected = 31 * expected + 2;
  }
  EXPECT_EQ(static_cast<std::uint64_t>(x.item<std::int64_t>()), expected);
  EXPECT_EQ(launches(), before);
}

TEST_F(CudaGraphs, ATaskThatSubmitsIsNotRecorded) {
  const Tensor x = full({1}, 1, gpu(0), DType::int64), counter = full({1}, 0, gpu(0), DType::int64);
  const auto compiled = compile([&] {
    for (int i = 0; i < 2; ++i) task("submits", gpu(0)).read_write(x).run([counter](TaskContext&) { counter += 1; });
  });
  const std::uint64_t before = launches();
  for (int call = 0; call < 20; ++call) compiled();
  wait_all();
  EXPECT_EQ(counter.item<std::int64_t>(), 40);
  EXPECT_EQ(launches(), before);
}

TEST_F(CudaGraphs, TasksThatLaunchAreRecorded) {
  const Tensor x = full({1}, 1, gpu(0), DType::int64), one = full({1}, 1, gpu(0), DType::int64);
  const auto compiled = compile([&] {
    for (int i = 0; i < 20; ++i)
      task("folds", gpu(0)).read(one).read_write(x).run([](TaskContext& context) {
        append_fold(context.cuda_stream(), reinterpret_cast<std::byte*>(context.data<std::int64_t>(1)),
                    reinterpret_cast<const std::byte*>(context.data<const std::int64_t>(0)));
      });
  });
  int calls = 0;
  EXPECT_TRUE(is_launched_soon([&] {
    compiled();
    ++calls;
  }));
  std::uint64_t expected = 1;
  for (int i = 0; i < 20 * calls; ++i) expected = 31 * expected + 2;
  EXPECT_EQ(static_cast<std::uint64_t>(x.item<std::int64_t>()), expected);
}

}  // namespace
}  // namespace stretto
