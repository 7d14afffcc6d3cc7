// With STRETTO_CHECK=replay, which CTest runs these with once: compiled functions that do not do the same each time.
#include <functional>
#include <string>

#include <stretto/stretto.h>

#include "ops/compiled.h"
#include "tensor/testing.h"

namespace stretto {
namespace {

class CompileCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (!environment().check_replay) GTEST_SKIP() << "only with STRETTO_CHECK=replay";
  }

  /// What a call throws, from behind "this call ", and up to the line where it was compiled.
  template <typename Call>
  static std::string difference(Call call) {
    try {
      call();
    } catch (const UsageError& error) {
      const std::string message = error.what();
      const std::string begin = "[compile] this call ", end = ": C++ values";
      EXPECT_EQ(message.substr(0, begin.size()), begin);
      EXPECT_NE(message.find(end), std::string::npos) << message;
      return message.substr(begin.size(), message.find(end) - begin.size());
    }
    return "nothing";
  }
  static std::string at(int line) { return " at compile_check_test.cpp:" + std::to_string(line); }
};

TEST_F(CompileCheck, WhatDoesTheSameIsRunEachTime) {
  int runs = 0;
  const Tensor weight = filled<float>({4}, 1);
  const auto compiled = compile([&](const Tensor& x) {
    ++runs;
    const Tensor loss = sum(weight * x);
    weight -= x * 0.5f;
    return loss;
  });
  for (int i = 1; i < 5; ++i) EXPECT_EQ(compiled(filled<float>({4}, 1)).item<float>(), static_cast<float>(6 - 2 * i));
  EXPECT_EQ(runs, 4);
  EXPECT_EQ(compiled.statistics().recordings, 1u);
  EXPECT_EQ(compiled.statistics().replays, 0u);
}

TEST_F(CompileCheck, ANumberThatChanges) {
  float rate = 1;
  const int line = __LINE__ + 1;
  const auto compiled = compile([&](const Tensor& x) { return x * rate; });
  compiled(filled<float>({4}, 1));
  rate = 2;
  EXPECT_EQ(difference([&] { compiled(filled<float>({4}, 1)); }),
            "submits mul of (4,) float32, a number" + at(line) + " with another number than the recorded call");
}

TEST_F(CompileCheck, AShapeThatChanges) {
  std::int64_t length = 3;
  const int line = __LINE__ + 1;
  const auto compiled = compile([&](const Tensor& x) { return neg(x.narrow(0, 0, length)); });
  compiled(filled<float>({4}, 1));
  length = 2;
  EXPECT_EQ(difference([&] { compiled(filled<float>({4}, 1)); }),
            "submits neg of (2,) float32" + at(line) + ", and in its place the recorded call had neg of (3,) float32" +
                at(line));
}

TEST_F(CompileCheck, ABranchThatIsTaken) {
  bool more = false;
  const int line = __LINE__ + 3;
  const auto compiled = compile([&](const Tensor& x) {
    Tensor y = neg(x);
    if (more) y = exp(y);
    return y;
  });
  compiled(filled<float>({4}, 1));
  more = true;
  EXPECT_EQ(difference([&] { compiled(filled<float>({4}, 1)); }),
            "submits exp of (4,) float32" + at(line) + ", which the recorded call did not have");
  more = false;
  EXPECT_EQ(difference([&] { compiled(filled<float>({4}, 1)); }), "nothing");
}

TEST_F(CompileCheck, AnotherTensorFromOutside) {
  Tensor weight = filled<float>({4}, 1);
  const int line = __LINE__ + 1;
  const auto compiled = compile([&](const Tensor& x) { return x + weight; });
  compiled(filled<float>({4}, 1));
  weight = filled<float>({4}, 2);
  EXPECT_EQ(difference([&] { compiled(filled<float>({4}, 1)); }),
            "submits add of (4,) float32, (4,) float32" + at(line) +
                ", which uses another tensor from outside than the recorded call");
}

TEST_F(CompileCheck, AReadThatComesLater) {
  bool reads = false;
  const auto compiled = compile([&](const Tensor& x) {
    const Tensor y = neg(x);
    if (reads) y.wait();
    return y;
  });
  compiled(filled<float>({4}, 1));
  reads = true;
  EXPECT_EQ(difference([&] { compiled(filled<float>({4}, 1)); }),
            "reads a value, or waits for one, which the recorded call did not");
}

}  // namespace
}  // namespace stretto
