// Operators on simulated devices take the time that their model says for what they cost. In a process of its own: the
// model is read once.

#include <gtest/gtest.h>
#include <stretto/stretto.h>

#include <chrono>
#include <cstdlib>

namespace stretto {
namespace {

void multiply_and_add() {
  setenv("STRETTO_SCHEDULE", "", 1);  // no other time than the clock's
  setenv("STRETTO_SIM_DEVICES", "2", 1);
  setenv("STRETTO_SIM_MODEL", "float32=800M,memory=100M,sim:0.speed=0.5", 1);
  const Tensor x = ones({200, 200}, sim(0)), y = ones({500'000}, sim(1));
  wait_all();
  const auto seconds_of = [](auto submit) {
    const auto start = std::chrono::steady_clock::now();
    const Tensor result = submit();
    result.wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // 16 million operations at 400 million a second, less what a lane does not sleep for.
  const double product = seconds_of([&] { return matmul(x, x); });
  // Two arrays of 2 MB read and written at 100 MB/s.
  const double sum = seconds_of([&] { return y + 1; });
  std::exit(product >= 0.0399 && sum >= 0.0399 ? 0 : 1);
}

TEST(SimModel, OperatorsTakeTheTimeOfWhatTheyCost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(multiply_and_add(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace stretto
