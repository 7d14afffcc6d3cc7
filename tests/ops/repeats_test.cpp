// Programs that repeat themselves on a device with lanes in order: what repeats just as it was recorded is launched in
// one go.

#include <cstdint>
#include <string>
#include <vector>

#include <stretto/tensor/repeat_statistics.h>

#include "engine/engine.h"
#include "engine/repeats.h"
#include "engine/scheduler.h"
#include "ops/compiled.h"
#include "tensor/testing.h"

namespace stretto {
namespace {

using Values = std::vector<std::vector<float>>;

class LaunchedRepeats : public testing::Test {
 protected:
  void SetUp() override {
    if (repeats() == nullptr) GTEST_SKIP() << "only STRETTO_REPLAY=on looks for repeats: ops.repeats";
    wait_all();
    repeats()->look_for(true);
    before_ = repeat_statistics();
  }

  static Repeats* repeats() { return Engine::get().scheduler().repeats(); }
  std::uint64_t launched() const { return repeat_statistics().launched - before_.launched; }

  /// Calls `round` until this is so: what is launched is made ready by another thread.
  template <typename Round>
  bool until_launched(std::uint64_t times, Round round) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!HasFailure() && launched() < times && std::chrono::steady_clock::now() < deadline) round();
    return launched() >= times;
  }
  /// `program(device)` gives the same values as where nothing is looked for, and much of it is launched.
  template <typename Program>
  void expect_launched(Program program) const {
    repeats()->look_for(false);
    const Values wanted = program(cpu());
    repeats()->look_for(true);
    EXPECT_TRUE(until_launched(10, [&] { EXPECT_EQ(program(sim), wanted); }));
  }

  static constexpr Device sim{DeviceKind::sim, 0};

 private:
  RepeatStatistics before_;
};

Values all_values(const std::vector<Tensor>& tensors) {
  Values all;
  for (const Tensor& tensor : tensors) all.push_back(values(tensor));
  return all;
}

/// A body of a loop: 20 operators on matrices.
Tensor step(Tensor x, const Tensor& weight, float number) {
  for (int i = 0; i < 10; ++i) x = matmul(x, weight) * number;
  return x;
}
constexpr float usual_number = 0.25f;

Tensor weight_on(Device device) { return counting({4, 4}, device) * 0.125f; }

TEST_F(LaunchedRepeats, ALoop) {
  expect_launched([](Device device) {
    const Tensor weight = weight_on(device);
    Tensor x = counting({4, 4}, device), total = zeros({4, 4}, device);
    for (int i = 0; i < 100; ++i) {
      total += step(x, weight, usual_number);
      x *= 1.0625f;
    }
    return all_values({x, total});
  });
}

TEST_F(LaunchedRepeats, WhatTheLoopMakesOfWhatItMadeBefore) {
  expect_launched([](Device device) {
    const Tensor weight = weight_on(device);
    Tensor x = counting({4, 4}, device), previous = x;
    for (int i = 0; i < 100; ++i) {
      const Tensor next = step(x, weight, usual_number) + previous;
      previous = x;
      x = next * 0.5f;
    }
    return all_values({x, previous});
  });
}

TEST_F(LaunchedRepeats, NumbersThatChangeAreNotThoseRecorded) {
  expect_launched([](Device device) {
    const Tensor weight = weight_on(device);
    const Tensor x = counting({4, 4}, device);
    Tensor total = zeros({4, 4}, device);
    for (int i = 0; i < 200; ++i) {
      const float number = i % 16 == 13 ? static_cast<float>(i) / 64 : usual_number;
      total += step(x, weight, number);
    }
    return all_values({total});
  });
}

TEST_F(LaunchedRepeats, NumbersThatChangeForGoodAreRecordedAnew) {
  constexpr float numbers[] = {usual_number, 0.5f, 0.125f, usual_number};
  const auto result = [](Device device, float number) {
    return step(counting({4, 4}, device), weight_on(device), number);
  };
  for (const float number : numbers) {
    repeats()->look_for(false);
    const std::vector<float> wanted = values(result(cpu(), number));
    repeats()->look_for(true);
    const Tensor x = counting({4, 4}, sim), weight = weight_on(sim);
    EXPECT_TRUE(until_launched(launched() + 5, [&] {
      Tensor last;
      for (int i = 0; i < 10; ++i) last = step(x, weight, number);
      EXPECT_EQ(values(last), wanted);
    })) << number;
  }
}

TEST_F(LaunchedRepeats, ElementsThatLieInAnotherWayAreNotThoseRecorded) {
  expect_launched([](Device device) {
    const Tensor weight = weight_on(device), turned = weight.t();
    const Tensor x = counting({4, 4}, device);
    Tensor total = zeros({4, 4}, device);
    for (int i = 0; i < 200; ++i) {
      Tensor part = x;
      const Tensor& factor = i % 16 == 13 ? turned : weight;
      for (int j = 0; j < 10; ++j) part = matmul(part, factor) * usual_number;
      total += part;
    }
    return all_values({total});
  });
}

TEST_F(LaunchedRepeats, WhatIsKeptStaysAsItIs) {
  expect_launched([](Device device) {
    const Tensor weight = weight_on(device);
    Tensor x = counting({4, 4}, device);
    std::vector<Tensor> kept;
    Tensor last;
    for (int i = 0; i < 200; ++i) {
      last = step(x, weight, usual_number);
      if (i % 13 == 7) kept.push_back(last);
      if (i % 39 == 38) kept.erase(kept.begin());
      x *= 1.0625f;
    }
    kept.push_back(last);
    return all_values(kept);
  });
}

TEST_F(LaunchedRepeats, AFailureIsThatOfItsOperator) {
  constexpr std::int64_t rows = 150;
  std::uint32_t line = 0;
  const auto round = [&] {
    const Tensor table = counting({rows, 1}, sim), index = zeros({1}, sim, DType::int64);
    Tensor sum;
    std::vector<Tensor> failed;
    for (std::int64_t i = 0; i < rows + 3; ++i) {
      const CallSite site = std::source_location::current();
      line = site.line + 2;
      sum = index_select(table, 0, index);
      for (int j = 0; j < 16; ++j) sum = sum + 1.0f;
      if (i == rows - 1) {
        EXPECT_EQ(values(sum).front(), static_cast<float>(i + 16));
      }
      if (i >= rows) failed.push_back(sum);
      index += std::int64_t{1};
    }
    for (std::size_t i = 0; i < failed.size(); ++i) {
      try {
        failed[i].wait();
        FAIL() << "nothing is thrown";
      } catch (const IndexError& error) {
        const std::string text = error.what();
        EXPECT_TRUE(text.starts_with("[index_select] index " + std::to_string(rows + static_cast<int>(i)))) << text;
        EXPECT_TRUE(text.ends_with("repeats_test.cpp:" + std::to_string(line) + ")")) << text;
      }
    }
  };
  EXPECT_TRUE(until_launched(20, round));
}

TEST_F(LaunchedRepeats, DrawsAreNotThoseRecorded) {
  const auto program = [](Device device) {
    Generator generator(7);
    const Tensor weight = weight_on(device);
    Tensor total = zeros({4, 4}, device);
    for (int i = 0; i < 50; ++i) {
      const Tensor noise = uniform(generator, 0, 1, {4, 4}, device);
      total += step(noise, weight, usual_number);
    }
    return all_values({total});
  };
  repeats()->look_for(false);
  const Values wanted = program(cpu());
  repeats()->look_for(true);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(program(sim), wanted);
}

}  // namespace
}  // namespace stretto
