#include <thread>

#include "tensor/testing.h"

namespace stretto {
namespace {

class ThreadsOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(ThreadsOn);

/// Case E8: tensors made in one thread are used in another, while others are made.
TEST_P(ThreadsOn, E8TensorsAreMadeAndUsedByMany) {
  constexpr int threads = 16, rounds = 100;
  std::vector<std::vector<Tensor>> made(threads);
  std::vector<std::thread> makers;
  for (int i = 0; i < threads; ++i) {
    makers.emplace_back([i, &mine = made[static_cast<std::size_t>(i)], device = device()] {
      for (int k = 0; k < rounds; ++k) {
        const Tensor x = filled<float>({8}, static_cast<float>(i), device);
        x += k;
        mine.push_back(x.slice(0, 2, 5));
      }
    });
  }
  for (int k = 0; k < 50; ++k) EXPECT_EQ(counting({4}, device())[3].item<float>(), 3);
  for (std::thread& maker : makers) maker.join();
  for (int i = 0; i < threads; ++i)
    for (int k = 0; k < rounds; ++k)
      ASSERT_EQ(made[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)].to_vector<float>(),
                repeated<float>(3, static_cast<float>(i + k)));
}

/// Handles and records go from thread to thread; threads come and go.
TEST_P(ThreadsOn, ThreadsComeAndGo) {
  Tensor x = filled<std::int64_t>({1}, 0, device());
  for (int i = 0; i < 50; ++i) {
    std::thread([x] { x += 1; }).join();
    std::thread([&x] { x = x.clone(); }).join();
  }
  EXPECT_EQ(x.item<std::int64_t>(), 50);
}

}  // namespace
}  // namespace stretto
