#include "tensor/testing.h"

namespace stretto {
namespace {

class MemoryOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(MemoryOn);

/// Cases L5 and L6: a long loop without a wait makes far more temporaries than there is memory for.
TEST_P(MemoryOn, L6ALoopWithoutAWaitStaysWithinTheLimit) {
  constexpr std::int64_t count = 1 << 20;
  constexpr int rounds = 200;
  ASSERT_LE(memory_stats(device()).limit, std::size_t{64} << 20);
  wait_all();
  reset_peak_memory(device());
  const Tensor a = filled<float>({count}, 1, device());
  const Tensor b = filled<float>({count}, 1, device());
  Tensor c = filled<float>({count}, 0, device());
  for (int i = 0; i < rounds; ++i) {
    const Tensor sum = a.clone();
    sum += b;
    sum /= 8;
    const Tensor next = c.clone();
    next += sum;
    c = next;
  }
  EXPECT_EQ(c[count - 1].item<float>(), rounds / 4);
  EXPECT_EQ(c[0].item<float>(), rounds / 4);
  EXPECT_LE(memory_stats(device()).peak, memory_stats(device()).limit);
  wait_all();
}

/// Case L5: the sums do not depend on each other, only the last line of a round does. Running them ahead would be as
/// right, and fill the memory.
TEST_P(MemoryOn, L5ALoopWithoutAWaitDoesNotRunAheadOfItsFrees) {
  constexpr std::int64_t count = 100000;
  wait_all();
  reset_peak_memory(device());
  const std::size_t before = memory_stats(device()).live;
  const Tensor a = filled<float>({count}, 1, device());
  const Tensor b = filled<float>({count}, 1, device());
  Tensor c = filled<float>({count}, 0, device());
  for (int i = 0; i < 2000; ++i) {
    const Tensor sum = a.clone();
    sum += b;
    const Tensor next = c.clone();
    next += sum;
    c = next;
  }
  EXPECT_EQ(c[0].item<float>(), 4000);
  EXPECT_LT(memory_stats(device()).peak - before, std::size_t{96} << 20);  // of 1.6 GB in all
  wait_all();
}

/// What is larger than all of the device's memory is refused by the call; the rest of the program goes on.
TEST_P(MemoryOn, MoreThanThereIsIsRefusedAtOnce) {
  const std::string limit = std::to_string(memory_stats(device()).limit);
  EXPECT_FAILURE(empty({1 << 20, 512}, device()), OutOfMemoryError,
                 "[empty] (1048576,512) float32 takes 2147483648 bytes, and " + to_string(device()) + " has " + limit +
                     " in all" + here());
  const Tensor x = filled<float>({1, 1 << 20}, 1, device());
  EXPECT_FAILURE(x.expand({512, -1}).clone(), OutOfMemoryError,
                 "[clone] (512,1048576) float32 takes 2147483648 bytes, and " + to_string(device()) + " has " + limit +
                     " in all" + here());
  EXPECT_NO_THROW(wait_all());
  EXPECT_EQ(x[0][5].item<float>(), 1.0f);
}

TEST_P(MemoryOn, IsGivenBackWithTheLastHandle) {
  if (environment().check_access) GTEST_SKIP() << "what was freed is kept for a while";
  wait_all();
  const std::size_t before = memory_stats(device()).live;
  {
    const Tensor x = filled<float>({1 << 20}, 1, device());
    const Tensor view = x[5];
    x.wait();
    EXPECT_GE(memory_stats(device()).live, before + (std::size_t{4} << 20));
  }
  wait_all();
  EXPECT_EQ(memory_stats(device()).live, before);
  const std::size_t reserved = memory_stats(device()).reserved;
  const std::size_t given = empty_cache(device());
  EXPECT_GE(given, std::size_t{4} << 20);
  EXPECT_EQ(memory_stats(device()).reserved, reserved - given);
}

}  // namespace
}  // namespace stretto
