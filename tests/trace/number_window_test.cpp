#include "trace/number_window.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace stretto::trace {
namespace {

TEST(NumberWindow, KeepsWhatIsNoFurtherBack) {
  constexpr std::uint64_t most = 8192;
  NumberWindow<std::uint64_t> window(most);
  struct Known {
    std::uint64_t number = 0, value = 0;
  };
  std::vector<Known> model(most);
  std::mt19937_64 random(7);
  std::uint64_t newest = 1, forgotten = 0, expected = 0, too_late = 0;
  for (int i = 0; i < 60000; ++i) {
    newest += random() % 3;
    // Not quite in order, and some of them far too late.
    const std::uint64_t back = random() % 50 == 0 ? random() % (3 * most) : random() % 20;
    const std::uint64_t number = newest > back ? newest - back : newest;
    std::uint64_t* const value = window.get(number, [&](std::uint64_t oldest) { forgotten += oldest; });
    Known& known = model[number % most];
    ASSERT_EQ(value == nullptr, known.number > number) << number;
    if (value == nullptr) {
      ++too_late;
      continue;
    }
    if (known.number < number) {
      expected += known.value;
      known = {number, 0};
    }
    ASSERT_EQ(*value, known.value) << number;
    *value = known.value = number * 3;
    ASSERT_EQ(window.find(number), value);
  }
  EXPECT_GT(too_late, 0u);
  EXPECT_GT(forgotten, 0u);
  EXPECT_EQ(forgotten, expected);
  EXPECT_EQ(window.find(newest + most), nullptr);
}

}  // namespace
}  // namespace stretto::trace
